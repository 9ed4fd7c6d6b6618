// The activity's filters: free text is always visible, the rest is folded on narrow screens.
import { Button, Collapse, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { IconAdjustmentsHorizontal, IconSearch, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { kinds, outcomes } from '../../shared/status.ts';
import { useOwner } from '../../stores/queries.ts';
import styles from './activity.module.css';
import { agentChoices, choicesOf, type Choice } from '../../shared/choices.ts';
import { filterNames, type FilterName, type Filters } from './filters.ts';

interface ActivityFiltersProps {
  filters: Filters;
  onChange: (filters: Filters) => void;
}

const typingMs = 300;

export const ActivityFilters = ({ filters, onChange }: ActivityFiltersProps) => {
  const chosen = filterNames.filter((name) => name !== 'q' && filters[name] !== undefined).length;
  const [isOpen, { toggle }] = useDisclosure(chosen > 0);
  const set = (name: FilterName, value: string | null): void => onChange({ ...filters, [name]: value ?? '' });
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <FreeText value={filters.q ?? ''} onChange={(text) => set('q', text)} />
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={18} aria-hidden />}
          onClick={toggle}
          aria-expanded={isOpen}
        >
          Filters{chosen > 0 && ` (${chosen})`}
        </Button>
        {(chosen > 0 || filters.q !== undefined) && (
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconX size={16} aria-hidden />}
            onClick={() => onChange({ sort: filters.sort ?? '', by: filters.by ?? '' })}
          >
            Show all
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen}>
        <Choices filters={filters} set={set} />
      </Collapse>
    </Stack>
  );
};

const FreeText = ({ value, onChange }: { value: string; onChange: (text: string) => void }) => {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const changeSoon = useDebouncedCallback(onChange, typingMs);
  return (
    <TextInput
      type="search"
      className={styles['search'] ?? ''}
      aria-label="Search in the activity"
      placeholder="Search"
      leftSection={<IconSearch size={18} aria-hidden />}
      maxLength={200}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        changeSoon(currentTarget.value);
      }}
    />
  );
};

const kindChoices = choicesOf(kinds);
const statusChoices = Object.entries(outcomes).map(([value, { label }]) => ({ value, label }));

interface ChoicesProps {
  filters: Filters;
  set: (name: FilterName, value: string | null) => void;
}

const Choices = ({ filters, set }: ChoicesProps) => {
  const agents = useOwner('listAgents').data?.agents ?? [];
  const services = useOwner('searchServices', { query: { limit: '100' } }).data?.results ?? [];
  const serviceChoices = services.map(({ id, name }) => ({ value: id, label: name }));
  const select = (name: FilterName, label: string, data: Choice[]) => (
    <Select
      label={label}
      data={withChosen(data, filters[name])}
      value={filters[name] ?? null}
      onChange={(value) => set(name, value)}
      placeholder="Any"
      clearable
      searchable={data.length > 8}
      clearButtonProps={{ 'aria-label': `Any ${label.toLowerCase()}` }}
    />
  );
  const day = (name: FilterName, label: string) => (
    <TextInput
      type="date"
      label={label}
      value={filters[name] ?? ''}
      onChange={({ currentTarget }) => set(name, currentTarget.value)}
    />
  );
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 6 }} spacing="sm">
      {select('agent', 'Agent', agentChoices(agents))}
      {select('service', 'Service', serviceChoices)}
      {select('kind', 'Kind', kindChoices)}
      {select('status', 'Status', statusChoices)}
      {day('from', 'From')}
      {day('to', 'To')}
    </SimpleGrid>
  );
};

/** Adds the chosen value, since a URL may name one that the list does not hold. */
const withChosen = (data: Choice[], chosen: string | undefined) =>
  chosen === undefined || data.some(({ value }) => value === chosen)
    ? data
    : [...data, { value: chosen, label: chosen }];
