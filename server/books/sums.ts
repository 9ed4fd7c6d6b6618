// Sums of entries, as the owner reads them.
import { formatSol, formatUsdc, lamports, usdc } from '../money.ts';

export interface Sum {
  /** In the smallest unit. */
  amount: bigint;
  entries: number;
}

export const nothing: Sum = { amount: 0n, entries: 0 };

export const plus = (a: Sum, b: Sum): Sum => ({
  amount: a.amount + b.amount,
  entries: a.entries + b.entries,
});

export type Sums = Map<string, Sum>;

export const addTo = (sums: Sums, name: string, amount: bigint): void =>
  void sums.set(name, plus(sums.get(name) ?? nothing, { amount, entries: 1 }));

/** Of a sum in USDC. */
export const view = ({ amount, entries }: Sum) => ({ amount: formatUsdc(usdc(amount)), entries });

export const solView = ({ amount, entries }: Sum) => ({ amount: formatSol(lamports(amount)), entries });
