// The whole treasury at a glance. Before the first agent, it shows how to create one.
import { SimpleGrid, Stack, Button } from '@mantine/core';
import { Redirect, Link } from 'wouter';
import { Loading, Screen } from '../../shared/ui/Screen.tsx';
import { useWelcomeSkipped } from '../../shared/welcome-skipped.ts';
import { useOwner } from '../../stores/queries.ts';
import { useTreasury } from '../../stores/treasury.ts';
import { Budgets } from './Budgets.tsx';
import { Figures } from './Figures.tsx';
import { RecentActivity, useRecent } from './RecentActivity.tsx';
import { ForYou } from './ForYou.tsx';
import { SpendingPanels, useSpendingAhead } from './SpendingPanels.tsx';
import { chunk } from '../../shared/chunk.tsx';
import { IconRobot } from '@tabler/icons-react';
import { EmptyState } from '../../shared/ui/EmptyState.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';

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
