// Sums of a month beside those of the month before.
import type { Reply } from '../../../server/contract/schemas.ts';
import { formatUsdc, parseUsdc, usdc } from '../../../server/money.ts';

export type Totals = Reply<'bookTotals'>;
export type MonthTotals = Totals['now'];

export interface Row {
  id: string;
  name: string;
  amount: string;
  entries: number;
}

export interface Compared extends Row {
  before: string;
}

/** The rows of this month, and then those that were only in the month before. */
export const compared = (now: readonly Row[], before: readonly Row[]): Compared[] => {
  const earlier = new Map(before.map(({ id, amount }) => [id, amount]));
  const here = now.map((row) => ({ ...row, before: earlier.get(row.id) ?? '0.00' }));
  const known = new Set(now.map(({ id }) => id));
  return [
    ...here,
    ...before
      .filter(({ id }) => !known.has(id))
      .map((row) => ({ ...row, amount: '0.00', entries: 0, before: row.amount })),
  ];
};

export interface Change {
  way: 'more' | 'less' | 'same';
  by: string;
  /** Null where there was nothing before. */
  percent: number | null;
}

/** Money that came in is below zero in the sums of accounts. */
const unitsOf = (decimal: string): bigint =>
  decimal.startsWith('-') ? -(parseUsdc(decimal.slice(1)) ?? 0n) : (parseUsdc(decimal) ?? 0n);

export const changeOf = (now: string, before: string): Change => {
  const [to, from] = [unitsOf(now), unitsOf(before)];
  const by = to >= from ? to - from : from - to;
  return {
    way: by === 0n ? 'same' : to > from ? 'more' : 'less',
    by: formatUsdc(usdc(by)),
    percent: from === 0n ? null : Number((by * 100n) / (from < 0n ? -from : from)),
  };
};
