// The actions for all chosen agents together. Each says in plain words what will change before anything does.
import { Button, Group, List, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { counted } from '../../shared/format.ts';
import type { AgentSummary } from '../../stores/treasury.ts';
import { MoveToGroup } from './groups/MoveToGroup.tsx';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { useAgentNames } from '../../shared/agent-names.ts';
import { notifyStopped } from '../../shared/notify-stopped.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { FormEnd } from '../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../shared/ui/form-dialog.tsx';
import { eachOf, failuresOf } from './bulk.ts';

interface BulkBarProps {
  /** The chosen ones. */
  agents: readonly AgentSummary[];
  onAll: () => void;
  onDone: () => void;
}

export const BulkBar = ({ agents, onAll, onDone }: BulkBarProps) => {
  const [dialog, setDialog] = useState<'pause' | 'move' | null>(null);
  const close = (): void => setDialog(null);
  return (
    <Paper withBorder p="sm" bg="var(--card)" component="section" aria-label="Selected agents">
      <Group gap="xs">
        <Text fw={600} role="status">
          {agents.length === 0 ? 'Select agents below' : `${counted(agents.length, 'agent')} selected`}
        </Text>
        <Button size="xs" variant="subtle" onClick={onAll}>
          Select all
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={agents.every(({ status }) => status === 'suspended')}
          onClick={() => setDialog('pause')}
          aria-haspopup="dialog"
        >
          Pause…
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={agents.length === 0}
          onClick={() => setDialog('move')}
          aria-haspopup="dialog"
        >
          Move to…
        </Button>
        <Button size="xs" variant="subtle" color="gray" onClick={onDone}>
          Done
        </Button>
      </Group>
      <BulkPause agents={agents} opened={dialog === 'pause'} onClose={close} />
      <MoveToGroup agents={agents} opened={dialog === 'move'} onClose={close} />
    </Paper>
  );
};

interface BulkProps {
  agents: readonly AgentSummary[];
}

/** Pauses several agents, after saying what that means for each. */
const BulkPause = formDialog(() => 'Pause these agents?', Pause);

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
        requests: ended.reduce((sum, { requests }) => sum + requests, 0),
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
