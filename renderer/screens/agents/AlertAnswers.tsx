// The owner's answers to what the watch saw of an agent, where it is reported.
import { Anchor, Button, Group } from '@mantine/core';
import { Link } from 'wouter';
import { ask } from '../../api/owner.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { useTreasury } from '../../stores/treasury.ts';
import { notifyDone, notifyFailure } from '../../shared/notify.ts';
import { PauseAgent } from './nodes/StopNode.tsx';
import { useAlertAnswers } from './use-alert-answers.ts';

interface AlertAnswersProps {
  agentId: string;
  /** Undefined: that which makes the agent ask. */
  tripId: string | undefined;
}

export default function AlertAnswers({ agentId, tripId }: AlertAnswersProps) {
  const { normal, usual } = useAlertAnswers(agentId);
  const isAsking = useTreasury(
    ({ snapshot }) => snapshot?.agents.some((one) => one.agentId === agentId && one.asking !== null) === true,
  );
  const askFromNow = useCommand(() =>
    ask('setWatch', { params: { agentId }, body: { mode: 'ask' } }).then(
      () => notifyDone('After the next alert, its payments wait for you.'),
      notifyFailure('The watch was not changed'),
    ),
  );
  return (
    <Group gap="xs" mt="xs">
      <Button size="xs" variant="default" loading={normal.isBusy} onClick={() => void normal.run(tripId)}>
        This is normal (30 days)
      </Button>
      {isAsking ? (
        <Button size="xs" variant="default" loading={usual.isBusy} onClick={() => void usual.run()}>
          Back to usual
        </Button>
      ) : (
        <Button size="xs" variant="default" loading={askFromNow.isBusy} onClick={() => void askFromNow.run()}>
          Ask me from now on
        </Button>
      )}
      <PauseAgent agent={{ agentId, status: 'active' }} size="xs" />
      <Anchor component={Link} href={`/agents/${encodeURIComponent(agentId)}`}>
        See why
      </Anchor>
    </Group>
  );
}
