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
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
      <Figure label="Opening balance" amount={opening} note={whose} />
      <Figure label="Deposits" amount={now.deposits.amount} note={depositsNote(now)} />
      <Figure
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
      <Figure
        label="Pictures"
        amount={now.charges.amount}
        note="Paid by agents to your treasury, not to services"
      />
      <Figure
        label="Withdrawals"
        amount={now.withdrawals.amount}
        note={someOf(now.withdrawals, 'withdrawal')}
      />
      <Figure label="Network fees" amount={now.fees.amount} currency="SOL" note={feesNote(now)} />
      <Figure
        label="Between wallets"
        amount={now.transfers.amount}
        note="Funding agents and taking money back: not an expense"
      />
      <Figure label={isRunning ? 'Balance so far' : 'Closing balance'} amount={closing} note={whose} />
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

const someOf = ({ entries }: MonthTotals['deposits'], one: string): string | undefined =>
  entries === 0 ? undefined : counted(entries, one);

const depositsNote = ({ deposits, sales }: MonthTotals): string | undefined =>
  sales.entries === 0
    ? someOf(deposits, 'deposit')
    : `${counted(deposits.entries, 'deposit')}, ${sales.amount} of it from ${counted(sales.entries, 'sale')}`;

const feesNote = ({ fees, solDeposits }: MonthTotals): string =>
  counted(fees.entries, 'network fee or account rent', 'network fees and account rents') +
  (solDeposits.entries === 0 ? '' : `; ${figureOf(solDeposits.amount)} SOL deposited`);

interface ChangeWordsProps extends Pick<MonthFiguresProps, 'name' | 'isRunning'> {
  now: string;
  before: string;
}

/** How much more or less it is than in the month before. A month that still runs is not compared with a whole one. */
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
