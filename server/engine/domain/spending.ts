// Which transfers the policy counts, and how much of them.
import { addUsdc, type Usdc } from '../../money.ts';
import type { Spent } from './policy.ts';
import { isOpen, isVoid } from './states.ts';
import type { ModelRequest } from './model-request.ts';
import type { Transfer } from './transfer.ts';

/** Payments and charges are subject to the policy; the owner's own transfers are not. */
export const isSpending = ({ kind }: Pick<Transfer, 'kind'>): boolean =>
  kind === 'payment' || kind === 'charge';

/** A charge that was paid back: it counts as minus its amount. */
export const isCredit = ({ kind, state }: Pick<Transfer, 'kind' | 'state'>): boolean =>
  kind === 'refund' && state === 'final';

export const isReserved = (transfer: Pick<Transfer, 'kind' | 'state'>): boolean =>
  isSpending(transfer) && isOpen(transfer);

/** Since when a payment counts in number, in Unix milliseconds; null before its reservation, and once it is void. */
export const ratedAt = (transfer: Pick<Transfer, 'kind' | 'state' | 'reservedAt'>): number | null =>
  isSpending(transfer) && !isVoid(transfer) ? transfer.reservedAt : null;

/** Micro-USDC that an ended transfer adds to the sum of its window. */
export const countedAmount = (transfer: Pick<Transfer, 'kind' | 'state' | 'amount'>): bigint => {
  if (isCredit(transfer)) return -transfer.amount;
  return transfer.state === 'final' ? transfer.amount : 0n;
};

/** The sum that counts against a daily budget: reserved, or paid in the last 24 hours. */
export const spentToday = ({ open, final }: Pick<Spent, 'open' | 'final'>): Usdc => addUsdc(open, final);

/** How a row counts in the sums of a node: of a transfer, or of a request to a language model. */
export interface Counts {
  held: { amount: bigint; fees: bigint } | null;
  /** Since when it counts in number, in Unix milliseconds. */
  rated: number | null;
  /** When the cooldown after it began. */
  reservedAt: number | null;
  ended: { at: number; amount: bigint; fees: bigint } | null;
}

export const nothingCounted: Counts = { held: null, rated: null, reservedAt: null, ended: null };

export const countsOf = (transfer: Transfer, countedAt: number | null): Counts => ({
  held: isReserved(transfer) ? { amount: transfer.amount, fees: transfer.feeLamports } : null,
  rated: ratedAt(transfer),
  reservedAt: transfer.reservedAt,
  ended:
    countedAt === null
      ? null
      : { at: countedAt, amount: countedAmount(transfer), fees: transfer.feeLamports },
});

export const countsOfRequest = ({ state, bound, amount, reservedAt }: ModelRequest): Counts => ({
  ...nothingCounted,
  held: state === 'held' ? { amount: bound, fees: 0n } : null,
  ended: amount === null || reservedAt === null ? null : { at: reservedAt, amount, fees: 0n },
});
