// A task's picture as a data URL. It never changes, but a whole one is too large to be cached once it is out of sight.
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api/owner.ts';

type Size = 'small' | 'whole';

const keptMs: Record<Size, number> = { small: 5 * 60_000, whole: 0 };

export const usePicture = (taskId: string, size: Size, enabled: boolean) =>
  useQuery({
    queryKey: ['picture', { taskId, size }],
    queryFn: () => ask('picture', { params: { taskId }, query: { size } }),
    enabled,
    gcTime: keptMs[size],
    refetchOnWindowFocus: false,
  });
