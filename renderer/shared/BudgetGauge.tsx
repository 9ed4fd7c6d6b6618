// The spent part of a budget of 24 hours, as a bar and in words.
import { Group, Progress, Stack, Text } from '@mantine/core';
import { Amount } from './Amount.tsx';
import { shareOf } from './share.ts';

interface BudgetGaugeProps {
  spent: string;
  budget: string;
  /** The budget's agent, for screen readers. */
  of: string;
}

const almostAll = 80;

const colorOf = (share: number): string => {
  if (share >= 100) return 'red';
  return share >= almostAll ? 'yellow' : 'teal';
};

export const BudgetGauge = ({ spent, budget, of }: BudgetGaugeProps) => {
  const share = shareOf(spent, budget);
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm">
          <Amount value={spent} currency="" fw={600} />
          <Text span inherit c="dimmed">
            of <Amount value={budget} />
          </Text>
        </Text>
        <Text size="sm" c="dimmed" className="amount">
          {Math.floor(share)} %
        </Text>
      </Group>
      <Progress.Root size="sm">
        <Progress.Section
          value={share}
          color={colorOf(share)}
          aria-label={`Budget of ${of}: ${spent} of ${budget} USDC spent in 24 hours`}
        />
      </Progress.Root>
    </Stack>
  );
};
