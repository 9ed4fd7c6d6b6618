// The treasury in four figures.
import { Anchor, Card, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatUsdc } from '../../../server/money.ts';
import { Address } from '../../shared/Address.tsx';
import { Amount } from '../../shared/Amount.tsx';
import { counted } from '../../shared/format.ts';
import { shareOf } from '../../shared/share.ts';
import { useTreasuryBalance } from '../../shared/use-treasury-balance.ts';
import type { Snapshot } from '../../stores/treasury.ts';
import { sum } from './spending-data.ts';

export const Figures = ({ snapshot }: { snapshot: Snapshot }) => {
  const { treasury, agents, ceiling } = snapshot;
  const balance = useTreasuryBalance();
  const waiting = snapshot.pendingApprovals + snapshot.pendingLogins;
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
      <Figure label="Treasury" note={<Address value={treasury.walletAddress} what="deposit address" />}>
        <Amount value={formatUsdc(balance)} />
      </Figure>
      <Figure
        label="Spent in 24 hours"
        note={
          ceiling.dailyBudget === null ? (
            <>
              Budgets of all agents: <Amount value={sum(agents.map(({ policy }) => policy.dailyBudget))} />
            </>
          ) : (
            <>
              of your ceiling of <Amount value={ceiling.dailyBudget} />
              <Progress
                mt={6}
                size="sm"
                value={shareOf(ceiling.spent, ceiling.dailyBudget)}
                aria-label={`${ceiling.spent} of your ceiling of ${ceiling.dailyBudget} USDC spent in 24 hours`}
              />
            </>
          )
        }
      >
        <Amount value={ceiling.spent} />
      </Figure>
      <Figure label="With agents" note={agentsNote(agents)}>
        <Amount value={sum(agents.map(({ balance: held }) => held))} />
      </Figure>
      <Figure
        label="Waiting for you"
        note={
          waiting === 0 ? (
            'Nothing needs your word'
          ) : (
            <Anchor component={Link} href="/approvals" size="xs">
              Look at {waiting === 1 ? 'it' : 'them'}
            </Anchor>
          )
        }
      >
        {waiting}
      </Figure>
    </SimpleGrid>
  );
};

const agentsNote = (agents: Snapshot['agents']): string => {
  const paused = agents.filter(({ status }) => status === 'suspended').length;
  return `${counted(agents.length, 'agent')}${paused === 0 ? '' : `, ${paused} paused`}`;
};

interface FigureProps {
  label: string;
  note: ReactNode;
  children: ReactNode;
}

const Figure = ({ label, note, children }: FigureProps) => (
  <Card withBorder bg="var(--card)" p={{ base: 'sm', sm: 'md' }}>
    <Stack gap={2}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={{ base: 19, sm: 26 }} lh={1.25} fw={650}>
        {children}
      </Text>
      <Text size="xs" c="dimmed" component="div">
        {note}
      </Text>
    </Stack>
  </Card>
);
