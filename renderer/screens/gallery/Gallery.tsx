// All agents' pictures, newest first, including unfinished and failed ones.
import { Anchor, Code, Group, Select, SimpleGrid } from '@mantine/core';
import { IconPhoto, IconPhotoSearch } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { cursorAfter, usePages } from '../../shared/hooks/use-pages.ts';
import { EmptyState } from '../../shared/ui/EmptyState.tsx';
import { QueryState, Screen } from '../../shared/ui/Screen.tsx';
import { MorePages } from '../../shared/ui/ShowMore.tsx';
import { filtersOf, type GalleryFilters, searchOf, type Task, taskStatuses } from './filters.ts';
import { TaskCard } from './TaskCard.tsx';
import { agentChoices } from '../../shared/choices.ts';
import { useAgents } from '../../stores/treasury.ts';

const pageSize = 24;

export default function Gallery() {
  const [filters, setFilters] = useFilters();
  // Read again at each event of a task.
  const gallery = usePages(
    'gallery',
    { ...filters, limit: String(pageSize) },
    (page) => page.tasks,
    ({ tasks: last }) => cursorAfter(last, pageSize),
  );
  const { rows: tasks, isPending } = gallery;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Screen title="Pictures">
      {(isFiltered || tasks.length > 0) && <GalleryFilter filters={filters} onChange={setFilters} />}
      <QueryState of={gallery} />
      {!isPending && tasks.length === 0 && (
        <Nothing isFiltered={isFiltered} onShowAll={() => setFilters({})} />
      )}
      {tasks.length > 0 && (
        <SimpleGrid
          cols={{ base: 2, md: 3, lg: 4 }}
          spacing={{ base: 'xs', sm: 'md' }}
          component="ul"
          p={0}
          m={0}
          aria-label="Pictures, newest first"
        >
          {tasks.map((task) => (
            <TaskCard key={task.taskId} task={task} />
          ))}
        </SimpleGrid>
      )}
      <MorePages of={gallery} />
    </Screen>
  );
}

const useFilters = (): [GalleryFilters, (filters: GalleryFilters) => void] => {
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => filtersOf(new URLSearchParams(search)), [search]);
  return [filters, (next) => navigate(`/gallery?${searchOf(next)}`, { replace: true })];
};

interface NothingProps {
  isFiltered: boolean;
  onShowAll: () => void;
}

const Nothing = ({ isFiltered, onShowAll }: NothingProps) =>
  isFiltered ? (
    <EmptyState
      icon={<IconPhotoSearch size={40} />}
      title="No matching pictures"
      action={
        <Anchor component="button" type="button" onClick={onShowAll} size="md">
          Show all pictures
        </Anchor>
      }
    >
      No picture matches these filters. Choose another agent or another state.
    </EmptyState>
  ) : (
    <EmptyState icon={<IconPhoto size={40} />} title="No pictures yet">
      An agent orders a picture with the tool <Code>generate_image</Code> of the treasury’s MCP server: it
      names a model of the catalog, a resolution and a prompt. Its wallet is charged, and the picture appears
      here when it is ready.
    </EmptyState>
  );

interface GalleryFilterProps {
  filters: GalleryFilters;
  onChange: (filters: GalleryFilters) => void;
}

const statuses = (Object.keys(taskStatuses) as Task['status'][]).map((value) => ({
  value,
  label: taskStatuses[value].label,
}));

/** Filters the gallery by agent and by state. */
const GalleryFilter = ({ filters: { agentId, status }, onChange }: GalleryFilterProps) => {
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
