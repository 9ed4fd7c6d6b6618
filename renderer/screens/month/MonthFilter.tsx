// The filter of a month: one agent, one service, or all.
import { Select } from '@mantine/core';
import { namesOf } from '../../../server/contract/agent-names.ts';
import { useOwner } from '../../stores/queries.ts';

export interface Chosen {
  month: string;
  agent: string | null;
  service: string | null;
}

interface MonthFilterProps {
  chosen: Chosen;
  onChange: (change: Partial<Chosen>) => void;
}

interface Choice {
  value: string;
  label: string;
}

export const MonthFilter = ({ chosen: { agent, service }, onChange }: MonthFilterProps) => {
  const agents = useOwner('listAgents').data?.agents ?? [];
  const services = useOwner('searchServices', { query: { limit: '100', sort: 'used' } }).data?.results ?? [];
  return (
    <>
      <Select
        label="Agent"
        placeholder="All agents"
        data={withChosen(
          [...namesOf(agents)].map(([value, label]) => ({ value, label })),
          agent,
        )}
        value={agent}
        onChange={(next) => onChange({ agent: next })}
        searchable={agents.length > 8}
        clearable
        clearButtonProps={{ 'aria-label': 'All agents' }}
      />
      <Select
        label="Service"
        placeholder="All services"
        data={withChosen(
          services.map(({ id, name }) => ({ value: id, label: name })),
          service,
        )}
        value={service}
        onChange={(next) => onChange({ service: next })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'All services' }}
      />
    </>
  );
};

/** An address may name one that the list does not hold. */
const withChosen = (choices: readonly Choice[], chosen: string | null): Choice[] =>
  chosen === null || choices.some(({ value }) => value === chosen)
    ? [...choices]
    : [...choices, { value: chosen, label: chosen }];
