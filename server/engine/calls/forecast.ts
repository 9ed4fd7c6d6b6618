// The forecast of an agent's budgets, from sums that are kept anyway.
import type { Reply } from '../../contract/schemas.ts';
import { formatUsdc, parseUsdc, usdc, type Usdc } from '../../money.ts';
import { monthEnd, paceDays, rateMs, usedUpAt, type Rate } from '../limits/forecast.ts';
import type { UsedBudget } from '../limits/usage.ts';
import { budgetFields, budgetWindows } from '../limits/windows.ts';
import { amountIn, countIn } from '../watch/pace.ts';
import type { Agent } from '../ports.ts';
import type { EngineContext } from './call.ts';
import { iso } from './views.ts';

type Reading = Pick<EngineContext, 'store' | 'calendar'>;
type Foreseen = Pick<Agent, 'agentId' | 'status'>;

/** An agent that has not paid for longer is idle. */
const idleMs = 15 * 60_000;
/** A rate is known from then on. */
const leastHistoryMs = 3_600_000;

/** The amount that the agent's own requests took in the last three hours; null for an agent that is paused, idle, or new. */
const rateOf = ({ store }: Reading, { agentId, status }: Foreseen, now: number): Rate | null => {
  const memory = store.watch.agentMemory(agentId);
  const parts = memory?.sixHours.parts ?? [];
  // A request to a language model reserves no payment.
  const last = Math.max(store.spend.lastReservedAt(agentId) ?? 0, memory?.rhythm?.part ?? 0);
  const isAtWork = status === 'active' && last > now - idleMs;
  if (!isAtWork || (parts[0]?.[0] ?? now) > now - leastHistoryMs) return null;
  return { spent: usdc(BigInt(amountIn(parts, rateMs, now))), payments: countIn(parts, rateMs, now) };
};

export const forecastOf = (
  reading: Reading,
  agent: Foreseen,
  budgets: readonly UsedBudget[],
  now: number,
): Reply<'getLimits'>['forecast'] => {
  const { store, calendar } = reading;
  const month = calendar.monthAt(now);
  const moment = { now, monthEnds: month.to };
  const rate = rateOf(reading, agent, now);
  const days = store.spend.agentByDay(agent.agentId, Math.max(paceDays, 31) + 1, now);
  // As of a monthly budget, with what is reserved.
  const final = store.spend.above(agent.agentId, 'month', month.from - 1, now);
  const spent = usdc(final + store.spend.at(agent.agentId, now).open);
  const atEnd = agent.status === 'active' ? monthEnd(spent, sinceFirst(days), moment) : null;
  return {
    usedUp: budgets.flatMap(({ field, limit, used }) => {
      const window = budgetWindows.find((one) => budgetFields[one] === field) ?? 'day';
      const found = rate && usedUpAt({ window, limit: unitsOf(limit), used: unitsOf(used) }, rate, moment);
      return found === null ? [] : [{ field, at: iso(found.at), basis: found.basis }];
    }),
    monthEnd: atEnd && { ...atEnd, amount: formatUsdc(atEnd.amount), spent: formatUsdc(spent) },
  };
};

/** Days before the agent's first payment say nothing about its pace. */
const sinceFirst = <D extends { amount: Usdc }>(days: readonly D[]): D[] => {
  const first = days.findIndex(({ amount }) => amount > 0n);
  return first === -1 ? [] : days.slice(first);
};

const unitsOf = (text: string): Usdc => parseUsdc(text) ?? usdc(0n);

/** When the daily budget of an agent is used up at its rate; null when nobody can tell. */
export const budgetEndOf = (
  reading: Reading,
  agent: Foreseen,
  { limit, used, now }: { limit: Usdc; used: Usdc; now: number },
): string | null => {
  const moment = { now, monthEnds: reading.calendar.monthAt(now).to };
  const rate = rateOf(reading, agent, now);
  const found = rate && usedUpAt({ window: 'day', limit, used }, rate, moment);
  return found === null ? null : iso(found.at);
};
