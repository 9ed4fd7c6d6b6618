// Sums of amounts, which are decimal strings and never floating-point numbers.
import { groupDigits } from './format.ts';
import { formatUsdc, parseUsdc, usdc } from '../../server/money.ts';

/** A typed amount with all its decimals: `5` is `5.00`. */
export const wholeOf = (amount: string): string => groupDigits(sumOf([{ amount }]));

export const sumOf = (rows: readonly { amount: string }[]): string =>
  formatUsdc(usdc(rows.reduce((all, { amount }) => all + (parseUsdc(amount) ?? 0n), 0n)));
