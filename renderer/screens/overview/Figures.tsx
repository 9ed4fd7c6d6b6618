// The treasury in four figures: all that there is, what was spent in a day and this month, and what a thief could take.
import { Anchor, Modal, Progress, SimpleGrid } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'wouter';
import { partsOfTotal } from '../../../server/contract/treasury/exposure.ts';
import { sumOf } from '../../shared/amounts.ts';
import { chunk } from '../../shared/chunk.tsx';
import { countedUse } from '../../shared/format.ts';
import { useSettling } from '../../shared/hooks/use-settling.ts';
import { useZone } from '../../shared/hooks/use-zone.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Figure } from '../../shared/ui/Figure.tsx';
import { gaugeColor, percentOf, shareOf } from '../../shared/share.ts';
import { whenOf } from '../../shared/time.ts';
import type { Snapshot } from '../../stores/treasury.ts';
import { usesIn } from './spending-data.ts';
import { firstRange, useSpending } from './SpendingPanels.tsx';

const StolenSum = chunk(() => import('./StolenSum.tsx'), { what: 'The sum' });

/** What was spent since the month began in the owner's zone, with what is settling: a part of the chart's reply. */
const useMonth = () => {
  const zone = useZone();
  const dayOf = (time: string | number): string =>
    new Date(time).toLocaleDateString('sv-SE', { timeZone: zone });
  const today = dayOf(Date.now());
  const isOfMonth = (day: string): boolean => day.startsWith(today.slice(0, 7));
  const settling = useSettling().filter(({ timestamp }) => isOfMonth(dayOf(timestamp)));
  const { data } = useSpending(Math.max(firstRange, Number(today.slice(-2))));
  if (data === undefined) return;
  const rows = data.days.filter(({ day }) => isOfMonth(day));
  return {
    amount: sumOf([...rows, ...settling]),
    use: countedUse(usesIn([...rows, { payments: settling.length, requests: 0 }])),
  };
};

export const Figures = ({ snapshot }: { snapshot: Snapshot }) => {
  const { agents, ceiling, exposure, total } = snapshot;
  const month = useMonth();
  const most = ceiling.inForce.dailyBudget;
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
      <Figure isLarge label="Total" note={<Parts snapshot={snapshot} />} amount={total.amount} />
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
                aria-label={`${ceiling.spent} of your daily limit for all agents, ${most} USDC, spent in 24 hours`}
              />
            </>
          )
        }
        amount={ceiling.spent}
      />
      <Figure isLarge label="Spent this month" note={month?.use} {...(month && { amount: month.amount })}>
        …
      </Figure>
      <Figure isLarge label="At risk" note={<AtRisk exposure={exposure} />} amount={exposure.amount} />
    </SimpleGrid>
  );
};

const Parts = ({ snapshot }: { snapshot: Snapshot }) => (
  <>
    {partsOfTotal(snapshot.total).map(([what, amount]) => (
      <div key={what}>
        <Anchor component={Link} href={what === 'agents' ? '/agents' : '/treasury'} inherit>
          {what.replace(/^./, (letter) => letter.toUpperCase())}
        </Anchor>{' '}
        <Amount value={amount} currency="" />
      </div>
    ))}
    <AsOf snapshot={snapshot} />
  </>
);

/** In an outage the balances are those that were read last. */
const AsOf = ({ snapshot: { outage, exposure } }: { snapshot: Snapshot }) =>
  outage?.isWhole === true && (
    <div>Balances {exposure.asOf === null ? 'of the last run' : `as of ${whenOf(exposure.asOf)}`}</div>
  );

/** The most that a thief of this machine could take now, whatever the rules here say. */
const AtRisk = ({ exposure }: Pick<Snapshot, 'exposure'>) => {
  const [isOpen, { open, close }] = useDisclosure(false);
  const { asOf, isStale } = exposure;
  return (
    <>
      The most a thief with this machine could take
      {isStale && (asOf === null ? ', not read yet' : `, as of ${whenOf(asOf)}, perhaps more`)}.{' '}
      <Anchor component="button" type="button" inherit aria-haspopup="dialog" onClick={open}>
        See how this adds up
      </Anchor>
      <Modal opened={isOpen} onClose={close} title="If this machine were stolen now">
        {isOpen && <StolenSum exposure={exposure} />}
      </Modal>
    </>
  );
};
