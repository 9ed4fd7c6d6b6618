// The owner's inbox: open requests, standing approvals, and past decisions.
import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { AgentName } from '../../shared/ui/AgentName.tsx';
import { Fold } from '../../shared/ui/Fold.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import { QueryState, Screen } from '../../shared/ui/Screen.tsx';
import { Dot } from '../../shared/ui/StatusBadge.tsx';
import { NewKeyDialog } from '../connect/NewKeyDialog.tsx';
import type { Created } from './granted.ts';
import { Grants } from './Grants.tsx';
import { Inbox } from './Inbox.tsx';
import { outcomeOf, requestOf, type Approval } from './request.ts';
import { Subject } from './Subject.tsx';
import { useRequests } from './use-requests.ts';

export default function Approvals() {
  const all = useRequests();
  const { requests, isPending, error } = all;
  const [created, setCreated] = useState<Created | null>(null);
  const decided = requests.approvals.filter(({ status }) => status !== 'pending');
  return (
    <Screen title="Approvals">
      <QueryState of={all} />
      {!isPending && <Inbox {...requests} lacksSome={error !== null} onCreated={setCreated} />}
      <Grants />
      {decided.length > 0 && (
        <Fold label={`Past decisions (${decided.length})`}>
          <Stack gap="sm" component="ul" p={0} m={0}>
            {decided.map((approval) => (
              <Line key={approval.approvalId} approval={approval} />
            ))}
          </Stack>
        </Fold>
      )}
      <NewKeyDialog
        title={`The key of ${created?.agentId ?? ''}`}
        size="xl"
        config={created?.mcpConfig ?? null}
        onClose={() => setCreated(null)}
      />
    </Screen>
  );
}

const Line = ({ approval }: { approval: Approval }) => {
  const request = requestOf(approval);
  const { label, color } = outcomeOf(approval);
  return (
    <Group component="li" justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <Text miw={0} className="break-anywhere">
        <AgentName agentId={approval.agentId} />: <Subject request={request} />
        <Text span display="block" size="xs" c="dimmed">
          <Moment iso={approval.decidedAt ?? approval.createdAt} />
        </Text>
      </Text>
      <Dot color={color}>{label}</Dot>
    </Group>
  );
};
