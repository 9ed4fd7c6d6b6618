// Spending by day as bars, one colour for each agent. A chunk of its own, since the chart library is large.
import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { groupDigits } from '../../shared/format.ts';
import { others, type Day } from './spending-data.ts';

interface SpendingChartProps {
  days: readonly Day[];
  series: readonly string[];
}

const colors = ['teal.6', 'blue.5', 'orange.5', 'grape.5', 'yellow.5', 'cyan.5'];
const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

const amountOf = (value: number): string =>
  `${groupDigits(value.toFixed(value < 0.01 && value > 0 ? 6 : 2))} USDC`;

export default function SpendingChart({ days, series }: SpendingChartProps) {
  return (
    <BarChart
      h={240}
      type="stacked"
      dataKey="day"
      data={days.map(({ day, parts }) => ({ ...parts, day: shortDay.format(new Date(day)) }))}
      series={series.map((name, index) => ({
        name,
        color: name === others ? 'gray.5' : (colors[index] ?? 'gray.5'),
      }))}
      valueFormatter={amountOf}
      withLegend={series.length > 1}
      legendProps={{ itemSorter: null }}
      yAxisProps={{ width: 56, tickFormatter: (value: number) => groupDigits(value.toFixed(2)) }}
      xAxisProps={{ interval: 'preserveStartEnd', minTickGap: 24 }}
      barProps={{ isAnimationActive: false }}
      maxBarWidth={28}
      gridAxis="x"
      tickLine="none"
      accessibilityLayer={false}
    />
  );
}
