// Pauses several agents, after saying what that means for each.
import { List, Stack, Text } from '@mantine/core';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { useAgentNames } from '../../shared/agent-names.ts';
import { counted } from '../../shared/format.ts';
import { notifyStopped } from '../../shared/notify-stopped.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { FormEnd } from '../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../shared/ui/form-dialog.tsx';
import type { AgentSummary } from '../../stores/treasury.ts';
import { eachOf, failuresOf } from './bulk.ts';

interface BulkProps {
  agents: readonly AgentSummary[];
}

export const BulkPause = formDialog(() => 'Pause these agents?', Pause);

function Pause({ agents: chosen, onDone }: BulkProps & Done) {
  const agents = chosen.filter(({ status }) => status === 'active');
  const nameOf = useAgentNames(agents.map(({ agentId }) => agentId));
  const pause = useCommand(async () => {
    const ended: Reply<'kill'>['ended'][] = [];
    const failures = await eachOf(agents, async ({ agentId }) => {
      ended.push((await ask('kill', { params: { agentId } })).ended);
    });
    if (failures.length > 0) throw failuresOf(failures, nameOf, 'still pays');
    notifyStopped({
      did: `${counted(agents.length, 'agent is', 'agents are')} paused.`,
      ended: {
        declined: ended.reduce((sum, { declined }) => sum + declined, 0),
        keys: ended.flatMap(({ keys }) => keys),
      },
    });
    onDone();
  });
  return (
    <Stack gap="md">
      <Text>
        {agents.length === 1 ? 'It stops' : `These ${agents.length} stop`} paying at once. Requests that wait
        for you are declined, and keys that they delegated end for good. Nothing is moved or changed, and you
        can resume each of them.
      </Text>
      <List size="sm" spacing={2}>
        {agents.map(({ agentId, pendingApprovals }) => (
          <List.Item key={agentId}>
            {nameOf(agentId)}
            {pendingApprovals > 0 &&
              `: ${counted(pendingApprovals, 'waiting request is', 'waiting requests are')} declined`}
          </List.Item>
        ))}
      </List>
      <FormEnd of={pause} onCancel={onDone} color="red" onClick={() => void pause.run()}>
        Pause {counted(agents.length, 'agent')}
      </FormEnd>
    </Stack>
  );
}
