// Archives an agent for good, after confirmation.
import { List, Modal, Stack } from '@mantine/core';
import { useLocation } from 'wouter';
import { ask } from '../../api/owner.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { useTransferKey } from '../../shared/hooks/use-transfer-key.ts';
import { FormEnd } from '../../shared/ui/Form.tsx';
import type { AgentSummary } from '../../stores/treasury.ts';

interface ArchiveAgentProps {
  agent: AgentSummary;
  opened: boolean;
  onClose: () => void;
}

export const ArchiveAgent = ({ agent, opened, onClose }: ArchiveAgentProps) => (
  <Modal opened={opened} onClose={onClose} title={`Archive ${agent.displayName}?`}>
    {opened && <Archive agent={agent} onClose={onClose} />}
  </Modal>
);

const Archive = ({
  agent: { agentId, displayName, balance },
  onClose,
}: {
  agent: AgentSummary;
  onClose: () => void;
}) => {
  const [, go] = useLocation();
  const { carryOut } = useTransferKey();
  const archive = useCommand(() =>
    carryOut(async (key) => {
      const { recalled } = await ask('archive', { params: { agentId }, key });
      notifyDone(`${displayName} is archived. ${recalled} USDC went back to the treasury.`);
      go('/agents');
    }),
  );
  return (
    <Stack gap="md">
      <List size="sm" spacing={4}>
        <List.Item>
          Its <Amount whole value={balance} /> goes back to the treasury.
        </List.Item>
        <List.Item>All its keys stop working at once.</List.Item>
        <List.Item>It is hidden; its payments stay in the activity. This can’t be undone.</List.Item>
      </List>
      <FormEnd
        of={archive}
        notDone="It is not archived; it may be paused already."
        onCancel={onClose}
        color="red"
        onClick={() => void archive.run()}
      >
        Archive
      </FormEnd>
    </Stack>
  );
};
