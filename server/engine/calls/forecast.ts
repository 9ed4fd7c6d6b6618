// The forecast of an agent's budgets, from sums that are kept anyway.
import type { Reply } from '../../contract/schemas.ts';
import { formatUsdc, parseUsdc, usdc, type Usdc } from '../../money.ts';
import { monthEnd, paceDays, rateMs, usedUpAt, type Rate } from '../limits/forecast.ts';
import type { UsedBudget } from '../limits/usage.ts';
import { budgetFields, budgetWindows } from '../limits/windows.ts';
import { amountIn, countIn } from '../watch/pace.ts';
import type { EngineContext } from './call.ts';
import { iso } from './views.ts';

type Reading = Pick<EngineContext, 'store' | 'calendar'>;

/** The amount that the agent's own requests took in the last three hours. */
const rateOf = ({ store }: Reading, agentId: string, now: number): Rate => {
  const parts = store.watch.agentMemory(agentId)?.sixHours.parts ?? [];
  return { spent: usdc(BigInt(amountIn(parts, rateMs, now))), payments: countIn(parts, rateMs, now) };
};

export const forecastOf = (
  reading: Reading,
  agentId: string,
  budgets: readonly UsedBudget[],
  now: number,
): Reply<'getLimits'>['forecast'] => {
  const { store, calendar } = reading;
  const month = calendar.monthAt(now);
  const moment = { now, monthEnds: month.to };
  const rate = rateOf(reading, agentId, now);
  const days = store.spend.agentByDay(agentId, Math.max(paceDays, 31) + 1, now);
  const sinceMonth = days.filter(({ day }) => day >= month.from - dayMs / 2);
  const spent = usdc(sinceMonth.reduce((sum, { amount }) => sum + amount, 0n));
  const atEnd = monthEnd(spent, sinceFirst(days), moment);
  return {
    usedUp: budgets.flatMap(({ field, limit, used }) => {
      const window = budgetWindows.find((one) => budgetFields[one] === field) ?? 'day';
      const found = usedUpAt({ window, limit: unitsOf(limit), used: unitsOf(used) }, rate, moment);
      return found === null ? [] : [{ field, at: iso(found.at), basis: found.basis }];
    }),
    monthEnd: atEnd === null ? null : { amount: formatUsdc(atEnd.amount), basis: atEnd.basis },
  };
};

const dayMs = 86_400_000;

/** Days before the agent's first payment say nothing about its pace. */
const sinceFirst = <D extends { amount: Usdc }>(days: readonly D[]): D[] => {
  const first = days.findIndex(({ amount }) => amount > 0n);
  return first === -1 ? [] : days.slice(first);
};

const unitsOf = (text: string): Usdc => parseUsdc(text) ?? usdc(0n);

/** When the daily budget of an agent is used up at its rate; null when nobody can tell. */
export const budgetEndOf = (
  reading: Reading,
  agentId: string,
  { limit, used, now }: { limit: Usdc; used: Usdc; now: number },
): string | null => {
  const moment = { now, monthEnds: reading.calendar.monthAt(now).to };
  const found = usedUpAt({ window: 'day', limit, used }, rateOf(reading, agentId, now), moment);
  return found === null ? null : iso(found.at);
};
