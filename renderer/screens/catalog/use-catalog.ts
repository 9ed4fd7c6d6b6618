// Searches the catalog; former results stay until new ones arrive.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Ask } from '../../../server/contract/owner-api.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';

export type Service = Reply<'searchServices'>['results'][number];
export type Source = Service['source'];

const most = '50';

export const useCatalog = (q: string, source: Source | null) => {
  const query: Ask<'searchServices'>['query'] = { q, limit: most, ...(source === null ? {} : { source }) };
  return useQuery({
    queryKey: ['searchServices', { query }],
    queryFn: () => ask('searchServices', { query }),
    placeholderData: keepPreviousData,
  });
};
