// Filters the gallery by agent and by state.
import { Group, Select } from '@mantine/core';
import { agentChoices } from '../../shared/choices.ts';
import { useAgents } from '../../stores/treasury.ts';
import { taskStatuses, type GalleryFilters, type Task } from './filters.ts';

interface GalleryFilterProps {
  filters: GalleryFilters;
  onChange: (filters: GalleryFilters) => void;
}

const statuses = (Object.keys(taskStatuses) as Task['status'][]).map((value) => ({
  value,
  label: taskStatuses[value].label,
}));

export const GalleryFilter = ({ filters: { agentId, status }, onChange }: GalleryFilterProps) => {
  const agents = useAgents();
  const choices = agentChoices(agents);
  // An archived agent’s pictures remain, and a URL may name it.
  const isOther = agentId !== undefined && choices.every(({ value }) => value !== agentId);
  return (
    <Group gap="xs">
      <Select
        aria-label="Agent"
        placeholder="All agents"
        data={isOther ? [...choices, { value: agentId, label: agentId }] : choices}
        value={agentId ?? null}
        onChange={(next) => onChange(filtersWith(next, status))}
        searchable={choices.length > 8}
        flex="1 1 150px"
        maw={260}
        clearable
        clearButtonProps={{ 'aria-label': 'All agents' }}
      />
      <Select
        aria-label="State"
        placeholder="All states"
        data={statuses}
        value={status ?? null}
        onChange={(next) => onChange(filtersWith(agentId, next))}
        flex="1 1 150px"
        maw={200}
        clearable
        clearButtonProps={{ 'aria-label': 'All states' }}
      />
    </Group>
  );
};

const filtersWith = (
  agentId: string | null | undefined,
  status: Task['status'] | null | undefined,
): GalleryFilters => ({
  ...(agentId == null ? {} : { agentId }),
  ...(status == null ? {} : { status }),
});
