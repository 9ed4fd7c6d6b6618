// The month in six figures.
import { SimpleGrid, Text } from '@mantine/core';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Figure } from '../../shared/ui/Figure.tsx';
import { counted } from '../../shared/format.ts';
import { type MonthTotals, changeOf } from './changes.ts';

interface MonthFiguresProps {
  now: MonthTotals;
  before: MonthTotals;
  /** The name of the month before. */
  name: string;
  isRunning: boolean;
}

export const MonthFigures = ({ now, before, name, isRunning }: MonthFiguresProps) => (
  <>
    <SimpleGrid cols={{ base: 2, sm: 3 }} spacing={{ base: 'xs', sm: 'md' }}>
      <Figure
        isLarge
        label="Spent"
        amount={now.spent.amount}
        note={
          <>
            {counted(now.spent.entries, 'payment')}
            <br />
            <ChangeWords {...{ name, isRunning }} now={now.spent.amount} before={before.spent.amount} />
          </>
        }
      />
      <Figure
        isLarge
        label="Network fees"
        amount={now.fees.amount}
        currency="SOL"
        note={counted(now.fees.entries, 'fee or rent', 'fees and rents')}
      />
      <Figure
        isLarge
        label="Pictures"
        amount={now.charges.amount}
        note="Charges less refunds, between your own wallets"
      />
      <Figure
        isLarge
        label="Deposits"
        amount={now.deposits.amount}
        note={counted(now.deposits.entries, 'deposit')}
      />
      <Figure
        isLarge
        label="Withdrawals"
        amount={now.withdrawals.amount}
        note={counted(now.withdrawals.entries, 'withdrawal')}
      />
      <Figure
        isLarge
        label="Between own wallets"
        amount={now.transfers.amount}
        note="Funding and taking back: not an expense"
      />
    </SimpleGrid>
    {now.solDeposits.entries > 0 && (
      <Text size="sm" c="dimmed">
        {counted(now.solDeposits.entries, 'deposit')} of SOL brought{' '}
        <Amount value={now.solDeposits.amount} currency="SOL" />.
      </Text>
    )}
    {now.words.entries > 0 && (
      <Text size="sm" c="dimmed">
        {counted(now.words.entries, 'message')} from phones brought{' '}
        <Amount value={now.words.amount} currency="SOL" />, which is among the deposits of SOL.
      </Text>
    )}
  </>
);

/**
 * How much more or less it is than in the month before, in words. A month that still runs is not compared with a
 * whole one.
 */
interface ChangeWordsProps {
  now: string;
  before: string;
  /** The name of the month before. */
  name: string;
  isRunning: boolean;
}

const ChangeWords = ({ now, before, name, isRunning }: ChangeWordsProps) => {
  if (isRunning)
    return (
      <>
        <Amount value={before} /> in all of {name}
      </>
    );
  const { way, by, percent } = changeOf(now, before);
  if (way === 'same') return <>As much as in {name}</>;
  return (
    <>
      <Amount value={by} /> {way}
      {percent === null
        ? `; there was nothing in ${name}`
        : ` than in ${name} (${percent.toLocaleString('en')} %)`}
    </>
  );
};
