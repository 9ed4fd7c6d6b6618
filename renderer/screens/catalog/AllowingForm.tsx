// Shows what allowing a service means for one agent, and asks for confirmation. It never starts a list, which would
// exclude all other services, without saying so.
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ask } from '../../api/owner.ts';
import { useAgentName } from '../../shared/agent-names.ts';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { counted } from '../../shared/format.ts';
import { Notice } from '../../shared/Notice.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { Loading } from '../../shared/Screen.tsx';
import { useCommand } from '../../shared/use-command.ts';
import { queries, useOwner } from '../../stores/queries.ts';
import { allowingOf, isSameList, type Allowing } from './allowing.ts';
import type { Service } from './use-catalog.ts';

interface AllowingFormProps {
  agentId: string;
  service: Pick<Service, 'id' | 'name'>;
  onDone: () => void;
}

const reread = (): Promise<void> => queries.invalidateQueries({ queryKey: ['getPolicy'] });

export const AllowingForm = ({ agentId, service: { id, name }, onDone }: AllowingFormProps) => {
  const params = { agentId };
  const agent = useAgentName(agentId);
  const { data, error, refetch } = useOwner('getPolicy', { params });
  const allow = useCommand(async (shown: readonly string[]) => {
    const { policy } = await ask('getPolicy', { params });
    if (!isSameList(policy.allowedServices, shown)) {
      await reread();
      throw new Error('The agent’s list changed meanwhile. Look again at what this means now.');
    }
    await ask('setPolicy', { params, body: { allowedServices: [...shown, id] } });
    await reread();
    notifyDone(`${agent} can now pay ${name}.`);
    onDone();
  });
  if (data === undefined)
    return error === null ? <Loading /> : <ErrorNote error={error} onRetry={() => void refetch()} />;
  const { allowedServices } = data.policy;
  const allowing = allowingOf(allowedServices, id);
  return (
    <Stack gap="md">
      <Meaning allowing={allowing} name={name} />
      <ErrorNote error={allow.error} notDone="Nothing was changed." />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          {allowing.kind === 'adds' ? 'Cancel' : 'Leave it as it is'}
        </Button>
        {allowing.kind !== 'listed' && (
          <Button
            color={allowing.kind === 'every' ? 'red' : 'teal'}
            loading={allow.isBusy}
            onClick={() => void allow.run(allowedServices)}
          >
            {allowing.kind === 'every' ? 'Restrict it to this one' : 'Allow'}
          </Button>
        )}
      </Group>
    </Stack>
  );
};

const Meaning = ({ allowing, name }: { allowing: Allowing; name: string }): ReactNode => {
  switch (allowing.kind) {
    case 'every':
      return (
        <Notice
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title="It may pay every service already"
        >
          Its list of services is empty, which allows all of them, {name} too. If you put {name} on the list,
          it may pay nothing else any more.
        </Notice>
      );
    case 'listed':
      return <Text size="sm">{name} is on its list already: it may pay it.</Text>;
    case 'adds':
      return (
        <Text size="sm">
          It may pay {counted(allowing.others, 'service')} now, and then {name} too. Its budget and its other
          limits stay as they are.
        </Text>
      );
  }
};
