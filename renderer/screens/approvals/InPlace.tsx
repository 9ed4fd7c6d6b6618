// The inbox's first requests on the overview, in the inbox's order.
import { useEffect } from 'react';
import { useOwner } from '../../stores/queries.ts';
import { Inbox, mostInBrief, waitingOf } from './Inbox.tsx';

interface InPlaceProps {
  /** Is told how many of those that wait are shown. */
  onShown: (count: number) => void;
}

export default function InPlace({ onShown }: InPlaceProps) {
  const approvals = useOwner('listApprovals', { query: { limit: '200' } });
  const logins = useOwner('listLogins');
  const links = useOwner('listLinks');
  const all = {
    approvals: approvals.data?.approvals ?? [],
    logins: logins.data?.logins ?? [],
    links: links.data?.links ?? [],
  };
  // Before, one that is only read later would push another out.
  const isRead = [approvals, logins, links].every(({ isPending }) => !isPending);
  const here = Math.min(waitingOf(all).length, mostInBrief);
  useEffect(() => {
    if (isRead) onShown(here);
  }, [isRead, here, onShown]);
  return isRead && <Inbox isPart isBrief {...all} />;
}
