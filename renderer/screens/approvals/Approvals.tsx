// The owner's inbox: open requests, standing approvals, and past decisions.
import { Stack, VisuallyHidden } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { EmptyState } from '../../shared/EmptyState.tsx';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Loading, Screen } from '../../shared/Screen.tsx';
import { useOwner } from '../../stores/queries.ts';
import { Decided } from './Decided.tsx';
import type { Created } from './granted.ts';
import { Grants } from './Grants.tsx';
import { LinkCard, type LinkRequest } from './LinkCard.tsx';
import { LoginCard, type Login } from './LoginCard.tsx';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { RequestCard } from './RequestCard.tsx';
import type { Approval } from './request.ts';

export default function Approvals() {
  const approvals = useOwner('listApprovals', { query: { limit: '200' } });
  const logins = useOwner('listLogins');
  const links = useOwner('listLinks');
  const [created, setCreated] = useState<Created | null>(null);
  const all = approvals.data?.approvals ?? [];
  const waiting = all.filter(({ status }) => status === 'pending').toSorted(byAge);
  const decided = all.filter(({ status }) => status !== 'pending');
  const terminals = (logins.data?.logins ?? []).filter(({ status }) => status === 'pending');
  const machines = (links.data?.links ?? []).filter(({ status }) => status === 'pending').toReversed();
  const isRead = approvals.data !== undefined || approvals.error !== null;
  return (
    <Screen title="Approvals">
      <ErrorNote
        error={approvals.error ?? logins.error ?? links.error}
        onRetry={() => void approvals.refetch()}
      />
      {isRead ? (
        <Inbox waiting={waiting} terminals={terminals} machines={machines} onCreated={setCreated} />
      ) : (
        <Loading />
      )}
      <Grants />
      {decided.length > 0 && <Decided approvals={decided} />}
      <NewKeyDialog created={created} onClose={() => setCreated(null)} />
    </Screen>
  );
}

/** Oldest first, which also expires first: new requests are added below and move nothing. */
const byAge = (a: Approval, b: Approval): number => Date.parse(a.createdAt) - Date.parse(b.createdAt);

interface InboxProps {
  waiting: readonly Approval[];
  terminals: readonly Login[];
  machines: readonly LinkRequest[];
  onCreated: (created: Created) => void;
}

const Inbox = ({ waiting, terminals, machines, onCreated }: InboxProps) => {
  const list = useRef<HTMLDivElement>(null);
  const arrangement = [
    ...terminals.map(({ loginId }) => loginId),
    ...machines.map(({ linkId }) => linkId),
    ...waiting.map(({ approvalId }) => approvalId),
  ].join();
  const isFirst = useRef(true);
  useEffect(() => {
    const isOpening = isFirst.current;
    isFirst.current = false;
    // An owner who is typing or reading elsewhere keeps the focus.
    if (!isOpening && document.activeElement !== document.body) return;
    list.current?.querySelector<HTMLButtonElement>('[data-deny]')?.focus();
  }, [arrangement]);
  if (arrangement === '')
    return (
      <Panel>
        <EmptyState icon={<IconInbox size={40} />} title="Nothing waits for you">
          When an agent asks for something that its policy leaves to you, it appears here, and you are told.
        </EmptyState>
      </Panel>
    );
  return (
    <Stack gap="md" ref={list} component="section" aria-label="Waiting for you">
      <VisuallyHidden role="status">
        {waiting.length + terminals.length + machines.length} waiting for you
      </VisuallyHidden>
      {terminals.map((login) => (
        <LoginCard key={login.loginId} login={login} arrangement={arrangement} />
      ))}
      {machines.map((link) => (
        <LinkCard key={link.linkId} link={link} arrangement={arrangement} />
      ))}
      {waiting.map((approval) => (
        <RequestCard
          key={approval.approvalId}
          approval={approval}
          arrangement={arrangement}
          onCreated={onCreated}
        />
      ))}
    </Stack>
  );
};
