// The gallery's filters. They live in the URL, so that the back button restores them.
import type { Reply } from '../../../server/contract/schemas.ts';

export type Task = Reply<'getTask'>;

export interface GalleryFilters {
  agentId?: string;
  status?: Task['status'];
}

export const taskStatuses: Record<Task['status'], { label: string; color: string }> = {
  queued: { label: 'Queued', color: 'blue' },
  generating: { label: 'In progress', color: 'blue' },
  success: { label: 'Ready', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
};

const isStatus = (text: string): text is Task['status'] => Object.hasOwn(taskStatuses, text);

/** Invalid values in the URL are dropped. */
export const filtersOf = (search: URLSearchParams): GalleryFilters => {
  const [agentId, status] = [search.get('agent') ?? '', search.get('status') ?? ''];
  return {
    ...(agentId === '' || agentId.length > 64 ? {} : { agentId }),
    ...(isStatus(status) ? { status } : {}),
  };
};

export const searchOf = ({ agentId, status }: GalleryFilters): string =>
  new URLSearchParams({
    ...(agentId === undefined ? {} : { agent: agentId }),
    ...(status === undefined ? {} : { status }),
  }).toString();
