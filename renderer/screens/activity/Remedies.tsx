// One button for each change with which the agent's next try succeeds.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { labelOf, type Remedy } from '../../../server/contract/refusals/remedy.ts';
import { changeOf } from '../../../server/contract/refusals/remedy-changes.ts';
import { ask } from '../../api/owner.ts';
import { confirmRaises } from '../../shared/ui/confirm-raises.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { BoostLine } from '../../shared/ui/Gauge.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { wrapping } from '../../shared/wrapping.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { outdateAll } from '../../stores/queries.ts';
import { useTreasury } from '../../stores/treasury.ts';

interface RemediesProps {
  refused: { agentId: string; transferId: string };
  agentName: string;
  remedies: readonly Remedy[];
}

export const Remedies = ({ refused, agentName, remedies }: RemediesProps) => {
  const agent = useTreasury(({ snapshot }) =>
    snapshot?.agents.find(({ agentId }) => agentId === refused.agentId),
  );
  const isFrozen = useTreasury(({ snapshot }) => snapshot?.frozen === true);
  const isStopped = agent?.status === 'suspended';
  // An agent that the treasury or the watch stopped is resumed on its page alone, which shows the reason.
  const isPaused = isStopped && agent.statusReason === null;
  const [done, setDone] = useState<Remedy | null>(null);
  const when = isFrozen ? 'once you unfreeze' : isStopped && !isPaused ? 'once you resume it' : 'now';
  const next = `${agentName} can try again ${when}.`;
  const change = useCommand(async (remedy: Remedy, run: () => Promise<unknown>) => {
    await run();
    outdateAll();
    setDone(remedy);
    notifyDone(`Done. ${next}`);
  });
  const begin = useCommand(async (remedy: Remedy) => {
    const found = await changeOf({ ask }, refused, remedy, isPaused);
    if (found === null) return notifyDone(`Nothing to change. ${next}`);
    confirmRaises(found.raise === null ? [] : [found.raise], () => void change.run(remedy, found.run));
  });
  if (remedies.length === 0) return null;
  if (done !== null)
    return (
      <Stack gap={4} mt="sm">
        <Text fw={600} c="var(--mantine-color-text)">
          Done: {labelOf(done)}.
        </Text>
        {agent !== undefined && <BoostLine boost={agent.inForce.boost} mayEnd />}
        <Text size="xs" c="var(--mantine-color-text)">
          This payment stays refused. {next}
        </Text>
      </Stack>
    );
  return (
    <>
      <Group gap="xs" mt="sm">
        {remedies.map((remedy) => (
          <Button
            key={remedy.kind}
            size="xs"
            variant="default"
            {...wrapping}
            loading={begin.isBusy || change.isBusy}
            onClick={() => void begin.run(remedy)}
          >
            {labelOf(remedy, isPaused)}
          </Button>
        ))}
      </Group>
      <Text size="xs" mt={4} c="var(--mantine-color-text)">
        This payment stays refused. {agentName} has to ask for it again.
      </Text>
      <ErrorNote error={begin.error ?? change.error} notDone="Nothing was changed." />
    </>
  );
};
