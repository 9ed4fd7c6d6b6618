// An agent's balance and spending, in figures.
import { Card, SimpleGrid, Stack, Text } from '@mantine/core';
import { Address } from '../../shared/Address.tsx';
import { Amount } from '../../shared/Amount.tsx';
import { BudgetGauge } from '../../shared/BudgetGauge.tsx';
import { Figure } from '../../shared/Figure.tsx';
import { counted } from '../../shared/format.ts';
import { Moment } from '../../shared/Moment.tsx';
import { percentOf } from '../../shared/share.ts';
import { dayOf, whenOf } from '../../shared/time.ts';
import { useFreeAgain } from '../../shared/use-free-again.ts';
import type { AgentSummary } from '../../stores/treasury.ts';

export const AgentFigures = ({ agent }: { agent: AgentSummary }) => (
  <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
    <Figure label="Balance" note={<Address value={agent.walletAddress} what="wallet address" />}>
      <Amount value={agent.balance} />
    </Figure>
    <Card withBorder bg="var(--card)" p={{ base: 'sm', sm: 'md' }}>
      <Stack gap={8}>
        <Text size="sm" c="dimmed">
          Spent in 24 hours
        </Text>
        <BudgetGauge spent={agent.spentToday} budget={agent.policy.dailyBudget} of={agent.agentId} />
        <Over agent={agent} />
      </Stack>
    </Card>
    <Figure label="Spent in all" note={counted(agent.lifetimePayments, 'payment')}>
      <Amount value={agent.lifetimeSpent} />
    </Figure>
    <Figure label="Last payment" note={`Created ${dayOf(agent.createdAt)}`}>
      {agent.lastPaymentAt === null ? 'None yet' : <Moment iso={agent.lastPaymentAt} />}
    </Figure>
  </SimpleGrid>
);

const Over = ({ agent: { agentId, spentToday, policy } }: { agent: AgentSummary }) => {
  const percent = percentOf(spentToday, policy.dailyBudget);
  const isOver = percent >= 100 && Number.isFinite(percent);
  const until = useFreeAgain(agentId, isOver, `${spentToday} of ${policy.dailyBudget}`);
  return until === null ? null : <Text size="xs">It can pay again {whenOf(until)}.</Text>;
};
