// Whether an agent or a group may pay, and why not.
import { momentOf } from '../../../shared/time.ts';
import { Dot } from '../../../shared/ui/StatusBadge.tsx';
import type { AgentSummary } from '../../../stores/treasury.ts';
import type { AgentGroup } from '../groups/use-groups.ts';

const looks = { Active: 'teal', 'Asks you': 'orange', Paused: 'yellow', Stopped: 'yellow' };

const NodeStatus = ({ label, why }: { label: keyof typeof looks; why?: string }) => (
  <Dot color={looks[label]} title={why}>
    {label}
  </Dot>
);

export const AgentStatus = ({ agent: { status, statusReason, asking } }: { agent: AgentSummary }) => {
  if (status === 'suspended') return <NodeStatus label="Paused" why={statusReason ?? 'Paused by you'} />;
  return asking === null ? <NodeStatus label="Active" /> : <NodeStatus label="Asks you" why={asking} />;
};

/** Nothing for a group that is not stopped. */
export const GroupStatus = ({ group: { stoppedAt } }: { group: AgentGroup }) =>
  stoppedAt === null ? null : <NodeStatus label="Stopped" why={`Since ${momentOf(stoppedAt)}`} />;
