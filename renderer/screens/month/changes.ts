// Sums of a month beside those of the month before.
import type { Reply } from '../../../server/contract/schemas.ts';
import { formatUsdc, parseUsdc, subUsdc, usdc } from '../../../server/money.ts';

export type Totals = Reply<'totals'>;

export interface Compared {
  id: string;
  amount: string;
  payments: number;
  before: string;
}

interface Row {
  id: string;
  amount: string;
  payments: number;
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
      .map(({ id, amount }) => ({ id, amount: '0.00', payments: 0, before: amount })),
  ];
};

export interface Change {
  way: 'more' | 'less' | 'same';
  by: string;
  /** Null where there was nothing before. */
  percent: number | null;
}

export const changeOf = (now: string, before: string): Change => {
  const [to, from] = [parseUsdc(now) ?? usdc(0n), parseUsdc(before) ?? usdc(0n)];
  const by = to >= from ? subUsdc(to, from) : subUsdc(from, to);
  return {
    way: by === 0n ? 'same' : to > from ? 'more' : 'less',
    by: formatUsdc(by),
    percent: from === 0n ? null : Number((by * 100n) / from),
  };
};
