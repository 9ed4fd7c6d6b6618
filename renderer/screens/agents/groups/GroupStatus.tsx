// Says of a group that it is stopped, and nothing of one that is not.
import { Badge } from '@mantine/core';
import { momentOf } from '../../../shared/time.ts';
import type { AgentGroup } from './use-groups.ts';

export const GroupStatus = ({ group: { stoppedAt } }: { group: AgentGroup }) =>
  stoppedAt === null ? null : (
    <Badge variant="dot" color="red" tt="none" fw={600} flex="none" title={`Since ${momentOf(stoppedAt)}`}>
      Stopped
    </Badge>
  );
