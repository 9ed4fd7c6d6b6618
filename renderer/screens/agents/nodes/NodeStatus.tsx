// Whether an agent or a group may pay, and why not.
import { Badge } from '@mantine/core';
import { momentOf } from '../../../shared/time.ts';
import type { AgentSummary } from '../../../stores/treasury.ts';
import type { AgentGroup } from '../groups/use-groups.ts';

const NodeStatus = ({ label, stop }: { label: string; stop: string | null }) => (
  <Badge
    variant="dot"
    color={stop === null ? 'teal' : 'red'}
    tt="none"
    fw={600}
    flex="none"
    title={stop ?? undefined}
  >
    {label}
  </Badge>
);

export const AgentStatus = ({ agent: { status, statusReason } }: { agent: AgentSummary }) =>
  status === 'active' ? (
    <NodeStatus label="Active" stop={null} />
  ) : (
    <NodeStatus label="Paused" stop={statusReason ?? 'Paused by you'} />
  );

/** Nothing for a group that is not stopped. */
export const GroupStatus = ({ group: { stoppedAt } }: { group: AgentGroup }) =>
  stoppedAt === null ? null : <NodeStatus label="Stopped" stop={`Since ${momentOf(stoppedAt)}`} />;
