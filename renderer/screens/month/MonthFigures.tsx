// The month in three figures, each beside the month before.
import { SimpleGrid } from '@mantine/core';
import { formatUsdc, parseUsdc, usdc } from '../../../server/money.ts';
import { Amount } from '../../shared/Amount.tsx';
import { Figure } from '../../shared/Figure.tsx';
import { counted } from '../../shared/format.ts';
import type { Totals } from './changes.ts';
import { ChangeWords } from './ChangeWords.tsx';

interface MonthFiguresProps {
  now: Totals;
  before: Totals;
  words: string;
}

export const MonthFigures = ({ now, before, words }: MonthFiguresProps) => (
  <SimpleGrid cols={{ base: 1, xs: 3 }} spacing={{ base: 'xs', sm: 'md' }}>
    <Figure
      isLarge
      label="Spent"
      amount={now.amount}
      note={
        <>
          <ChangeWords now={now.amount} before={before.amount} words={words} />
          {now.settling.payments > 0 && (
            <>
              <br />
              <Amount value={now.settling.amount} /> of it is still settling
            </>
          )}
        </>
      }
    />
    <Figure isLarge label="Payments" note={`${counted(before.payments, 'payment')} in ${words}`}>
      {now.payments.toLocaleString('en')}
    </Figure>
    <Figure
      isLarge
      label="On average"
      amount={average(now)}
      note={
        <>
          <Amount value={average(before)} /> in {words}
        </>
      }
    />
  </SimpleGrid>
);

/** Cut to a millionth, as all amounts are. */
const average = ({ amount, payments }: Totals): string =>
  payments < 1 ? '0.00' : formatUsdc(usdc((parseUsdc(amount) ?? 0n) / BigInt(payments)));
