// One agent's kill switch: pauses at once, without confirmation. Resuming is as quick, within the agent's policy.
import { Button, type ButtonProps } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { ask } from '../../api/owner.ts';
import { useAgentName } from '../../shared/agent-names.ts';
import { notifyFailure } from '../../shared/notify.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import type { AgentSummary } from '../../stores/treasury.ts';

interface PauseButtonProps extends ButtonProps {
  agent: Pick<AgentSummary, 'agentId' | 'status'>;
}

export const PauseButton = ({ agent: { agentId, status }, ...button }: PauseButtonProps) => {
  const params = { agentId };
  const name = useAgentName(agentId);
  const kill = useCommand(() => ask('kill', { params }).catch(notifyFailure(`${name} was not paused`)));
  const resume = useCommand(() => ask('resume', { params }).catch(notifyFailure(`${name} stays paused`)));
  if (status === 'suspended')
    return (
      <Button
        variant="default"
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={resume.isBusy}
        onClick={() => void resume.run()}
        aria-label={`Resume ${name}`}
        {...button}
      >
        Resume
      </Button>
    );
  return (
    <Button
      variant="outline"
      color="red"
      leftSection={<IconPlayerPause size={16} aria-hidden />}
      loading={kill.isBusy}
      onClick={() => void kill.run()}
      aria-label={`Pause ${name}`}
      {...button}
    >
      Pause
    </Button>
  );
};
