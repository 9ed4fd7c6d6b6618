// The requests that were waiting for the owner when everything was stopped, and that the stop declined.
import type { Reply } from '../../../server/contract/schemas.ts';
import { useOwner } from '../../stores/queries.ts';

type Approval = Reply<'getApproval'>;

const none: readonly Approval[] = [];

/** @param since of the stop, ISO 8601; null while nothing is stopped */
export const useStoppedRequests = (since: string | null): readonly Approval[] => {
  const { data } = useOwner('listApprovals', { query: { limit: '200' } }, { enabled: since !== null });
  if (since === null) return none;
  return (data?.approvals ?? none).filter(
    ({ status, decidedAt }) => status === 'cancelled' && decidedAt !== null && decidedAt >= since,
  );
};
