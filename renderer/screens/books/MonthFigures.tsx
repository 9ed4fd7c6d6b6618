// The month in figures.
import { SimpleGrid, Text } from '@mantine/core';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Figure } from '../../shared/ui/Figure.tsx';
import { counted, figureOf } from '../../shared/format.ts';
import { type MonthTotals, type Totals, changeOf } from './changes.ts';

interface MonthFiguresProps extends Pick<Totals, 'opening' | 'closing'> {
  now: MonthTotals;
  before: MonthTotals;
  /** The name of the month before. */
  name: string;
  isRunning: boolean;
}

export const MonthFigures = ({ opening, closing, now, before, name, isRunning }: MonthFiguresProps) => (
  <>
    <SimpleGrid cols={2} spacing={{ base: 'xs', sm: 'md' }}>
      <Figure isLarge label="Opening balance" amount={opening} note={whose} />
      <Figure
        isLarge
        label={isRunning ? 'Balance so far' : 'Closing balance'}
        amount={closing}
        note={whose}
      />
    </SimpleGrid>
    <SimpleGrid cols={{ base: 2, sm: 3 }} spacing={{ base: 'xs', sm: 'md' }}>
      <Figure
        isLarge
        label="Paid to services"
        amount={now.spent.amount}
        note={
          <>
            {counted(now.spent.entries, 'payment')}
            <br />
            <ChangeWords {...{ name, isRunning }} now={now.spent.amount} before={before.spent.amount} />
          </>
        }
      />
      {furtherFigures(now).map((figure) => (
        <Figure key={figure.label} isLarge {...figure} />
      ))}
    </SimpleGrid>
    {now.words.entries > 0 && (
      <Text c="dimmed">
        {counted(now.words.entries, 'message')} from phones added{' '}
        <Amount value={now.words.amount} currency="SOL" />, which is among the deposits of SOL.
      </Text>
    )}
  </>
);

const whose = 'Treasury and agents, without the cold wallet';

const furtherFigures = (month: MonthTotals) => [
  {
    label: 'Network fees',
    amount: month.fees.amount,
    currency: 'SOL',
    note: [
      counted(month.fees.entries, 'network fee or account rent', 'network fees and account rents'),
      ...(month.solDeposits.entries === 0 ? [] : [`${figureOf(month.solDeposits.amount)} SOL deposited`]),
    ].join('; '),
  },
  {
    label: 'Pictures',
    amount: month.charges.amount,
    note: 'Charges less refunds, between your own wallets',
  },
  {
    label: 'Deposits',
    amount: month.deposits.amount,
    note:
      month.sales.entries === 0
        ? counted(month.deposits.entries, 'deposit')
        : `${counted(month.deposits.entries, 'deposit')}, ${month.sales.amount} of it from ${counted(month.sales.entries, 'sale')}`,
  },
  {
    label: 'Withdrawals',
    amount: month.withdrawals.amount,
    note: counted(month.withdrawals.entries, 'withdrawal'),
  },
  {
    label: 'Between your wallets',
    amount: month.transfers.amount,
    note: 'Funding agents and taking money back: not an expense',
  },
];

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
        : ` than in ${name} (${percent.toLocaleString('en')}%)`}
    </>
  );
};
