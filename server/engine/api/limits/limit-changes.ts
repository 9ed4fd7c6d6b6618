// Changes the limits of a node: those of a group, of a delegated API key and of the treasury, and a policy, which has them too.
import type { EngineContext } from '../../calls/call.ts';
import type { Context } from '../../payment/context.ts';
import { totalSinceOf } from '../../domain/limits.ts';
import type { Limits, LimitsInForce, Policy, PolicyInForce, Scope } from '../../ports.ts';
import {
  mostServiceLimits,
  withServiceLimits,
  type ChangeOf,
} from '../../../contract/limits/service-limits.ts';
import { limitsInReply } from '../../../contract/limits/policy-fields.ts';
import { fieldError } from '../../../errors.ts';
import { unknownServices, withServiceNames } from '../service-names.ts';
import { beginMeters, keepMeters, prepareMeters } from '../../limits/meters.ts';
import { changeRules } from '../../payment/owner/rejudge.ts';

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
  return { limits: limitsInReply(limits), unknownServices: unknownServices(context, limits) };
};

const limitsOf = ({ store }: Context, scope: Scope): Limits => {
  const { version: _version, totalSince: _since, ...limits } = store.limits.get(scope);
  return limits;
};

const changedAt = (context: Context, scope: Scope, change: LimitsChange): Limits => {
  const limits = limitsOf(context, scope);
  return changed(limits, withServiceNames(context, limits, change));
};

/** Sums what a node's limits will count (nothing of the past for a total that begins), so that the transaction that puts them in force is short. */
export const prepareLimits = async (
  context: Context,
  scope: Scope,
  before: LimitsInForce,
  limits: Limits,
): Promise<void> => {
  const now = context.time.now();
  await prepareMeters(context, { scope, limits, totalSince: totalSinceOf(before, now) }, now);
};

/** Of a node that is new, in the transaction that makes it. */
export const beginLimits = (context: Context, scope: Scope, change: LimitsChange): void => {
  const now = context.time.now();
  const limits = context.store.limits.set(scope, changedAt(context, scope, change), now);
  beginMeters(context, { scope, limits, totalSince: limits.totalSince }, now);
};

/** Run it in the transaction that changes the limits, with `takeAwayUnfit` for the agents under them. */
export const setLimits = (context: Context, scope: Scope, change: LimitsChange): void => {
  const now = context.time.now();
  const limits = context.store.limits.set(scope, changedAt(context, scope, change), now);
  keepMeters(context, { scope, limits, totalSince: limits.totalSince }, now);
};

/** The same of an agent's policy. */
export const setPolicy = (context: Context, agentId: string, policy: Policy): PolicyInForce => {
  const now = context.time.now();
  const inForce = context.store.policies.set(agentId, policy, now);
  keepMeters(context, { scope: agentId, limits: inForce, totalSince: inForce.totalSince }, now);
  return inForce;
};

/**
 * Changes the limits of a group or of the treasury, and announces it.
 * @param bound the agents under the node; it may refuse the change. By default all.
 */
export const changeLimits = async (
  context: EngineContext,
  scope: Scope,
  change: LimitsChange,
  bound?: () => readonly string[],
): Promise<void> => {
  await prepareLimits(context, scope, context.store.limits.get(scope), changedAt(context, scope, change));
  changeRules(context, () => setLimits(context, scope, change), bound);
  announceLimits(context, bound?.());
};

/** @param agents those that are shown with the node */
export const announceLimits = ({ publish }: Context, agents: readonly string[] = []): void => {
  for (const agentId of agents) publish({ type: 'agent', agentId });
  publish({ type: 'ceiling' });
};
