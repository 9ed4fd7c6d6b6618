// All agents, with their kill switches: searched, by tag, sorted, and several changed at once.
import { Button, SimpleGrid, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconChecklist, IconPlus, IconRobot } from '@tabler/icons-react';
import { useState } from 'react';
import { EmptyState } from '../../shared/EmptyState.tsx';
import { Screen } from '../../shared/Screen.tsx';
import { useTreasury, type AgentSummary } from '../../stores/treasury.ts';
import { AgentCard } from './AgentCard.tsx';
import { AgentFilters } from './AgentFilters.tsx';
import { agentOrders, listedAgents, type AgentOrder } from './agent-order.ts';
import { ArchivedFunds } from './ArchivedFunds.tsx';
import { BulkBar } from './BulkBar.tsx';
import { NewAgent } from './NewAgent.tsx';

const none: readonly AgentSummary[] = [];

const useOrder = () =>
  useLocalStorage<AgentOrder>({
    key: 'agent-order',
    defaultValue: 'created',
    getInitialValueInEffect: false,
    deserialize: (text) => (text !== undefined && text in agentOrders ? (text as AgentOrder) : 'created'),
    serialize: (order) => order,
  });

export default function Agents() {
  const agents = useTreasury(({ snapshot }) => snapshot?.agents) ?? none;
  const [isCreating, setCreating] = useState(false);
  /** Null: the cards have no boxes. */
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const create = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
      New agent
    </Button>
  );
  const select = agents.length > 1 && (
    <Button
      variant="default"
      leftSection={<IconChecklist size={18} aria-hidden />}
      aria-pressed={chosen !== null}
      onClick={() => setChosen(chosen === null ? new Set() : null)}
    >
      Select
    </Button>
  );
  return (
    <Screen
      title="Agents"
      actions={
        agents.length > 0 && (
          <>
            {select}
            {create}
          </>
        )
      }
    >
      <NewAgent opened={isCreating} onClose={() => setCreating(false)} />
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
  const [order, setOrder] = useOrder();
  const shown = listedAgents(agents, { text, tag, order });
  const choose = (agentId: string, isChosen: boolean): void => {
    const others = [...(chosen ?? [])].filter((id) => id !== agentId);
    onChosen(new Set(isChosen ? [...others, agentId] : others));
  };
  return (
    <>
      {agents.length > 1 && (
        <AgentFilters agents={agents} {...{ text, setText, tag, setTag, order, setOrder }} />
      )}
      {chosen !== null && (
        <BulkBar
          agents={agents.filter(({ agentId }) => chosen.has(agentId))}
          onAll={() => onChosen(new Set(shown.map(({ agentId }) => agentId)))}
          onDone={() => onChosen(null)}
        />
      )}
      {shown.length === 0 ? (
        <Text c="dimmed" role="status">
          No agent has that name, ID or tag.
        </Text>
      ) : (
        <SimpleGrid component="ul" cols={{ base: 1, xs: 2, md: 3 }} m={0} p={0} aria-label="Agents">
          {shown.map((agent) => (
            <AgentCard
              key={agent.agentId}
              agent={agent}
              isChosen={chosen?.has(agent.agentId) ?? null}
              onChoose={(isChosen) => choose(agent.agentId, isChosen)}
            />
          ))}
        </SimpleGrid>
      )}
    </>
  );
};
