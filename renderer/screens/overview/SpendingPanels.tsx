// Spending by day, split by agent, group or service, and the ranking of agents and services, with what is still settling.
import { Group, SegmentedControl, SimpleGrid, Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useAgentNames } from '../../shared/agent-names.ts';
import { useAgentColors } from '../../shared/ui/AgentPicture.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { sumOf } from '../../shared/amounts.ts';
import { countedUse } from '../../shared/format.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useSettling, type Settling } from '../../shared/hooks/use-settling.ts';
import { useOwner } from '../../stores/queries.ts';
import { Ranking } from './Ranking.tsx';
import { SpendingChart } from './SpendingChart.tsx';
import {
  daysOf,
  isUsed,
  others,
  seriesColors,
  seriesOf,
  settlingBy,
  sinceFirst,
  sumsOf,
  withSettling,
  type Day,
  type Spending,
  type Split,
  type Sums,
} from './spending-data.ts';

const ranges = [7, 30, 90] as const;
export const firstRange = 30;

export const useSpending = (days: number) =>
  useOwner('spending', { query: { days: String(days), zone: 'owner' } });

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

/** The hues of the chart are those of the ranking by the same; other bars have one color. */
const Panels = ({ spending, settling, days, range }: PanelsProps) => {
  const [chosen, setChosen] = useState<Split>('agent');
  const nameOf = useAgentNames(spending.agents.map(({ agentId }) => agentId));
  const sums = sumsOf(spending, nameOf);
  const hasGroups = sums.group.totals.some(({ id }) => id !== '');
  const split = hasGroups || chosen !== 'group' ? chosen : 'agent';
  const agentColor = useAgentColors();
  const colorOf = (of: Split): ((id: string) => string) =>
    of === split
      ? seriesColors(seriesOf(sums[of]), of === 'agent' ? agentColor : undefined)
      : () => 'var(--mantine-color-gray-5)';
  const isEmpty = spending.agents.length === 0 && settling.length === 0;
  return (
    <>
      <ByDay
        sums={sums[split]}
        settling={settling}
        days={days}
        zone={spending.zone}
        colorOf={colorOf(split)}
        actions={
          <Group gap="xs">
            {!isEmpty && (
              <SegmentedControl
                size="xs"
                aria-label="Split by"
                data={(['agent', 'group', 'service'] as const)
                  .filter((value) => value !== 'group' || hasGroups)
                  .map((value) => ({ value, label: `By ${value}` }))}
                value={split}
                onChange={setChosen}
              />
            )}
            {range}
          </Group>
        }
      />
      {!isEmpty && (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          {(['agent', 'service'] as const).map((of) => (
            <Ranking
              key={of}
              of={of}
              days={days}
              colorOf={colorOf(of)}
              rows={withSettling(sums[of].totals, settlingBy(of, settling, nameOf))}
            />
          ))}
        </SimpleGrid>
      )}
    </>
  );
};

interface ByDayProps {
  sums: Sums;
  settling: readonly Settling[];
  days: number;
  /** In which the days are counted: the owner’s. */
  zone: string;
  colorOf: (id: string) => string;
  actions: React.ReactNode;
}

const ByDay = ({ sums, settling, days, zone, colorOf, actions }: ByDayProps) => {
  const byDay = daysOf(sums, settling, days, { now: Date.now(), zone });
  const names = new Map(sums.totals.map(({ id, name }) => [id, name]));
  const open = sumOf(settling);
  const isEmpty = sums.totals.length === 0 && settling.length === 0;
  return (
    <Panel
      title="Spent by day"
      actions={actions}
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
        <Text c="dimmed" py="xl" ta="center">
          Nothing was spent in the last {days} days. The first payment of an agent draws the first bar.
        </Text>
      ) : (
        <>
          <SpendingChart
            days={sinceFirst(byDay)}
            series={seriesOf(sums)}
            nameOf={(id) => (id === others ? 'All others' : (names.get(id) ?? id))}
            colorOf={colorOf}
          />
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
          <th scope="col">Payments and requests</th>
        </tr>
      </thead>
      <tbody>
        {days.filter(isUsed).map(({ day, total, ...use }) => (
          <tr key={day}>
            <th scope="row">{day}</th>
            <td>{total}</td>
            <td>{countedUse(use)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </VisuallyHidden>
);
