// The inbox's first requests on the overview, in the inbox's order.
import { useEffect } from 'react';
import { useOwner } from '../../stores/queries.ts';
import { Inbox, waitingOf } from './Inbox.tsx';

interface InPlaceProps {
  /** Is told how many of those that wait are shown. */
  onShown: (count: number) => void;
}

export default function InPlace({ onShown }: InPlaceProps) {
  const approvals = useOwner('listApprovals', { query: { limit: '200' } }).data?.approvals;
  const logins = useOwner('listLogins').data?.logins;
  const links = useOwner('listLinks').data?.links;
  const all = { approvals: approvals ?? [], logins: logins ?? [], links: links ?? [] };
  const isRead = [approvals, logins, links].every((list) => list !== undefined);
  const here = waitingOf(all, true).length;
  useEffect(() => {
    if (isRead) onShown(here);
  }, [isRead, here, onShown]);
  return <Inbox isPart isBrief {...all} />;
}
