// An agent's balance and spending, in figures.
import { Card, SimpleGrid, Stack, Text } from '@mantine/core';
import { Address } from '../../shared/ui/Address.tsx';
import { sumOf } from '../../shared/amounts.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { BudgetGauge } from '../../shared/ui/Gauge.tsx';
import { Figure } from '../../shared/ui/Figure.tsx';
import { counted } from '../../shared/format.ts';
import { Moment } from '../../shared/ui/Moment.tsx';
import { dayOf } from '../../shared/time.ts';
import { useSettling } from '../../shared/hooks/use-settling.ts';
import type { AgentSummary } from '../../stores/treasury.ts';
import { RefillLine } from './Refill.tsx';

export const AgentFigures = ({ agent }: { agent: AgentSummary }) => (
  <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
    <Figure
      label="Balance"
      note={
        <>
          <Address value={agent.walletAddress} what="wallet address" />
          <RefillLine agent={agent} />
        </>
      }
      amount={agent.balance}
    />
    <Card withBorder bg="var(--card)" p={{ base: 'sm', sm: 'md' }}>
      <Stack gap={8}>
        <Text c="dimmed">Spent in 24 hours</Text>
        <BudgetGauge spent={agent.spentToday} budget={agent.inForce} mayEnd of={agent.displayName} />
      </Stack>
    </Card>
    <SpentInAll agent={agent} />
    <Figure label="Last payment" note={`Agent created ${dayOf(agent.createdAt)}`}>
      {agent.lastPaymentAt === null ? 'None yet' : <Moment iso={agent.lastPaymentAt} />}
    </Figure>
  </SimpleGrid>
);

/** With what is settling, as in the figure of 24 hours beside it. */
const SpentInAll = ({ agent: { agentId, lifetimeSpent, lifetimePayments } }: { agent: AgentSummary }) => {
  const settling = useSettling().filter((payment) => payment.agentId === agentId);
  return (
    <Figure
      label="Spent in total"
      note={
        <>
          {counted(lifetimePayments + settling.length, 'payment')}
          {settling.length > 0 && (
            <>
              , <Amount value={sumOf(settling)} /> still settling
            </>
          )}
        </>
      }
      amount={sumOf([{ amount: lifetimeSpent }, ...settling])}
    />
  );
};
