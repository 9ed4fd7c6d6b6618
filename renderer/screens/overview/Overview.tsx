// The whole treasury at a glance. Before the first agent, it shows how to create one.
import { SimpleGrid, Stack } from '@mantine/core';
import { Redirect } from 'wouter';
import { Screen } from '../../shared/Screen.tsx';
import { useWelcomeSkipped } from '../../shared/welcome-skipped.ts';
import { useTreasury } from '../../stores/treasury.ts';
import { Budgets } from './Budgets.tsx';
import { Figures } from './Figures.tsx';
import { NoAgents } from './NoAgents.tsx';
import { RecentActivity } from './RecentActivity.tsx';
import { Reminders } from './Reminders.tsx';
import { SpendingPanels } from './SpendingPanels.tsx';

export const Overview = () => {
  const snapshot = useTreasury((state) => state.snapshot);
  const [wasSkipped] = useWelcomeSkipped();
  if (snapshot === null) return null;
  if (snapshot.agents.length === 0 && snapshot.recentActivity.length === 0 && !wasSkipped)
    return <Redirect to="/welcome" replace />;
  return (
    <Screen title="Overview">
      <Reminders snapshot={snapshot} />
      <Figures snapshot={snapshot} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        {snapshot.agents.length === 0 ? <NoAgents /> : <Budgets agents={snapshot.agents} />}
        <RecentActivity entries={snapshot.recentActivity} />
      </SimpleGrid>
      <Stack gap="lg">
        <SpendingPanels />
      </Stack>
    </Screen>
  );
};
