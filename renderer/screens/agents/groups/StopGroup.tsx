// A group's stop: pauses all its agents at once, without confirmation, and says whom it stopped. Resuming is as quick.
import { Button, type ButtonProps } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { ask } from '../../../api/owner.ts';
import { counted, listed } from '../../../shared/format.ts';
import { notifyDone, notifyFailure } from '../../../shared/notify.ts';
import { useChange } from '../../../shared/hooks/use-command.ts';
import { useMembers, type AgentGroup } from './use-groups.ts';

interface StopGroupProps extends ButtonProps {
  group: AgentGroup;
}

const mostNamed = 3;

/** `Scout, Planner and 4 others`. */
const someOf = (names: readonly string[]): string => {
  const others = names.length - mostNamed;
  return listed(others > 1 ? [...names.slice(0, mostNamed), `${others} others`] : names);
};

export const StopGroup = ({ group, ...button }: StopGroupProps) => {
  const { groupId, name, stoppedAt } = group;
  const params = { groupId };
  const members = useMembers(group);
  const run = (route: 'stopGroup' | 'resumeGroup', notDone: string, done: string) => () =>
    ask(route, { params }).then(() => notifyDone(done), notifyFailure(notDone));
  const paying = members.filter(({ status }) => status === 'active').map((one) => one.displayName);
  const stop = useChange(
    ['listGroups'],
    run(
      'stopGroup',
      `${name} was not stopped`,
      paying.length === 0
        ? `${name} is stopped. None of its agents was paying.`
        : `${name} is stopped: ${someOf(paying)} ${paying.length === 1 ? 'pays' : 'pay'} nothing now.`,
    ),
  );
  const resume = useChange(
    ['listGroups'],
    run(
      'resumeGroup',
      `${name} stays stopped`,
      `${name} is resumed. Agents that you paused alone stay paused.`,
    ),
  );
  // An agent that was resumed by itself is stopped again first.
  if (stoppedAt !== null && paying.length === 0)
    return (
      <Button
        variant="default"
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={resume.isBusy}
        onClick={() => void resume.run()}
        aria-label={`Resume the group ${name}`}
        {...button}
      >
        Resume
      </Button>
    );
  return (
    <Button
      variant="outline"
      color="red"
      leftSection={<IconPlayerStop size={16} aria-hidden />}
      loading={stop.isBusy}
      disabled={members.length === 0}
      title={members.length === 0 ? 'It has no agents' : `Pauses ${counted(members.length, 'agent')} at once`}
      onClick={() => void stop.run()}
      aria-label={`Stop the group ${name}`}
      {...button}
    >
      Stop
    </Button>
  );
};
