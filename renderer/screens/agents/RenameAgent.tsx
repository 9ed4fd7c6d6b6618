// Changes an agent's display name; its id stays.
import { ask } from '../../api/owner.ts';
import { RenameDialog } from '../../shared/RenameDialog.tsx';
import type { AgentSummary } from '../../stores/treasury.ts';

interface RenameAgentProps {
  agent: AgentSummary;
  opened: boolean;
  onClose: () => void;
}

export const RenameAgent = ({ agent: { agentId, displayName }, ...dialog }: RenameAgentProps) => (
  <RenameDialog
    name={displayName}
    note={`Its ID, ${agentId}, stays the same.`}
    field="displayName"
    rename={(name) => ask('rename', { params: { agentId }, body: { displayName: name } })}
    {...dialog}
  />
);
