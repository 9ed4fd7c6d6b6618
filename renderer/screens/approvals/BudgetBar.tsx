// A payment's effect on the agent's budget of 24 hours.
import { Progress, Stack, Text } from '@mantine/core';
import { Amount } from '../../shared/Amount.tsx';
import { shareOf } from '../../shared/share.ts';
import type { Approval } from './request.ts';

export const BudgetBar = ({
  budget: { spent, after, dailyBudget },
}: {
  budget: NonNullable<Approval['budget']>;
}) => {
  const before = shareOf(spent, dailyBudget);
  const then = shareOf(after, dailyBudget);
  return (
    <Stack gap={6}>
      <Progress.Root size="lg" aria-hidden>
        <Progress.Section value={before} color="gray.6" withAria={false} />
        <Progress.Section value={Math.max(0, then - before)} color="teal" withAria={false} />
      </Progress.Root>
      <Text size="sm">
        Spent in 24 hours: <Amount value={spent} />, with this <Amount value={after} fw={600} /> of{' '}
        <Amount value={dailyBudget} />.
      </Text>
    </Stack>
  );
};
