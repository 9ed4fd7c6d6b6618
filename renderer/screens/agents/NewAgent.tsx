// The dialog that creates an agent.
import { AgentDialog } from './AgentDialog.tsx';
import { NewAgentForm } from './NewAgentForm.tsx';

interface NewAgentProps {
  opened: boolean;
  onClose: () => void;
}

export const NewAgent = ({ opened, onClose }: NewAgentProps) => (
  <AgentDialog
    title="New agent"
    opened={opened}
    onClose={onClose}
    form={(onCreated) => <NewAgentForm onCreated={onCreated} />}
  />
);
