// All agents' pictures, newest first, including unfinished and failed ones.
import { Anchor, Code, SimpleGrid } from '@mantine/core';
import { IconPhoto, IconPhotoSearch } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { EmptyState } from '../../shared/ui/EmptyState.tsx';
import { QueryState, Screen } from '../../shared/ui/Screen.tsx';
import { ShowMore } from '../../shared/ui/ShowMore.tsx';
import { filtersOf, searchOf, type GalleryFilters } from './filters.ts';
import { GalleryFilter } from './GalleryFilter.tsx';
import { TaskCard } from './TaskCard.tsx';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ask } from '../../api/owner.ts';

export default function Gallery() {
  const [filters, setFilters] = useFilters();
  const gallery = useGallery(filters);
  const { tasks, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = gallery;
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
      {hasNextPage && <ShowMore isBusy={isFetchingNextPage} onMore={fetchNextPage} />}
    </Screen>
  );
}

const useFilters = (): [GalleryFilters, (filters: GalleryFilters) => void] => {
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => filtersOf(new URLSearchParams(search)), [search]);
  // The question mark stays without filters: the router keeps the old search for a URL that has none.
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
      title="No such pictures"
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
      here by itself.
    </EmptyState>
  );

/** All agents' tasks under some filters, page by page; read again at each event of a task. */
const pageSize = 24;

const useGallery = (filters: GalleryFilters) => {
  const result = useInfiniteQuery({
    queryKey: ['gallery', filters],
    queryFn: ({ pageParam }) =>
      ask('gallery', {
        query: {
          ...filters,
          limit: String(pageSize),
          ...(pageParam === null ? {} : { before: String(pageParam) }),
        },
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ tasks }) => (tasks.length < pageSize ? undefined : tasks.at(-1)?.cursor),
  });
  const tasks = useMemo(() => result.data?.pages.flatMap((page) => page.tasks) ?? [], [result.data]);
  return { ...result, tasks };
};
