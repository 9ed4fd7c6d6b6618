// The activity under some filters, page by page as it is scrolled, and live.
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
    limit: String(pageSize),
    ...(before === null ? {} : { before: String(before) }),
  };
  return ask('activity', { query });
};

/** Not among the routes that an event makes read anew: fifty pages would be asked for at each payment. */
const keyOf = (filters: Filters) => ['live activity', filters] as const;

export const useActivity = (filters: Filters) => {
  const result = useInfiniteQuery({
    queryKey: keyOf(filters),
    queryFn: ({ pageParam }) => read(filters, pageParam),
    initialPageParam: null as number | null,
    // To compare ten thousand entries with themselves takes longer than to draw those in view.
    structuralSharing: false,
    // Events were not followed while it was not shown.
    refetchOnMount: 'always',
    getNextPageParam: ({ next }) => next,
  });
  useEffect(() => followEvents(filters), [filters]);
  const entries = useMemo(() => result.data?.pages.flatMap((page) => page.entries) ?? [], [result.data]);
  const { hasNextPage, isFetching, error, fetchNextPage } = result;
  // A long past is looked through page by page, also while nothing in it matches.
  const isSearching = entries.length === 0 && hasNextPage && error === null;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);
  return { ...result, entries, isSearching };
};

/** Returns the end of it. */
const followEvents = (filters: Filters): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let changed = new Map<string, Entry>();
  const soon = (): void => {
    timer ??= setTimeout(() => void bringUpToDate(), coalesceMs);
  };
  const bringUpToDate = async (): Promise<void> => {
    const head = await read(filters, null).catch(() => null);
    timer = undefined;
    // A page under way would put the list back to how it was when it was asked for.
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
  // One page stands for all that was read; the next one goes on below it.
  const next = head.next === null ? null : (inPlace.at(-1)?.next ?? null);
  return { pages: [all === null ? head : { entries: all, next }], pageParams: [null] };
};
