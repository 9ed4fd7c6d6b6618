// The budget of 24 hours of a node as it is in force: one figure for the dashboard, the command, the dry run and approvals.
import { invariant } from '../../errors.ts';
import { formatUsdc, subUsdc, usdc, type Usdc } from '../../money.ts';
import type { Boost, Scope } from '../ports.ts';
import { nodeNow, type Sums } from '../limits/path.ts';
import type { Context } from '../payment/context.ts';
import { iso, isoOrNull } from './views.ts';

type Reading = Sums & Pick<Context, 'time'>;

export interface DayBudget<Limit extends Usdc | null = Usdc | null> {
  /** With the boost, if one is in force; null: no limit. */
  limit: Limit;
  /** What counts against it, open rows included. */
  spent: Usdc;
  boost: Boost | null;
  /** When some of it is free again, in Unix milliseconds; null while some is left, and where waiting does not help. */
  freeAt: number | null;
}

export const dayBudget = (reading: Reading, scope: Scope): DayBudget => {
  const { limits, boost, spent, freedAt } = nodeNow(reading, scope, reading.time.now());
  const [limit, used] = [limits.dailyBudget, spent('day')];
  const freeUnder = (most: Usdc): number | null =>
    most > 0n && used >= most ? freedAt('day', usdc(subUsdc(used, most) + 1n)) : null;
  const freeAt = limit === null ? null : freeUnder(limit);
  const endsBefore = freeAt !== null && boost !== null && freeAt >= boost.until;
  return {
    limit,
    spent: used,
    boost,
    // From its end on, a boost raises nothing.
    freeAt: endsBefore && limit !== null ? freeUnder(subUsdc(limit, boost.amount)) : freeAt,
  };
};

/** Of an agent, which always has one. */
export const agentBudget = (reading: Reading, agentId: string): DayBudget<Usdc> => {
  const { limit, ...rest } = dayBudget(reading, agentId);
  invariant(limit !== null, 'an agent has a daily budget');
  return { limit, ...rest };
};

export const boostTold = (boost: Boost | null) =>
  boost === null ? null : { boostId: boost.id, amount: formatUsdc(boost.amount), until: iso(boost.until) };

/** As replies have it. */
export const inForceTold = <Limit extends Usdc | null>({ limit, boost, freeAt }: DayBudget<Limit>) => ({
  dailyBudget: (limit === null ? null : formatUsdc(limit)) as Limit extends null ? null : string,
  boost: boostTold(boost),
  freeAt: isoOrNull(freeAt),
});
