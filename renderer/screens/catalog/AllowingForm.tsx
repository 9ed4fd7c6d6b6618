// Adds a service to the list of an agent that has one. It never starts a list, which would exclude all other services.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ask } from '../../api/owner.ts';
import { pathOfAgent, useAgentName } from '../../shared/agent-names.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { QueryState } from '../../shared/ui/Screen.tsx';
import { counted } from '../../shared/format.ts';
import { notifyDone } from '../../shared/notify.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { useOwner, reread } from '../../stores/queries.ts';
import { allowingOf, isSameList, type Allowing } from './allowing.ts';
import type { Service } from './use-catalog.ts';

interface AllowingFormProps {
  agentId: string;
  service: Pick<Service, 'id' | 'name'>;
  onDone: () => void;
}

export const AllowingForm = ({ agentId, service: { id, name }, onDone }: AllowingFormProps) => {
  const params = { agentId };
  const agent = useAgentName(agentId);
  const read = useOwner('getPolicy', { params });
  const allow = useCommand(async (shown: readonly string[]) => {
    const { policy } = await ask('getPolicy', { params });
    if (!isSameList(policy.allowedServices, shown)) {
      await reread('getPolicy');
      throw new Error('The agent’s list has changed meanwhile. Check again before you allow it.');
    }
    await ask('setPolicy', { params, body: { allowedServices: [...shown, id] } });
    await reread('getPolicy');
    notifyDone(`${agent} can now pay ${name}.`);
    onDone();
  });
  if (read.data === undefined) return <QueryState of={read} />;
  const { allowedServices } = read.data.policy;
  const allowing = allowingOf(allowedServices, id);
  return (
    <Stack gap="md">
      <Meaning allowing={allowing} agentId={agentId} agent={agent} name={name} />
      <ErrorNote error={allow.error} notDone="Nothing was changed." />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          {allowing.kind === 'adds' ? 'Cancel' : 'Close'}
        </Button>
        {allowing.kind === 'adds' && (
          <Button loading={allow.isBusy} onClick={() => void allow.run(allowedServices)}>
            Allow
          </Button>
        )}
      </Group>
    </Stack>
  );
};

interface MeaningProps {
  allowing: Allowing;
  agentId: string;
  agent: string;
  name: string;
}

const Meaning = ({ allowing, agentId, agent, name }: MeaningProps): ReactNode => {
  switch (allowing.kind) {
    case 'every':
      return (
        <Text>
          Already allowed: {agent} can pay every service. To limit it to certain services,{' '}
          <Anchor component={Link} href={pathOfAgent(agentId)} inherit underline="always">
            list them in its policy
          </Anchor>
          .
        </Text>
      );
    case 'listed':
      return (
        <Text>
          Already allowed: {name} is on the list of services that {agent} can pay.
        </Text>
      );
    case 'adds':
      return (
        <Text>
          {agent} can pay {counted(allowing.others, 'service')} now. {name} will be added. Its budget and its
          other limits don’t change.
        </Text>
      );
  }
};
