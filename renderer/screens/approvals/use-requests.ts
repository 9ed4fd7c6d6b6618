// All that may wait for the owner: what agents ask for, logins of terminals, and links to machines.
import { useOwner } from '../../stores/queries.ts';

export const useRequests = () => {
  const approvals = useOwner('listApprovals', { query: { limit: '200' } });
  const logins = useOwner('listLogins');
  const links = useOwner('listLinks');
  const all = [approvals, logins, links];
  const failed = all.filter(({ error }) => error !== null);
  return {
    requests: {
      approvals: approvals.data?.approvals ?? [],
      logins: logins.data?.logins ?? [],
      links: links.data?.links ?? [],
    },
    isPending: all.some(({ isPending }) => isPending),
    error: failed[0]?.error ?? null,
    refetch: () => Promise.all(failed.map((one) => one.refetch())),
  };
};
