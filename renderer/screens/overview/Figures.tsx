// The treasury in four figures.
import { Anchor, Progress, SimpleGrid } from '@mantine/core';
import { Link } from 'wouter';
import { formatUsdc } from '../../../server/money.ts';
import { Address } from '../../shared/ui/Address.tsx';
import { sumOf } from '../../shared/amounts.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Figure } from '../../shared/ui/Figure.tsx';
import { counted } from '../../shared/format.ts';
import { gaugeColor, percentOf, shareOf } from '../../shared/share.ts';
import { whenOf } from '../../shared/time.ts';
import { useTreasuryBalance } from '../../shared/hooks/use-treasury-balance.ts';
import { waitingIn, type Snapshot } from '../../stores/treasury.ts';

export const Figures = ({ snapshot }: { snapshot: Snapshot }) => {
  const { treasury, agents, ceiling, exposure } = snapshot;
  const balance = useTreasuryBalance();
  const waiting = waitingIn(snapshot);
  const most = ceiling.inForce.dailyBudget;
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
      <Figure
        isLarge
        label="Treasury"
        note={
          <>
            <Address value={treasury.walletAddress} what="deposit address" />
            <AsOf snapshot={snapshot} />
            <AtRisk exposure={exposure} />
          </>
        }
        amount={formatUsdc(balance)}
      />
      <Figure
        isLarge
        label="Spent in 24 hours"
        note={
          most === null ? (
            <>
              Budgets of all agents:{' '}
              <Amount value={sumOf(agents.map(({ inForce }) => ({ amount: inForce.dailyBudget })))} />
            </>
          ) : (
            <>
              of <Amount value={most} /> for all agents
              <Progress
                mt={6}
                size="sm"
                value={shareOf(ceiling.spent, most)}
                color={gaugeColor(percentOf(ceiling.spent, most))}
                aria-label={`${ceiling.spent} of your ceiling for all agents of ${most} USDC spent in 24 hours`}
              />
            </>
          )
        }
        amount={ceiling.spent}
      />
      <Figure
        isLarge
        label="With agents"
        note={agentsNote(agents)}
        amount={sumOf(agents.map(({ balance: held }) => ({ amount: held })))}
      />
      <Figure
        isLarge
        label="Waiting for you"
        note={
          waiting === 0 ? (
            'Nothing needs your approval'
          ) : (
            <Anchor component={Link} href="/approvals" size="xs">
              Open Approvals
            </Anchor>
          )
        }
      >
        {waiting}
      </Figure>
    </SimpleGrid>
  );
};

/** In an outage the balances are those that were read last. */
const AsOf = ({ snapshot: { outage, exposure } }: { snapshot: Snapshot }) =>
  outage?.isWhole === true && (
    <div>Balances {exposure.asOf === null ? 'of the last run' : `as of ${whenOf(exposure.asOf)}`}</div>
  );

/** The most that a thief of this machine could take now, whatever the rules here say. */
const AtRisk = ({ exposure: { amount, asOf, isStale } }: Pick<Snapshot, 'exposure'>) => (
  <div>
    If this machine were stolen now: at most <Amount value={amount} />
    {isStale && (asOf === null ? ', not read yet' : `, as of ${whenOf(asOf)}, perhaps more`)}
  </div>
);

const agentsNote = (agents: Snapshot['agents']): string => {
  const paused = agents.filter(({ status }) => status === 'suspended').length;
  return `${counted(agents.length, 'agent')}${paused === 0 ? '' : `, ${paused} paused`}`;
};
