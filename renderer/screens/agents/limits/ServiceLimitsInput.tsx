// Limits at single services: a row for each, with its amounts.
import { ActionIcon, Autocomplete, Button, Group, Input, Paper, SimpleGrid, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { FocusEvent } from 'react';
import {
  serviceLimitFields,
  type ServiceLimitField,
} from '../../../../server/contract/limits/service-limits.ts';
import { MoneyInput } from '../../../shared/ui/MoneyInput.tsx';
import { emptyServiceLimit, type ServiceLimitDraft } from './service-limit-drafts.ts';
import type { ControlProps } from './use-policy-form.ts';
import { useServices } from './use-services.ts';

const labels: Record<ServiceLimitField, string> = {
  dailyBudget: 'In 24 hours',
  monthlyBudget: 'In a month',
  maxPerPayment: 'Per payment',
};

export const ServiceLimitsInput = ({ form, path, field }: ControlProps) => {
  const { value, error, onChange, onBlur } = form.getInputProps(path);
  const rows = value as readonly ServiceLimitDraft[];
  const put = (at: number, change: Partial<ServiceLimitDraft>): void =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...change } : row)));
  // The field is left once none of its amounts has the focus.
  const leave = (event: FocusEvent<HTMLElement>): void => {
    if (!event.currentTarget.contains(event.relatedTarget)) onBlur(event);
  };
  return (
    <Stack gap="xs" role="group" aria-label={field.label} onBlur={leave}>
      <Input.Description>{field.form.note}</Input.Description>
      {rows.map((row, at) => (
        // Rows have no names of their own: two may be empty.
        // oxlint-disable-next-line react/no-array-index-key
        <Row
          key={at}
          row={row}
          onPut={(change) => put(at, change)}
          onRemove={rows.length === 1 ? null : () => onChange(rows.filter((_, index) => index !== at))}
        />
      ))}
      {error != null && <Input.Error>{error}</Input.Error>}
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => onChange([...rows, emptyServiceLimit])}
        >
          Add a service
        </Button>
      </Group>
    </Stack>
  );
};

interface RowProps {
  row: ServiceLimitDraft;
  onPut(change: Partial<ServiceLimitDraft>): void;
  /** Null for the only row. */
  onRemove: (() => void) | null;
}

const Row = ({ row, onPut, onRemove }: RowProps) => {
  const [asked] = useDebouncedValue(row.service.trim(), 200);
  const { services } = useServices(asked);
  return (
    <Paper withBorder p="sm" role="group" aria-label={row.service === '' ? 'A service' : row.service}>
      <Stack gap="xs">
        <Group gap="xs" wrap="nowrap" align="flex-end">
          <Autocomplete
            flex={1}
            label="Service"
            placeholder="An id from the catalog"
            data={services.map(({ id }) => id)}
            filter={({ options }) => options}
            value={row.service}
            onChange={(service) => onPut({ service })}
          />
          {onRemove !== null && (
            <ActionIcon variant="subtle" size="input-sm" aria-label="Remove this service" onClick={onRemove}>
              <IconTrash size={18} aria-hidden />
            </ActionIcon>
          )}
        </Group>
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
          {serviceLimitFields.map((name) => (
            <MoneyInput
              key={name}
              label={labels[name]}
              value={row[name]}
              onChange={(event) => onPut({ [name]: event.currentTarget.value })}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </Paper>
  );
};
