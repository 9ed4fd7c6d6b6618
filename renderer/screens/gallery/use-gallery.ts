// All agents' tasks under some filters, page by page; read again at each event of a task.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ask } from '../../api/owner.ts';
import type { GalleryFilters } from './filters.ts';

const pageSize = 24;

export const useGallery = (filters: GalleryFilters) => {
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
