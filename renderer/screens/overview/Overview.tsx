// The whole treasury at a glance. Before the first agent, it shows how to create one.
import { Anchor, Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { Link, Redirect } from 'wouter';
import { Loading, Screen } from '../../shared/ui/Screen.tsx';
import { useWelcomeSkipped } from '../../shared/welcome-skipped.ts';
import { useOwner } from '../../stores/queries.ts';
import { type AgentSummary, useTreasury } from '../../stores/treasury.ts';
import { Figures } from './Figures.tsx';
import { RecentActivity, useRecent } from './RecentActivity.tsx';
import { ForYou } from './ForYou.tsx';
import { SpendingPanels, useSpendingAhead } from './SpendingPanels.tsx';
import { chunk } from '../../shared/chunk.tsx';
import { IconRobot } from '@tabler/icons-react';
import { EmptyState } from '../../shared/ui/EmptyState.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { AgentName } from '../../shared/ui/AgentName.tsx';
import { BudgetGauge } from '../../shared/ui/Gauge.tsx';
import { shareOf } from '../../shared/share.ts';
import { whenOf } from '../../shared/time.ts';

const Unpayable = chunk(() => import('./Unpayable.tsx'), { what: 'What you could not buy', waiting: null });

export const Overview = () => {
  const snapshot = useTreasury((state) => state.snapshot);
  const [wasSkipped] = useWelcomeSkipped();
  const sellers = useOwner('unpayableSellers').data?.sellers ?? [];
  if (snapshot === null) return null;
  if (snapshot.agents.length === 0 && snapshot.recentActivity.length === 0 && !wasSkipped)
    return <Redirect to="/welcome" replace />;
  return (
    <Screen title="Overview">
      <Figures snapshot={snapshot} />
      <ForYou snapshot={snapshot} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        {snapshot.agents.length === 0 ? <NoAgents /> : <Budgets agents={snapshot.agents} />}
        <RecentActivity />
      </SimpleGrid>
      <Stack gap="lg">
        <SpendingPanels />
        {sellers.length > 0 && <Unpayable sellers={sellers} />}
      </Stack>
    </Screen>
  );
};

/** While the snapshot is on its way, the lists are asked for meanwhile. */
export const Ahead = () => {
  useRecent();
  useSpendingAhead();
  return <Loading />;
};

/** Replaces the budgets while there are no agents. */
const NoAgents = () => (
  <Panel title="Budgets">
    <EmptyState
      icon={<IconRobot size={32} />}
      title="No agents"
      action={
        <Button component={Link} href="/welcome">
          Create your first agent
        </Button>
      }
    >
      It takes less than a minute.
    </EmptyState>
  </Panel>
);

const mostShown = 6;

const shareSpent = ({ spentToday, inForce }: AgentSummary): number =>
  shareOf(spentToday, inForce.dailyBudget);

/** Each agent's use of its budget, the highest first. */
const Budgets = ({ agents }: { agents: readonly AgentSummary[] }) => {
  const shown = [...agents].toSorted((a, b) => shareSpent(b) - shareSpent(a)).slice(0, mostShown);
  return (
    <Panel
      title="Budgets"
      note="Last 24 hours"
      actions={
        <Anchor component={Link} href="/agents" size="sm">
          {agents.length > mostShown ? `All ${agents.length} agents` : 'All agents'}
        </Anchor>
      }
    >
      <Stack gap="md">
        {shown.map((agent) => (
          <Stack key={agent.agentId} gap={4}>
            <AgentName agentId={agent.agentId} />
            <BudgetGauge spent={agent.spentToday} budget={agent.inForce} of={agent.displayName} />
            {agent.budgetEndsAt !== null && (
              <Text size="xs">Runs out around {whenOf(agent.budgetEndsAt)} at this rate.</Text>
            )}
          </Stack>
        ))}
      </Stack>
    </Panel>
  );
};
