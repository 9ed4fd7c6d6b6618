// Archives an agent for good, after confirmation.
import { List, Stack } from '@mantine/core';
import { useLocation } from 'wouter';
import { ask } from '../../api/owner.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { useTransferKey } from '../../shared/hooks/use-transfer-key.ts';
import { FormEnd } from '../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../shared/ui/form-dialog.tsx';
import type { AgentSummary } from '../../stores/treasury.ts';

interface ArchiveProps {
  agent: AgentSummary;
}

export const ArchiveAgent = formDialog(({ agent }) => `Archive ${agent.displayName}?`, Archive);

function Archive({ agent: { agentId, displayName, balance }, onDone }: ArchiveProps & Done) {
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
        onCancel={onDone}
        color="red"
        onClick={() => void archive.run()}
      >
        Archive
      </FormEnd>
    </Stack>
  );
}
