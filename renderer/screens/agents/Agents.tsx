// All agents, with their kill switches.
import { Button, SimpleGrid, Text, TextInput } from '@mantine/core';
import { IconPlus, IconRobot, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { EmptyState } from '../../shared/EmptyState.tsx';
import { Screen } from '../../shared/Screen.tsx';
import { useTreasury, type AgentSummary } from '../../stores/treasury.ts';
import { AgentCard } from './AgentCard.tsx';
import { ArchivedFunds } from './ArchivedFunds.tsx';
import { NewAgent } from './NewAgent.tsx';

/** With this many agents, a search field is shown. */
const many = 7;

const matches = ({ agentId, displayName }: AgentSummary, text: string): boolean =>
  `${agentId}\n${displayName}`.toLowerCase().includes(text.trim().toLowerCase());

export default function Agents() {
  const agents = useTreasury(({ snapshot }) => snapshot?.agents) ?? [];
  const [search, setSearch] = useState('');
  const [isCreating, setCreating] = useState(false);
  const shown = agents.filter((agent) => matches(agent, search));
  const create = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
      New agent
    </Button>
  );
  return (
    <Screen title="Agents" actions={agents.length > 0 && create}>
      <NewAgent opened={isCreating} onClose={() => setCreating(false)} />
      {agents.length >= many && (
        <TextInput
          type="search"
          aria-label="Search agents"
          placeholder="Search by name or ID"
          leftSection={<IconSearch size={16} aria-hidden />}
          maw={360}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {agents.length === 0 ? (
        <EmptyState icon={<IconRobot size={40} />} title="You have no agents yet" action={create}>
          Each agent gets its own wallet, budget and key. It pays within its budget; you see everything and
          can stop it with one click.
        </EmptyState>
      ) : shown.length === 0 ? (
        <Text c="dimmed" role="status">
          No agent has that name or ID.
        </Text>
      ) : (
        <SimpleGrid component="ul" cols={{ base: 1, xs: 2, md: 3 }} m={0} p={0} aria-label="Agents">
          {shown.map((agent) => (
            <AgentCard key={agent.agentId} agent={agent} />
          ))}
        </SimpleGrid>
      )}
      <ArchivedFunds />
    </Screen>
  );
}
