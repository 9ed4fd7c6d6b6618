// All agents, with their kill switches: searched, by tag, sorted, and several changed at once.
import { Button, Group, Menu, SimpleGrid, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconChecklist, IconFolderPlus, IconPlus, IconRobot } from '@tabler/icons-react';
import { useState } from 'react';
import { EmptyState } from '../../shared/ui/EmptyState.tsx';
import { Screen } from '../../shared/ui/Screen.tsx';
import { useAgents, type AgentSummary } from '../../stores/treasury.ts';
import { NewGroup } from './groups/NewGroup.tsx';
import { AgentCard } from './AgentCard.tsx';
import { MoreMenu } from './nodes/NodeActions.tsx';
import { AgentTable } from './AgentTable.tsx';
import { AgentFilters } from './AgentFilters.tsx';
import { agentOrders, listedAgents, type AgentOrder } from './agent-order.ts';
import { BulkBar } from './BulkBar.tsx';
import { GroupedAgents } from './GroupedAgents.tsx';
import { AgentDialog } from './AgentDialog.tsx';
import { NewAgentForm } from './new/NewAgentForm.tsx';
import { ask } from '../../api/owner.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useChange } from '../../shared/hooks/use-command.ts';
import { useTransferKey } from '../../shared/hooks/use-transfer-key.ts';
import { useOwner } from '../../stores/queries.ts';
import { holdsMoney, type ListedAgent } from './archived.ts';

/** With more agents than this, they are rows of a table instead of cards. */
const few = 20;

/** The owner's order; until the owner chooses one, those in trouble are first among many. */
const useOrder = (count: number) => {
  const [chosen, choose] = useLocalStorage<AgentOrder | null>({
    // The former one was kept also where nobody had chosen it.
    key: 'agents-by',
    defaultValue: null,
    getInitialValueInEffect: false,
    deserialize: (text) => (text !== undefined && text in agentOrders ? (text as AgentOrder) : null),
    serialize: (order) => order ?? '',
  });
  return [chosen ?? (count > few ? 'trouble' : 'created'), choose] as const;
};

export default function Agents() {
  const agents = useAgents();
  const [dialog, setDialog] = useState<'agent' | 'group' | null>(null);
  const close = (): void => setDialog(null);
  /** Null: the cards have no boxes. */
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const create = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setDialog('agent')}>
      New agent
    </Button>
  );
  return (
    <Screen
      title="Agents"
      actions={
        agents.length > 0 && (
          <>
            {create}
            {agents.length > 1 && (
              <MoreMenu of="agents">
                <Menu.Item
                  leftSection={<IconFolderPlus size={16} aria-hidden />}
                  onClick={() => setDialog('group')}
                >
                  New group
                </Menu.Item>
                <Menu.Item
                  leftSection={<IconChecklist size={16} aria-hidden />}
                  onClick={() => setChosen(new Set())}
                >
                  Select
                </Menu.Item>
              </MoreMenu>
            )}
          </>
        )
      }
    >
      <AgentDialog
        title="New agent"
        opened={dialog === 'agent'}
        onClose={close}
        form={(onCreated) => <NewAgentForm onCreated={onCreated} />}
      />
      <NewGroup opened={dialog === 'group'} onClose={close} />
      {agents.length === 0 ? (
        <EmptyState icon={<IconRobot size={40} />} title="You have no agents yet" action={create}>
          Each agent gets its own wallet, budget and key. It pays within its budget; you see everything and
          can stop it with one click.
        </EmptyState>
      ) : (
        <AgentList agents={agents} chosen={chosen} onChosen={setChosen} />
      )}
      <ArchivedFunds />
    </Screen>
  );
}

interface AgentListProps {
  agents: readonly AgentSummary[];
  chosen: ReadonlySet<string> | null;
  onChosen: (chosen: ReadonlySet<string> | null) => void;
}

const AgentList = ({ agents, chosen, onChosen }: AgentListProps) => {
  const [text, setText] = useState('');
  const [tag, setTag] = useState<string | null>(null);
  const [order, setOrder] = useOrder(agents.length);
  const [isReversed, setReversed] = useState(false);
  const shown = listedAgents(agents, { text, tag, order, isReversed });
  const sort = (next: AgentOrder): void => {
    setReversed(next === order && !isReversed);
    setOrder(next);
  };
  const choose = (agentId: string, isChosen: boolean): void => {
    const others = [...(chosen ?? [])].filter((id) => id !== agentId);
    onChosen(new Set(isChosen ? [...others, agentId] : others));
  };
  return (
    <>
      {agents.length > 1 && (
        <AgentFilters {...{ agents, shown, text, setText, tag, setTag, order, setOrder: sort }} />
      )}
      {chosen !== null && (
        <BulkBar
          agents={agents.filter(({ agentId }) => chosen.has(agentId))}
          onAll={() => onChosen(new Set(shown.map(({ agentId }) => agentId)))}
          onDone={() => onChosen(null)}
        />
      )}
      {shown.length === 0 ? (
        <Text c="dimmed" role="status" size="md">
          No agent has that name, ID or tag.
        </Text>
      ) : (
        <GroupedAgents
          shown={shown}
          isWhole={shown.length === agents.length}
          isChoosing={chosen !== null}
          list={(some, label) =>
            agents.length > few ? (
              <AgentTable
                agents={some}
                label={label}
                chosen={chosen}
                onChoose={choose}
                {...{ order, isReversed, onSort: sort }}
              />
            ) : (
              <SimpleGrid
                component="ul"
                type="container"
                cols={{ base: 1, '540px': 2, '820px': 3 }}
                m={0}
                p={0}
                aria-label={label}
              >
                {some.map((agent) => (
                  <AgentCard
                    key={agent.agentId}
                    agent={agent}
                    isChosen={chosen?.has(agent.agentId) ?? null}
                    onChoose={(isChosen) => choose(agent.agentId, isChosen)}
                  />
                ))}
              </SimpleGrid>
            )
          }
        />
      )}
    </>
  );
};

/** Archived agents that hold USDC, from a refund or a late transfer, which the owner can take back. */
const ArchivedFunds = () => {
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
