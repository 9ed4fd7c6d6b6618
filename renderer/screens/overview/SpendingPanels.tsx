// Spending of the last 30 days: by day, by agent, by service.
import { SimpleGrid, Skeleton, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Amount } from '../../shared/Amount.tsx';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Trouble } from '../../shared/Trouble.tsx';
import { useOwner } from '../../stores/queries.ts';
import { Ranking } from './Ranking.tsx';
import { SpendingTable } from './SpendingTable.tsx';
import { daysOf, seriesOf, sum, type Spending } from './spending-data.ts';

const SpendingChart = lazy(() => import('./SpendingChart.tsx'));
const days = 30;

export const SpendingPanels = () => {
  const { data, error, refetch } = useOwner('spending', { query: { days: String(days) } });
  return (
    <>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data === undefined ? error === null && <Skeleton h={320} radius="md" /> : <Panels spending={data} />}
    </>
  );
};

const Panels = ({ spending }: { spending: Spending }) => (
  <>
    <ByDay spending={spending} />
    {spending.agents.length > 0 && <ByWhom spending={spending} />}
  </>
);

const ByWhom = ({ spending: { agents, services } }: { spending: Spending }) => (
  <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
    <Panel title="By agent" note="Last 30 days">
      <Ranking
        what="Agent"
        color="teal"
        rows={agents.map((row) => ({ ...row, id: row.agentId, name: row.agentId }))}
      />
    </Panel>
    <Panel title="By service" note="Last 30 days">
      <Ranking
        what="Service"
        color="blue"
        rows={services.map((row) => ({ ...row, id: row.serviceId, name: row.service }))}
      />
    </Panel>
  </SimpleGrid>
);

const ByDay = ({ spending }: { spending: Spending }) => {
  const byDay = daysOf(spending, days, Date.now());
  const total = sum(byDay.map((day) => day.total));
  return (
    <Panel
      title="Spent by day"
      note={
        <>
          <Amount value={total} /> in 30 days, by days in UTC
        </>
      }
    >
      {spending.agents.length === 0 ? (
        <Text size="sm" c="dimmed" py="xl" ta="center">
          Nothing was spent in the last 30 days. The first payment of an agent draws the first bar.
        </Text>
      ) : (
        <>
          <Trouble what="The chart">
            <div aria-hidden>
              <Suspense fallback={<Skeleton h={240} />}>
                <SpendingChart days={byDay} series={seriesOf(spending)} />
              </Suspense>
            </div>
          </Trouble>
          <SpendingTable days={byDay} />
        </>
      )}
    </Panel>
  );
};
