// The first requests that wait, each a line that leads to it: all that a decision needs is in the inbox.
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { AgentName } from '../../shared/ui/AgentName.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { TimeLeft } from '../approvals/Deadline.tsx';
import { askerOf, waitingOf, type Waiting } from '../approvals/Inbox.tsx';
import { requestOf } from '../approvals/request.ts';
import { Subject } from '../approvals/Subject.tsx';
import { useRequests } from '../approvals/use-requests.ts';

/** As many as leave room for the rest of the overview. */
const mostShown = 5;

export default function Requests() {
  const { requests, isPending, error, refetch } = useRequests();
  const all = waitingOf(requests);
  // Before, one that is only read later would push another out.
  if (isPending) return null;
  if (all.length === 0 && error === null) return null;
  return (
    <Panel
      title={`Waiting for you (${all.length})`}
      actions={
        all.length > mostShown && (
          <Anchor component={Link} href="/approvals" size="sm">
            All requests
          </Anchor>
        )
      }
    >
      <ErrorNote error={error} onRetry={() => void refetch()} />
      <Stack component="ul" gap={0} m={0} p={0}>
        {all.slice(0, mostShown).map((item) => (
          <Line key={item.id} item={item} />
        ))}
      </Stack>
    </Panel>
  );
}

const Line = ({ item }: { item: Waiting }) => (
  <Group component="li" gap="sm" py="sm" className="divided" data-request={item.id}>
    {/* On a phone the rest goes below it. */}
    <Text id={`request-${item.id}`} flex="1 1 240px" miw={0} className="break-anywhere">
      {item.kind === 'approval' ? (
        <>
          <AgentName agentId={item.approval.agentId} />: <Subject request={requestOf(item.approval)} />
        </>
      ) : (
        askerOf(item)
      )}
    </Text>
    <Group gap="sm">
      <TimeLeft expiresAt={item.expiresAt} />
      <Anchor
        component={Link}
        href={`/approvals?request=${encodeURIComponent(item.id)}`}
        id={`review-${item.id}`}
        aria-labelledby={`review-${item.id} request-${item.id}`}
      >
        Review
      </Anchor>
    </Group>
  </Group>
);
