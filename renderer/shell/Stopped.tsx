// The waiting requests that a freeze declined.
import { Anchor, List } from '@mantine/core';
import { Link } from 'wouter';
import { AgentName } from '../shared/ui/AgentName.tsx';
import { counted } from '../shared/format.ts';
import { useStoppedRequests } from '../shared/hooks/use-stopped-requests.ts';
import { requestOf } from '../screens/approvals/request.ts';
import { Subject } from '../screens/approvals/Subject.tsx';

const mostShown = 5;

export default function Stopped({ since }: { since: string }) {
  const requests = useStoppedRequests(since);
  if (requests.length === 0) return null;
  const more = requests.length - mostShown;
  return (
    <>
      {counted(requests.length, 'waiting request was', 'waiting requests were')} declined:
      <List size="sm" mt={4}>
        {requests.slice(0, mostShown).map((approval) => (
          <List.Item key={approval.approvalId}>
            <AgentName underline="always" agentId={approval.agentId} />:{' '}
            <Subject request={requestOf(approval)} />
          </List.Item>
        ))}
        {more > 0 && (
          <List.Item>
            <Anchor component={Link} href="/approvals" inherit underline="always">
              {more} more
            </Anchor>
          </List.Item>
        )}
      </List>
    </>
  );
}
