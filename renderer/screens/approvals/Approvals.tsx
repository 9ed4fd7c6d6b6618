// The owner's inbox: open requests, standing approvals, and past decisions.
import { useState } from 'react';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Loading, Screen } from '../../shared/ui/Screen.tsx';
import { NewKeyDialog } from '../connect/NewKeyDialog.tsx';
import { useOwner } from '../../stores/queries.ts';
import { Decided } from './Decided.tsx';
import type { Created } from './granted.ts';
import { Grants } from './Grants.tsx';
import { Inbox } from './Inbox.tsx';

export default function Approvals() {
  const approvals = useOwner('listApprovals', { query: { limit: '200' } });
  const logins = useOwner('listLogins');
  const links = useOwner('listLinks');
  const [created, setCreated] = useState<Created | null>(null);
  const all = approvals.data?.approvals ?? [];
  const decided = all.filter(({ status }) => status !== 'pending');
  const isRead = [approvals, logins, links].every(({ data, error }) => data !== undefined || error !== null);
  return (
    <Screen title="Approvals">
      <ErrorNote
        error={approvals.error ?? logins.error ?? links.error}
        onRetry={() => void approvals.refetch()}
      />
      {isRead ? (
        <Inbox
          approvals={all}
          logins={logins.data?.logins ?? []}
          links={links.data?.links ?? []}
          onCreated={setCreated}
        />
      ) : (
        <Loading />
      )}
      <Grants />
      {decided.length > 0 && <Decided approvals={decided} />}
      <NewKeyDialog
        title={`The key of ${created?.agentId ?? ''}`}
        size="xl"
        config={created?.mcpConfig ?? null}
        onClose={() => setCreated(null)}
      />
    </Screen>
  );
}
