// One button for each change with which the agent's next try succeeds.
import { Button, Group, Text } from '@mantine/core';
import { labelOf } from '../../../server/contract/refusals/remedy.ts';
import type { Remedy } from '../../../server/contract/refusals/remedy.ts';
import { changeOf } from '../../../server/contract/refusals/remedy-changes.ts';
import { ask } from '../../api/owner.ts';
import { confirmRaises } from '../../shared/ui/confirm-raises.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { wrapping } from '../../shared/wrapping.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { outdateAll } from '../../stores/queries.ts';

interface RemediesProps {
  refused: { agentId: string; transferId: string };
  agentName: string;
  remedies: readonly Remedy[];
}

export const Remedies = ({ refused, agentName, remedies }: RemediesProps) => {
  const change = useCommand(async (run: () => Promise<unknown>) => {
    await run();
    outdateAll();
    notifyDone(`Done. ${agentName} can try again now.`);
  });
  const begin = useCommand(async (remedy: Remedy) => {
    const found = await changeOf({ ask }, refused, remedy);
    if (found === null) return notifyDone(`Nothing to change. ${agentName} can try again now.`);
    confirmRaises(found.raise === null ? [] : [found.raise], () => void change.run(found.run));
  });
  if (remedies.length === 0) return null;
  return (
    <>
      <Group gap="xs" mt="sm">
        {remedies.map((remedy) => (
          <Button
            key={remedy.kind}
            size="xs"
            {...wrapping}
            loading={begin.isBusy || change.isBusy}
            onClick={() => void begin.run(remedy)}
          >
            {labelOf(remedy)}
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
