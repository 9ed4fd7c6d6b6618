// The spent part of a budget of 24 hours, as a bar and in words.
import { Group, Progress, Stack, Text } from '@mantine/core';
import { Amount } from './Amount.tsx';
import { gaugeColor, percentOf, percentText, shareOf } from '../share.ts';

interface BudgetGaugeProps {
  spent: string;
  budget: string;
  /** The budget's agent, for screen readers. */
  of: string;
}

export const BudgetGauge = ({ spent, budget, of }: BudgetGaugeProps) => {
  const percent = percentOf(spent, budget);
  const isOver = percent >= 100;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap={4}>
        <Text size="sm" className="may-wrap">
          <Amount value={spent} currency="" fw={600} />{' '}
          <Text span inherit c="dimmed">
            of <Amount value={budget} />
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
        <Progress.Section
          value={shareOf(spent, budget)}
          color={gaugeColor(percent)}
          aria-label={`Budget of ${of}: ${spent} of ${budget} USDC spent in 24 hours`}
        />
      </Progress.Root>
    </Stack>
  );
};
