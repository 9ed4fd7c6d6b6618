// A list that is read page by page: older rows come before a cursor.
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Ask, OwnerRoute } from '../../../server/contract/owner-api.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';

/** @param nextOf a page's cursor of the next one, if there is one */
export const usePages = <N extends OwnerRoute, Row>(
  route: N,
  query: Readonly<Record<string, string>>,
  rowsOf: (page: Reply<N>) => readonly Row[],
  nextOf: (page: Reply<N>) => number | null | undefined,
) => {
  const pages = useInfiniteQuery({
    queryKey: [route, 'by page', query],
    queryFn: ({ pageParam }) => {
      const before = pageParam === null ? {} : { before: String(pageParam) };
      return ask(route, { query: { ...query, ...before } } as unknown as Ask<N>);
    },
    initialPageParam: null as number | null,
    getNextPageParam: nextOf,
  });
  return { ...pages, rows: pages.data?.pages.flatMap(rowsOf) ?? [] };
};

/** Of the last row, unless the page is not full. */
export const cursorAfter = (rows: readonly { cursor: number }[], size: number): number | undefined =>
  rows.length < size ? undefined : rows.at(-1)?.cursor;
