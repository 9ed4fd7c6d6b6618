// Archived agents that hold USDC, from a refund or a late transfer, which the owner can take back.
import { Button, Group, Text } from '@mantine/core';
import { ask } from '../../api/owner.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useChange } from '../../shared/hooks/use-command.ts';
import { useTransferKey } from '../../shared/hooks/use-transfer-key.ts';
import { useOwner } from '../../stores/queries.ts';
import { holdsMoney, type ListedAgent } from './archived.ts';

export const ArchivedFunds = () => {
  const held = (useOwner('listAgents').data?.agents ?? []).filter(holdsMoney);
  if (held.length === 0) return null;
  return (
    <Panel title="Archived agents that hold USDC" note="It came in after the agent was archived.">
      {held.map((agent) => (
        <Held key={agent.agentId} agent={agent} />
      ))}
    </Panel>
  );
};

const Held = ({ agent: { agentId, displayName, balance } }: { agent: ListedAgent }) => {
  const { carryOut } = useTransferKey();
  const recall = useChange(['listAgents'], () =>
    carryOut(async (key) => {
      await ask('recall', { params: { agentId }, body: { amount: balance }, key });
      notifyDone(`${balance} USDC of ${displayName} is on its way back to the treasury.`);
    }),
  );
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Text className="break-anywhere" size="md">
          {displayName} holds <Amount whole value={balance} />
        </Text>
        <Button
          size="xs"
          variant="default"
          loading={recall.isBusy}
          onClick={() => void recall.run()}
          aria-label={`Take back ${balance} USDC from ${displayName}`}
        >
          Take back
        </Button>
      </Group>
      <ErrorNote error={recall.error} />
    </>
  );
};
