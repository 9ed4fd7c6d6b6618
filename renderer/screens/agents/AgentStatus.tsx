// Whether an agent may pay, and why not.
import { Badge } from '@mantine/core';
import type { AgentSummary } from '../../stores/treasury.ts';

export const AgentStatus = ({ agent: { status, statusReason } }: { agent: AgentSummary }) =>
  status === 'active' ? (
    <Badge variant="dot" color="teal" tt="none" fw={600}>
      Active
    </Badge>
  ) : (
    <Badge variant="dot" color="red" tt="none" fw={600} title={statusReason ?? 'Paused by you'}>
      Paused
    </Badge>
  );
