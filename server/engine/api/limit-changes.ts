// Changes the limits of a group, of a delegated API key or of the treasury.
import type { Context } from '../payment/context.ts';
import { totalSinceOf } from '../domain/limits.ts';
import type { Limits, Scope } from '../ports.ts';
import { keepMeters, prepareMeters } from '../limits/meters.ts';

export type LimitsChange = { readonly [F in keyof Limits]?: Limits[F] | undefined };

/** Only sent fields change. An empty list of services limits nothing, as null does. */
const withChange = (limits: Limits, change: LimitsChange): Limits => {
  const sent = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return { ...limits, ...sent };
};

export const limitsOf = ({ store }: Context, scope: Scope): Limits => {
  const { version: _version, totalSince: _since, ...limits } = store.limits.get(scope);
  return limits;
};

/** Sums what the changed limits will count (nothing of the past for a total that begins), so that the transaction that puts them in force is short. */
export const prepareLimits = async (context: Context, scope: Scope, change: LimitsChange): Promise<void> => {
  const now = context.time.now();
  const totalSince = totalSinceOf(context.store.limits.get(scope), now);
  const limits = withChange(limitsOf(context, scope), change);
  await prepareMeters(context, { scope, limits, totalSince }, now);
};

/** Run it in the transaction that changes the limits, with `takeAwayUnfit` for the agents under them. */
export const setLimits = (context: Context, scope: Scope, change: LimitsChange): void => {
  const { store, time } = context;
  const limits = withChange(limitsOf(context, scope), change);
  const { totalSince } = store.limits.set(scope, limits, time.now());
  keepMeters(context, { scope, limits, totalSince }, time.now());
};
