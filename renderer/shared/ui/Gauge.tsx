// The used part of a limit, as a bar and in words.
import { Group, Progress, Stack, Text } from '@mantine/core';
import { Amount } from './Amount.tsx';
import { BoostLine, type BoostInForce } from './BoostLine.tsx';
import { gaugeColor, percentOf, percentText, shareOf } from '../share.ts';

interface GaugeProps {
  /** An amount, or a number of payments. */
  used: string | number;
  limit: string | number;
  /** For screen readers. */
  label: string;
}

const drawn = (value: string | number, currency = 'USDC') =>
  typeof value === 'string' ? <Amount value={value} currency={currency} /> : value.toLocaleString('en');

export const Gauge = ({ used, limit, label }: GaugeProps) => {
  const [part, whole] = [String(used), String(limit)];
  const percent = percentOf(part, whole);
  const isOver = percent >= 100;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap={4}>
        <Text size="sm" className="may-wrap">
          <Text span inherit fw={600}>
            {drawn(used, '')}
          </Text>{' '}
          <Text span inherit c="dimmed">
            of {drawn(limit)}
          </Text>
        </Text>
        <Text
          size="sm"
          flex="none"
          className="amount"
          {...(isOver ? { c: 'red', fw: 600 } : { c: 'dimmed' })}
        >
          {percentText(percent)}
        </Text>
      </Group>
      <Progress.Root size="sm">
        <Progress.Section value={shareOf(part, whole)} color={gaugeColor(percent)} aria-label={label} />
      </Progress.Root>
    </Stack>
  );
};

interface BudgetGaugeProps {
  spent: string;
  /** As it is in force; without one nothing is drawn. */
  budget: { dailyBudget: string | null; boost: BoostInForce };
  /** Its agent, for screen readers. */
  of: string;
  /** Whether a boost can be ended here. */
  mayEnd?: boolean;
}

/** Of a budget of 24 hours. */
export const BudgetGauge = ({
  spent,
  budget: { dailyBudget, boost },
  of,
  mayEnd = false,
}: BudgetGaugeProps) =>
  dailyBudget !== null && (
    <Stack gap={4}>
      <Gauge
        used={spent}
        limit={dailyBudget}
        label={`Budget of ${of}: ${spent} of ${dailyBudget} USDC spent in 24 hours`}
      />
      <BoostLine boost={boost} mayEnd={mayEnd} />
    </Stack>
  );
