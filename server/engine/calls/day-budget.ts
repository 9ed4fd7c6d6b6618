// The budget of 24 hours of a node as it is in force: one figure for the dashboard, the command, the dry run and approvals.
import { invariant } from '../../errors.ts';
import { formatUsdc, type Usdc } from '../../money.ts';
import type { Boost, Scope } from '../ports.ts';
import { spentToday } from '../domain/spending.ts';
import { inForce } from '../limits/path.ts';
import type { Context } from '../payment/context.ts';

type Reading = Pick<Context, 'store' | 'time'>;

/** `limit`: with the boost, if one is in force; null: no limit. `spent`: what counts against it, open rows included. */
export const dayBudget = (
  { store, time }: Reading,
  scope: Scope,
): { limit: Usdc | null; spent: Usdc; boost: Boost | null } => {
  const now = time.now();
  const { limits, boost } = inForce(store, scope, now);
  return { limit: limits.dailyBudget, spent: spentToday(store.spend.at(scope, now)), boost };
};

/** Of an agent, which always has one. */
export const agentBudget = (
  reading: Reading,
  agentId: string,
): { limit: Usdc; spent: Usdc; boost: Boost | null } => {
  const { limit, ...rest } = dayBudget(reading, agentId);
  invariant(limit !== null, 'an agent has a daily budget');
  return { limit, ...rest };
};

export const boostTold = (boost: Boost | null) =>
  boost === null
    ? null
    : {
        boostId: boost.id,
        amount: formatUsdc(boost.amount),
        until: new Date(boost.until).toISOString(),
      };
