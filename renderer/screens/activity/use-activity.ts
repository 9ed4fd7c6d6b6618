// The filtered activity: read page by page while scrolling, and kept live.
import { useInfiniteQuery, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { ask } from '../../api/owner.ts';
import { onOwnerEvent } from '../../stores/connection.ts';
import { queries } from '../../stores/queries.ts';
import { mayShow, queryOf, type Entry, type Filters } from './filters.ts';
import { exchange, putOnTop, type Page } from './live-entries.ts';

const pageSize = 200;
const coalesceMs = 150;

type Pages = InfiniteData<Page, number | null>;

const read = (filters: Filters, before: number | null): Promise<Page> => {
  const query = {
    ...queryOf(filters),
    ...(filters.sort === 'amount' ? { sort: 'amount' as const } : {}),
    limit: String(pageSize),
    ...(before === null ? {} : { before: String(before) }),
  };
  return ask('activity', { query });
};

/** Not a route that events invalidate, which would read up to fifty pages again for each payment. */
const keyOf = (filters: Filters) => ['live activity', filters] as const;

export const useActivity = ({ by: _by, ...chosen }: Filters) => {
  const key = JSON.stringify(chosen);
  const filters = useMemo(() => JSON.parse(key) as Filters, [key]);
  const result = useInfiniteQuery({
    queryKey: keyOf(filters),
    queryFn: ({ pageParam }) => read(filters, pageParam),
    initialPageParam: null as number | null,
    // Comparing ten thousand entries takes longer than drawing the visible ones.
    structuralSharing: false,
    // Events are not followed while the list is not shown.
    refetchOnMount: 'always',
    getNextPageParam: ({ next }) => next,
  });
  useEffect(() => followEvents(filters), [filters]);
  const entries = useMemo(() => result.data?.pages.flatMap((page) => page.entries) ?? [], [result.data]);
  const { hasNextPage, isFetching, error, fetchNextPage } = result;
  // Keeps reading older pages while none has a match.
  const isSearching = entries.length === 0 && hasNextPage && error === null;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);
  return { ...result, entries, isSearching };
};

/** Returns a function that stops it. */
const followEvents = (filters: Filters): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let changed = new Map<string, Entry>();
  const soon = (): void => {
    timer ??= setTimeout(() => void bringUpToDate(), coalesceMs);
  };
  const bringUpToDate = async (): Promise<void> => {
    if (filters.sort === 'amount') {
      // A new entry belongs anywhere.
      changed.clear();
      await queries.invalidateQueries({ queryKey: keyOf(filters), exact: true });
      timer = undefined;
      if (changed.size > 0) soon();
      return;
    }
    const head = await read(filters, null).catch(() => null);
    timer = undefined;
    // A page under way would restore the list as it was when it was requested.
    if (queries.isFetching({ queryKey: keyOf(filters), exact: true }) > 0) return soon();
    const due = changed;
    changed = new Map();
    queries.setQueryData<Pages>(keyOf(filters), (data) => updated(data, due, head, filters));
  };
  const stop = onOwnerEvent((event) => {
    if (event.type !== 'transfer') return;
    changed.set(event.data.id, event.data);
    soon();
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
};

const updated = (
  data: Pages | undefined,
  changed: ReadonlyMap<string, Entry>,
  head: Page | null,
  filters: Filters,
): Pages | undefined => {
  if (data === undefined) return undefined;
  const inPlace = data.pages.map(({ entries, next }) => ({
    entries: exchange(entries, changed, (entry) => mayShow(entry, filters)),
    next,
  }));
  if (head === null) return { ...data, pages: inPlace };
  const all = putOnTop(
    inPlace.flatMap(({ entries }) => entries),
    head,
  );
  // All that was read becomes one page; the next one continues below it.
  const next = head.next === null ? null : (inPlace.at(-1)?.next ?? null);
  return { pages: [all === null ? head : { entries: all, next }], pageParams: [null] };
};
