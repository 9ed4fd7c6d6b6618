// Searches the catalog page by page while scrolling; former results stay until new ones arrive.
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { Ask } from '../../../server/contract/owner-api.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';

export type Service = Reply<'searchServices'>['results'][number];
export type Source = Service['source'];
/** A service with the owner's rule on it. */
export type Ruled = Reply<'getService'>;
type Query = NonNullable<Ask<'searchServices'>['query']>;
export type Order = NonNullable<Query['sort']>;

export interface Wanted {
  q: string;
  source: Source | null;
  category: string | null;
  order: Order;
}

const page = 50;

const read = ({ q, source, category, order }: Wanted, skip: number): Promise<Reply<'searchServices'>> =>
  ask('searchServices', {
    query: {
      q,
      sort: order,
      limit: String(page),
      skip: String(skip),
      ...(source === null ? {} : { source }),
      ...(category === null ? {} : { category }),
    },
  });

export const useCatalog = (wanted: Wanted) => {
  const { data, ...rest } = useInfiniteQuery({
    queryKey: ['searchServices', 'pages', wanted],
    queryFn: ({ pageParam }) => read(wanted, pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ results, total }, _, before) =>
      results.length < page || before + page >= total ? null : before + page,
    placeholderData: keepPreviousData,
  });
  // An entry that moved up between two pages is in both.
  const byId = new Map(data?.pages.flatMap(({ results }) => results).map((service) => [service.id, service]));
  return {
    ...rest,
    isRead: data !== undefined,
    services: [...byId.values()],
    total: data?.pages[0]?.total ?? 0,
  };
};
