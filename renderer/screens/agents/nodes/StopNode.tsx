// Stops an agent, or all agents of a group, at once and without confirmation. Resuming is as quick.
import { Button, type ButtonProps } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { ask } from '../../../api/owner.ts';
import { useAgentName } from '../../../shared/agent-names.ts';
import { listed } from '../../../../server/contract/listed.ts';
import { counted } from '../../../shared/format.ts';
import { notifyDone, notifyFailure } from '../../../shared/notify.ts';
import { notifyStopped } from '../../../shared/notify-stopped.tsx';
import { useChange, useCommand } from '../../../shared/hooks/use-command.ts';
import type { Work } from '../../../shared/hooks/use-work.ts';
import type { AgentSummary } from '../../../stores/treasury.ts';
import { useMembers, type AgentGroup } from '../groups/use-groups.ts';

const looks = {
  Pause: { icon: IconPlayerPause, variant: 'default' },
  Stop: { icon: IconPlayerStop, variant: 'outline', color: 'red' },
  Resume: { icon: IconPlayerPlay, variant: 'default' },
} as const;

interface StopNodeProps extends ButtonProps {
  does: keyof typeof looks;
  /** `the group Research`, for screen readers. */
  of: string;
  work: Work<[], unknown>;
  title?: string | undefined;
}

const StopNode = ({ does, of, work, ...button }: StopNodeProps) => {
  const { icon: Icon, ...look } = looks[does];
  return (
    <Button
      {...look}
      leftSection={<Icon size={16} aria-hidden />}
      loading={work.isBusy}
      onClick={() => void work.run()}
      aria-label={`${does} ${of}`}
      {...button}
    >
      {does}
    </Button>
  );
};

interface PauseAgentProps extends ButtonProps {
  agent: Pick<AgentSummary, 'agentId' | 'status'>;
}

export const PauseAgent = ({ agent: { agentId, status }, ...button }: PauseAgentProps) => {
  const params = { agentId };
  const name = useAgentName(agentId);
  const resume = useCommand(() => ask('resume', { params }).catch(notifyFailure(`${name} stays paused`)));
  const kill = useCommand(() =>
    ask('kill', { params }).then(
      ({ ended }) => notifyStopped({ did: `${name} is paused.`, ended, resume: resume.run }),
      notifyFailure(`${name} was not paused`),
    ),
  );
  const isPaused = status === 'suspended';
  return (
    <StopNode does={isPaused ? 'Resume' : 'Pause'} of={name} work={isPaused ? resume : kill} {...button} />
  );
};

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
  const members = useMembers(group);
  const paying = members.filter(({ status }) => status === 'active').map((one) => one.displayName);
  const params = { groupId };
  const resume = useChange(['listGroups'], () =>
    ask('resumeGroup', { params }).then(
      () => notifyDone(`${name} is resumed. Agents that you paused one by one stay paused.`),
      notifyFailure(`${name} stays stopped`),
    ),
  );
  const did =
    paying.length === 0
      ? `${name} is stopped. None of its agents was paying.`
      : `${name} is stopped: ${someOf(paying)} ${paying.length === 1 ? 'pays' : 'pay'} nothing now.`;
  const stop = useChange(['listGroups'], () =>
    ask('stopGroup', { params }).then(
      ({ ended }) => notifyStopped({ did, ended, resume: resume.run }),
      notifyFailure(`${name} was not stopped`),
    ),
  );
  const of = `the group ${name}`;
  // An agent that was resumed by itself is stopped again first.
  if (stoppedAt !== null && paying.length === 0)
    return <StopNode does="Resume" of={of} work={resume} {...button} />;
  return (
    <StopNode
      does="Stop"
      of={of}
      work={stop}
      disabled={members.length === 0}
      title={members.length === 0 ? 'It has no agents' : `Pauses ${counted(members.length, 'agent')} at once`}
      {...button}
    />
  );
};
