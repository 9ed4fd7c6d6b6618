// Picks the services that a policy allows: from the catalog, or typed as an id that the catalog does not know.
import { Group, Stack, TagsInput, Text, type TagsInputProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useServices } from './use-services.ts';

type ServicePickerProps = Pick<
  TagsInputProps,
  'label' | 'description' | 'value' | 'onChange' | 'error' | 'onBlur' | 'onFocus'
>;

export const ServicePicker = ({ value = [], ...input }: ServicePickerProps) => {
  const [search, setSearch] = useState('');
  const [asked] = useDebouncedValue(search.trim(), 200);
  const { services } = useServices(asked);
  const byId = new Map(services.map((service) => [service.id, service]));
  return (
    <TagsInput
      placeholder={value.length === 0 ? 'Every service' : ''}
      data={services.map(({ id }) => id)}
      // No filter here: the catalog's search has also matched names and descriptions.
      filter={({ options }) => options}
      renderOption={({ option }) => {
        const service = byId.get(option.value);
        return (
          <Stack gap={0}>
            <Text>{service?.name ?? option.value}</Text>
            <Group gap="xs">
              <Text size="xs" c="dimmed" ff="monospace">
                {option.value}
              </Text>
              {service !== undefined && service.price !== null && (
                <Text size="xs" c="dimmed">
                  {service.price} USDC
                </Text>
              )}
            </Group>
          </Stack>
        );
      }}
      value={value}
      searchValue={search}
      onSearchChange={setSearch}
      isDuplicate={(id, others) => others.includes(id)}
      maxTags={200}
      acceptValueOnBlur={false}
      clearable
      clearButtonProps={{ 'aria-label': 'Allow every service' }}
      comboboxProps={{ withinPortal: true }}
      {...input}
    />
  );
};
