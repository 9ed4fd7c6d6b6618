// When is an agent refilled, and with how much? Pure functions of facts read in the same transaction.
import { leastRefill } from '../../contract/limits/refills.schemas.ts';
import { atLeastZero, usdc, type Usdc } from '../../money.ts';
import type { Refill } from '../ports.ts';

export interface RefillFacts {
  refill: Refill;
  /** The least that the wallet may have to spend: less than zero is nothing. */
  least: Usdc;
  /** The most that it may hold: payments under way may not have left it, and others may have been taken off twice. */
  most: Usdc;
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

/**
 * The amount to allocate now; null when none is due. It is due by the least that the wallet may have, and fills up from
 * the most, so that no payment under way, however it was read, has it filled above `to`.
 * @param now Unix milliseconds
 */
export const refillDue = (facts: RefillFacts, now: number): Usdc | null => {
  const { refill, least, most, underWay, refilled, source, lastAt, failures } = facts;
  if (facts.isOneOpen || !facts.mayCostFees) return null;
  if (lastAt !== null && now < lastAt + pauseAfter(failures)) return null;
  if (atLeastZero(least) + underWay >= refill.below) return null;
  const missing = refill.to - atLeastZero(most) - underWay;
  const amount = [missing, refill.perDay - refilled, source].reduce((a, b) => (a < b ? a : b));
  return amount < leastRefill ? null : usdc(amount);
};
