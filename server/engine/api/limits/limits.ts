// The used part of an agent's limits; the owner's daily limit for all agents; and the time zone by which limits count.
import type { Reply } from '../../../contract/schemas.ts';
import { invariant } from '../../../errors.ts';
import { formatUsdc } from '../../../money.ts';
import { agentNamed, done, keyIdOf, type EngineContext } from '../../calls/call.ts';
import { boostTold, dayBudget, inForceTold } from '../../calls/day-budget.ts';
import { forecastOf } from '../../calls/forecast.ts';
import { isoOrNull } from '../../calls/views.ts';
import { zoneOf } from '../../calls/zone.ts';
import { scopeOfAll } from '../../domain/limits.ts';
import type { NodeFacts } from '../../limits/node-facts.ts';
import { nodeNow, pathOf } from '../../limits/path.ts';
import { pathNow } from '../../payment/decision/charge-path.ts';
import { budgetsUsed, ratesUsed, usedAtServices } from '../../limits/usage.ts';
import { changeLimits, limitsTold } from './limit-changes.ts';
import { changeRules } from '../../payment/owner/rejudge.ts';
import type { SomeOperations } from '../../ports.ts';

/** The owner's daily limit for all agents, and what they have spent together in 24 hours. */
export const ceilingView = (
  context: Pick<EngineContext, 'store' | 'time' | 'calendar'>,
): Reply<'getCeiling'> => {
  const { dailyBudget } = context.store.limits.get(scopeOfAll);
  const budget = dayBudget(context, scopeOfAll);
  return {
    dailyBudget: dailyBudget === null ? null : formatUsdc(dailyBudget),
    spent: formatUsdc(budget.spent),
    inForce: inForceTold(budget),
  };
};

const told = <U extends { freeAt: number | null }>(used: U) => ({ ...used, freeAt: isoOrNull(used.freeAt) });

/** The use of a node's limits. */
export const usedOf = (facts: NodeFacts) => ({
  budgets: budgetsUsed(facts).map(told),
  rates: ratesUsed(facts).map(told),
  services: usedAtServices(facts).map(told),
  opensAt: isoOrNull(facts.opensAt()),
  expiresAt: isoOrNull(facts.limits.expiresAt),
  boost: boostTold(facts.boost),
});

const treasuryView = (context: EngineContext): Reply<'getTreasuryLimits'> => ({
  ...limitsTold(context, scopeOfAll),
  used: usedOf(nodeNow(context, scopeOfAll, context.time.now())),
});

export const limitOperations = (context: EngineContext) => {
  const { store, time, publish } = context;
  return {
    getLimits({ caller, params }) {
      const agent = agentNamed(store, params.agentId);
      const { agentId } = agent;
      const now = time.now();
      const path = pathNow(store, agentId, keyIdOf(caller));
      const nodes = pathOf(context, { ...path, agentId, isClaimed: false, now, own: null });
      const [lowest] = nodes;
      invariant(lowest !== undefined, 'a path begins with the node that pays');
      const above = caller.role === 'owner' ? nodes.slice(1) : [];
      // The pace is the agent's: a delegated key is told nothing of it.
      const isDelegated = lowest.node.kind === 'key';
      return done({
        agentId,
        ...usedOf(lowest),
        forecast: isDelegated
          ? { usedUp: [], monthEnd: null }
          : forecastOf(context, agent, budgetsUsed(lowest), now),
        above: above.map((facts) => ({ node: { ...facts.node }, ...usedOf(facts) })),
      });
    },

    getCeiling: () => done(ceilingView(context)),

    async setCeiling({ body }) {
      await changeLimits(context, scopeOfAll, body);
      return done(ceilingView(context));
    },

    getTreasuryLimits: () => done(treasuryView(context)),

    async setTreasuryLimits({ body }) {
      await changeLimits(context, scopeOfAll, body);
      return done(treasuryView(context));
    },

    getTimeZone: () => done({ timeZone: zoneOf(context) }),

    setTimeZone({ body: { timeZone } }) {
      changeRules(context, () => {
        if (store.policies.zone() !== timeZone) store.policies.setZone(timeZone, time.now());
      });
      publish({ type: 'ceiling' });
      return done({ timeZone });
    },
  } satisfies SomeOperations;
};
