// The requests that may be decided on the overview itself, with the inbox's own cards. The others open the inbox.
import { useEffect } from 'react';
import { useOwner } from '../../stores/queries.ts';
import { Inbox } from './Inbox.tsx';
import { mayDecideInPlace, requestOf } from './request.ts';

interface InPlaceProps {
  /** Is told how many of those that wait are shown. */
  onShown: (count: number) => void;
}

const nothingNew = (): void => {};

export default function InPlace({ onShown }: InPlaceProps) {
  const { data } = useOwner('listApprovals', { query: { limit: '200' } });
  const approvals = (data?.approvals ?? []).filter((one) => mayDecideInPlace(requestOf(one)));
  const here = approvals.filter(({ status, denyAt }) => status === 'pending' && denyAt === null).length;
  useEffect(() => {
    if (data !== undefined) onShown(here);
  }, [data, here, onShown]);
  return <Inbox isPart approvals={approvals} logins={[]} links={[]} onCreated={nothingNew} />;
}
