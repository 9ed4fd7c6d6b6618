// Whose pictures are shown, and in which state. The filters live in the page's address, so that a way back finds them.
import type { Task } from './use-gallery.ts';

export interface GalleryFilters {
  agentId?: string;
  status?: Task['status'];
}

export const taskStatuses: Record<Task['status'], { label: string; color: string }> = {
  queued: { label: 'Queued', color: 'blue' },
  generating: { label: 'Being made', color: 'blue' },
  success: { label: 'Made', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
};

const isStatus = (text: string): text is Task['status'] => Object.hasOwn(taskStatuses, text);

/** What makes no sense in the address is left out. */
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
