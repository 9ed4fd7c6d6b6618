// Changes the limits of a group, of a delegated API key or of the treasury, and those of a policy.
import type { Context } from '../../payment/context.ts';
import { totalSinceOf } from '../../domain/limits.ts';
import type { Limits, Scope } from '../../ports.ts';
import {
  mostServiceLimits,
  withServiceLimits,
  type ChangeOf,
} from '../../../contract/limits/service-limits.ts';
import { tellLimits } from '../../../contract/limits/policy-fields.ts';
import { fieldError } from '../../../errors.ts';
import { unknownServices, withServiceNames } from '../service-names.ts';
import { beginMeters, keepMeters, prepareMeters } from '../../limits/meters.ts';

export type LimitsChange = ChangeOf<Limits>;

/** Only sent fields change, and only the limits at services that are named. An empty list of services limits nothing, as null does. */
export const changed = <L extends Limits>(limits: L, change: ChangeOf<L>): L => {
  const sent = Object.entries(change).filter(([, value]) => value !== undefined);
  const after: L = { ...limits, ...Object.fromEntries(sent) };
  if (change.serviceLimits === undefined) return after;
  const serviceLimits = withServiceLimits(limits.serviceLimits, change.serviceLimits);
  if (Object.keys(serviceLimits ?? {}).length > mostServiceLimits)
    throw fieldError(
      'serviceLimits',
      `must limit at most ${mostServiceLimits} services; take one away with null`,
    );
  return { ...after, serviceLimits };
};

/** The limits of a node as its owner reads them. */
export const limitsTold = (context: Context, scope: Scope) => {
  const limits = limitsOf(context, scope);
  return { limits: tellLimits(limits), unknownServices: unknownServices(context, limits) };
};

export const limitsOf = ({ store }: Context, scope: Scope): Limits => {
  const { version: _version, totalSince: _since, ...limits } = store.limits.get(scope);
  return limits;
};

const changedAt = (context: Context, scope: Scope, change: LimitsChange): Limits => {
  const limits = limitsOf(context, scope);
  return changed(limits, withServiceNames(context, limits, change));
};

/** Sums what the changed limits will count (nothing of the past for a total that begins), so that the transaction that puts them in force is short. */
export const prepareLimits = async (context: Context, scope: Scope, change: LimitsChange): Promise<void> => {
  const now = context.time.now();
  const totalSince = totalSinceOf(context.store.limits.get(scope), now);
  const limits = changedAt(context, scope, change);
  await prepareMeters(context, { scope, limits, totalSince }, now);
};

/** Of a node that is new, in the transaction that makes it. */
export const beginLimits = (context: Context, scope: Scope, change: LimitsChange): void => {
  const { store, time } = context;
  const limits = changedAt(context, scope, change);
  const { totalSince } = store.limits.set(scope, limits, time.now());
  beginMeters(context, { scope, limits, totalSince }, time.now());
};

/** Run it in the transaction that changes the limits, with `takeAwayUnfit` for the agents under them. */
export const setLimits = (context: Context, scope: Scope, change: LimitsChange): void => {
  const { store, time } = context;
  const limits = changedAt(context, scope, change);
  const { totalSince } = store.limits.set(scope, limits, time.now());
  keepMeters(context, { scope, limits, totalSince }, time.now());
};
