// The used part of an agent's limits; the owner's ceiling over all agents; and the time zone by which limits count.
import type { Reply } from '../../contract/schemas.ts';
import { invariant } from '../../errors.ts';
import { formatUsdc } from '../../money.ts';
import { agentNamed, done, type EngineContext } from '../calls/call.ts';
import { forecastOf } from '../calls/forecast.ts';
import { isoOrNull } from '../calls/views.ts';
import { spentToday } from '../domain/spending.ts';
import { pathOf } from '../limits/path.ts';
import { budgetsUsed, ratesUsed } from '../limits/usage.ts';
import { announceApproval } from '../payment/approval.ts';
import { takeAwayUnfit } from '../payment/rejudge.ts';
import type { Operation } from '../ports.ts';

export interface LimitOperations {
  getLimits: Operation<'getLimits'>;
  getCeiling: Operation<'getCeiling'>;
  setCeiling: Operation<'setCeiling'>;
  getTimeZone: Operation<'getTimeZone'>;
  setTimeZone: Operation<'setTimeZone'>;
}

/** The owner's ceiling over all agents, and what they have spent together in 24 hours. */
export const ceilingView = ({ store, time }: Pick<EngineContext, 'store' | 'time'>): Reply<'getCeiling'> => {
  const dailyBudget = store.policies.ceiling();
  return {
    dailyBudget: dailyBudget === null ? null : formatUsdc(dailyBudget),
    spent: formatUsdc(spentToday(store.spend.at(null, time.now()))),
  };
};

const told = <U extends { freeAt: number | null }>(used: U) => ({ ...used, freeAt: isoOrNull(used.freeAt) });

export const limitOperations = (context: EngineContext): LimitOperations => {
  const { store, time, publish } = context;

  return {
    getLimits({ params }) {
      const { agentId } = agentNamed(store, params.agentId);
      const now = time.now();
      const [agent] = pathOf(context, { agentId, isClaimed: false, now, own: null });
      invariant(agent !== undefined, 'a path begins with the agent');
      const budgets = budgetsUsed(agent);
      return done({
        agentId,
        budgets: budgets.map(told),
        rates: ratesUsed(agent).map(told),
        forecast: forecastOf(context, agentId, budgets, now),
        opensAt: isoOrNull(agent.opensAt()),
        expiresAt: isoOrNull(agent.limits.expiresAt),
      });
    },

    getCeiling: () => done(ceilingView(context)),

    setCeiling({ body }) {
      const unfit = store.atomically(() => {
        store.policies.setCeiling(body.dailyBudget, time.now());
        return takeAwayUnfit(context);
      });
      for (const { id } of unfit) announceApproval(context, id);
      publish({ type: 'ceiling' });
      return done(ceilingView(context));
    },

    getTimeZone: () => done({ timeZone: store.policies.zone() ?? 'UTC' }),

    setTimeZone({ body: { timeZone } }) {
      const unfit = store.atomically(() => {
        if (store.policies.zone() !== timeZone) store.policies.setZone(timeZone, time.now());
        return takeAwayUnfit(context);
      });
      for (const { id } of unfit) announceApproval(context, id);
      publish({ type: 'ceiling' });
      return done({ timeZone });
    },
  };
};
