// Spending by day, by agent and by service, with what is still settling.
import { SegmentedControl, SimpleGrid, Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useAgentNames } from '../../shared/agent-names.ts';
import { AgentPicture } from '../../shared/ui/AgentPicture.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { sumOf } from '../../shared/amounts.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { timeZone } from '../../shared/time.ts';
import { useSettling, type Settling } from '../../shared/hooks/use-settling.ts';
import { useOwner } from '../../stores/queries.ts';
import { useSeriesColors } from './colors.ts';
import { Ranking } from './Ranking.tsx';
import { SpendingChart } from './SpendingChart.tsx';
import {
  daysOf,
  others,
  seriesOf,
  sinceFirst,
  withSettling,
  type Spending,
  type Day,
} from './spending-data.ts';

const ranges = [7, 30, 90] as const;
const firstRange = 30;

const useSpending = (days: number) =>
  useOwner('spending', { query: { days: String(days), zone: timeZone() } });

/** Asks for what the panels will show. */
export const useSpendingAhead = (): void => {
  useSpending(firstRange);
  useSettling();
};

export const SpendingPanels = () => {
  const [days, setDays] = useState<number>(firstRange);
  const { data, error, refetch } = useSpending(days);
  const settling = useSettling();
  const range = (
    <SegmentedControl
      size="xs"
      aria-label="Days shown"
      data={ranges.map((count) => ({ value: String(count), label: `${count} days` }))}
      value={String(days)}
      onChange={(value) => setDays(Number(value))}
    />
  );
  return (
    <>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data === undefined ? (
        error === null && <Skeleton h={320} radius="md" />
      ) : (
        <Panels spending={data} settling={settling} days={days} range={range} />
      )}
    </>
  );
};

interface PanelsProps {
  spending: Spending;
  settling: readonly Settling[];
  days: number;
  range: React.ReactNode;
}

const Panels = (props: PanelsProps) => (
  <>
    <ByDay {...props} />
    {(props.spending.agents.length > 0 || props.settling.length > 0) && <ByWhom {...props} />}
  </>
);

const ByWhom = ({ spending, settling, days }: PanelsProps) => {
  const { agents, services } = spending;
  const nameOf = useAgentNames(agents.map(({ agentId }) => agentId));
  const colorOf = useSeriesColors();
  const note = `Last ${days} days`;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Panel title="By agent" note={note}>
        <Ranking
          what="Agent"
          colorOf={colorOf}
          picture={(id) => (id === others ? null : <AgentPicture agentId={id} size={16} />)}
          rows={withSettling(
            agents.map((row) => ({ ...row, id: row.agentId, name: nameOf(row.agentId) })),
            settling.map(({ agentId, amount }) => ({
              id: agentId ?? '',
              name: nameOf(agentId ?? ''),
              amount,
            })),
          )}
        />
      </Panel>
      <Panel title="By service" note={note}>
        <Ranking
          what="Service"
          colorOf={() => 'var(--mantine-color-blue-filled)'}
          rows={withSettling(
            services.map((row) => ({ ...row, id: row.serviceId, name: row.service })),
            settling.map(({ serviceId, service, amount }) => ({
              id: serviceId ?? '',
              name: service,
              amount,
            })),
          )}
        />
      </Panel>
    </SimpleGrid>
  );
};

const ByDay = ({ spending, settling, days, range }: PanelsProps) => {
  const byDay = daysOf(spending, settling, days, Date.now());
  const nameOf = useAgentNames(spending.agents.map(({ agentId }) => agentId));
  const open = sumOf(settling);
  const isEmpty = spending.agents.length === 0 && settling.length === 0;
  return (
    <Panel
      title="Spent by day"
      actions={range}
      note={
        <>
          <Amount value={sumOf(byDay.map(({ total }) => ({ amount: total })))} /> in {days} days
          {settling.length > 0 && (
            <>
              , of which <Amount value={open} /> is still settling
            </>
          )}
          .
        </>
      }
    >
      {isEmpty ? (
        <Text size="sm" c="dimmed" py="xl" ta="center">
          Nothing was spent in the last {days} days. The first payment of an agent draws the first bar.
        </Text>
      ) : (
        <>
          <SpendingChart days={sinceFirst(byDay)} series={seriesOf(spending)} nameOf={nameOf} />
          <SpendingTable days={byDay} />
        </>
      )}
    </Panel>
  );
};

/** The chart's figures for screen readers. */
const SpendingTable = ({ days }: { days: readonly Day[] }) => (
  <VisuallyHidden>
    <table>
      <caption>
        Spent by day: {sumOf(days.map(({ total }) => ({ amount: total })))} USDC in {days.length} days. Days
        without spending are left out.
      </caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">USDC</th>
          <th scope="col">Payments</th>
        </tr>
      </thead>
      <tbody>
        {days
          .filter(({ payments }) => payments > 0)
          .map(({ day, total, payments }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              <td>{total}</td>
              <td>{payments}</td>
            </tr>
          ))}
      </tbody>
    </table>
  </VisuallyHidden>
);
