// Keeps an agent from paying a service again, after it says what that takes.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ask } from '../../api/owner.ts';
import { pathOfAgent, useAgentName } from '../../shared/agent-names.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { QueryState } from '../../shared/ui/Screen.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { formDialog, type Done } from '../../shared/ui/form-dialog.tsx';
import { useOwner, reread } from '../../stores/queries.ts';
import { blockingOf, type Blocking } from './blocking.ts';

interface BlockProps {
  agentId: string;
  service: { id: string; name: string };
}

export const BlockService = formDialog(({ service }) => `Block ${service.name}?`, Block);

function Block({ agentId, service: { id, name }, onDone }: BlockProps & Done) {
  const agent = useAgentName(agentId);
  const params = { agentId };
  const policy = useOwner('getPolicy', { params });
  const block = useCommand(async (others: string[]) => {
    await ask('setPolicy', { params, body: { allowedServices: others } });
    await reread('getPolicy');
    notifyDone(`${agent} can no longer pay ${name}.`);
    onDone();
  });
  const pause = useCommand(async () => {
    await ask('kill', { params });
    notifyDone(`${agent} is paused.`);
    onDone();
  });
  const blockForAll = useCommand(async () => {
    await ask('setServiceRule', { params: { serviceId: id }, body: { blocked: true } });
    notifyDone(`No agent can pay ${name} now.`);
    onDone();
  });
  if (policy.data === undefined) return <QueryState of={policy} />;
  const blocking = blockingOf(policy.data.policy.allowedServices, id);
  return (
    <Stack gap="md">
      <Text>{meaningOf(blocking, { agentId, agent, name })}</Text>
      {blocking.kind !== 'blocked' && (
        <Text c="dimmed">
          If you block it for all agents, none can pay it, whatever its policy says, until you unblock it on
          its page.
        </Text>
      )}
      <ErrorNote error={block.error ?? pause.error ?? blockForAll.error} notDone="Nothing was changed." />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone} data-autofocus>
          {blocking.kind === 'blocked' ? 'Close' : 'Cancel'}
        </Button>
        {blocking.kind !== 'blocked' && (
          <Button
            color="red"
            variant="outline"
            loading={blockForAll.isBusy}
            onClick={() => void blockForAll.run()}
          >
            Block for all agents
          </Button>
        )}
        {blocking.kind === 'listed' && (
          <Button color="red" loading={block.isBusy} onClick={() => void block.run(blocking.others)}>
            Block it
          </Button>
        )}
        {(blocking.kind === 'every' || blocking.kind === 'only') && (
          <Button color="red" loading={pause.isBusy} onClick={() => void pause.run()}>
            Pause {agent}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

interface Names {
  agentId: string;
  agent: string;
  name: string;
}

const meaningOf = ({ kind }: Blocking, { agentId, agent, name }: Names): ReactNode => {
  switch (kind) {
    case 'blocked':
      return `${name} is not among the services that ${agent} can pay.`;
    case 'listed':
      return `${name} is taken off the list of services that ${agent} can pay. Other agents are not affected.`;
    case 'only':
      return `${name} is the only service that ${agent} can pay. Pause the agent instead: an empty list would allow every service.`;
    case 'every':
      return (
        <>
          {agent} can pay every service. To block one,{' '}
          <Anchor component={Link} href={pathOfAgent(agentId)} inherit underline="always">
            list the services that it can pay
          </Anchor>
          , or pause the agent.
        </>
      );
  }
};
