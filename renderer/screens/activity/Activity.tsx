// All transfers and refusals, newest first: filtered, live, and exportable.
import { IconFilterOff, IconListDetails } from '@tabler/icons-react';
import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { EmptyState, ToAgents } from '../../shared/ui/EmptyState.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Loading, Screen } from '../../shared/ui/Screen.tsx';
import { ActivityFilters } from './ActivityFilters.tsx';
import { ActivityTable } from './ActivityTable.tsx';
import { ActivityTotals } from './ActivityTotals.tsx';
import { ExportMenu } from './ExportMenu.tsx';
import { filterNames, filtersOf, searchOf, type Filters } from './filters.ts';
import { useActivity } from './use-activity.ts';

export default function Activity() {
  const [filters, setFilters] = useFilters();
  const { entries, error, isPending, isSearching, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useActivity(filters);
  const readMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  return (
    <Screen title="Activity" actions={<ExportMenu filters={filters} />}>
      <ActivityFilters filters={filters} onChange={setFilters} />
      <ActivityTotals filters={filters} onChange={setFilters} />
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {((isPending && error === null) || isSearching) && <Loading />}
      {!isPending && !isSearching && entries.length === 0 && (
        <Nothing isFiltered={filterNames.some((name) => filters[name] !== undefined)} />
      )}
      {entries.length > 0 && (
        <ActivityTable
          entries={entries}
          isByTime={filters.sort !== 'amount'}
          hasMore={hasNextPage}
          isReadingMore={isFetchingNextPage}
          readMore={readMore}
        />
      )}
    </Screen>
  );
}

const useFilters = (): [Filters, (filters: Filters) => void] => {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const filters = useMemo(() => filtersOf(new URLSearchParams(search)), [search]);
  const change = (next: Filters): void =>
    navigate(`${path}?${new URLSearchParams(searchOf(next)).toString()}`, { replace: true });
  return [filters, change];
};

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState icon={<IconFilterOff size={40} />} title="Nothing matches">
      No transfer matches these filters. Remove one, or choose a longer period.
    </EmptyState>
  ) : (
    <EmptyState icon={<IconListDetails size={40} />} title="No activity yet" action={<ToAgents />}>
      Payments, refusals and your own transfers appear here. Fund an agent and let it pay.
    </EmptyState>
  );
