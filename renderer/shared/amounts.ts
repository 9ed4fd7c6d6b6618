// Sums of amounts, which are decimal strings and never floating-point numbers.
import { formatUsdc, parseUsdc, usdc } from '../../server/money.ts';

export const sumOf = (rows: readonly { amount: string }[]): string =>
  formatUsdc(usdc(rows.reduce((all, { amount }) => all + (parseUsdc(amount) ?? 0n), 0n)));
