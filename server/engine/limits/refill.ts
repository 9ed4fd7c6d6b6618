// When is an agent refilled, and with how much? Pure functions of facts read in the same transaction.
import { leastRefill } from '../../contract/limits/refills.schemas.ts';
import { usdc, type Usdc } from '../../money.ts';
import type { Refill } from '../ports.ts';

export interface RefillFacts {
  refill: Refill;
  /** Spendable in the wallet, as last read: less than zero is nothing. */
  spendable: Usdc;
  /** Allocations on their way to the wallet. */
  underWay: Usdc;
  /** Refills of the last 24 hours, open or final. */
  refilled: Usdc;
  /** The most that one allocation can move. */
  source: Usdc;
  /** When the last refill was made, in Unix milliseconds; null: never. */
  lastAt: number | null;
  /** The refills that failed one after another since the last that did not. */
  failures: number;
  isOneOpen: boolean;
  /** Whether one more network fee fits under the agent's limit of them. */
  mayCostFees: boolean;
}

const minuteMs = 60_000;
const longestPauseMs = 60 * minuteMs;
/** After a failure the pause begins at a minute and doubles up to an hour. */
const pauseAfter = (failures: number): number =>
  Math.min(minuteMs * 2 ** Math.max(0, failures - 1), longestPauseMs);

/** The amount to allocate now; null when none is due. @param now Unix milliseconds */
export const refillDue = (facts: RefillFacts, now: number): Usdc | null => {
  const { refill, spendable, underWay, refilled, source, lastAt, failures } = facts;
  if (facts.isOneOpen || !facts.mayCostFees) return null;
  if (lastAt !== null && now < lastAt + pauseAfter(failures)) return null;
  const held = (spendable > 0n ? spendable : 0n) + underWay;
  if (held >= refill.below) return null;
  const amount = [refill.to - held, refill.perDay - refilled, source].reduce((a, b) => (a < b ? a : b));
  return amount < leastRefill ? null : usdc(amount);
};
