// When budgets will be used up at the rate of the last three hours, and what the month will have cost at the pace of its
// weekdays. Pure; null where there is not enough to go by.
import { formatUsdc, usdc, type Usdc } from '../../money.ts';
import { rollingMs, type BudgetWindow } from './windows.ts';

export const rateMs = 3 * 3_600_000;
/** Fewer payments in three hours are no rate. */
const leastPayments = 3;
const dayMs = 86_400_000;
/** The days before today by which a weekday is known, and how many of them need to have had payments. */
export const paceDays = 28;
const leastDays = 7;
/** A total budget that lasts longer is not foreseen. */
const farthestMs = 365 * dayMs;

/** Of the last three hours. */
export interface Rate {
  spent: Usdc;
  payments: number;
}

export interface Foreseen {
  /** Unix milliseconds. */
  at: number;
  basis: string;
}

/** When a budget is used up; null when it is already, when it will not be, and when nobody can tell. */
export const usedUpAt = (
  { window, limit, used }: { window: BudgetWindow; limit: Usdc; used: Usdc },
  { spent, payments }: Rate,
  { now, monthEnds }: { now: number; monthEnds: number },
): Foreseen | null => {
  if (payments < leastPayments || spent <= 0n || used >= limit) return null;
  const left = Math.ceil((Number(limit - used) * rateMs) / Number(spent));
  const within = { day: rollingMs.day, week: rollingMs.week, month: monthEnds - now, total: farthestMs }[
    window
  ];
  return left > within
    ? null
    : {
        at: now + left,
        basis: `at the rate of the last three hours, ${formatUsdc(spent)} USDC in ${payments} payments`,
      };
};

export interface SpentDay {
  /** Its midnight in Unix milliseconds, UTC. */
  day: number;
  amount: Usdc;
}

/** The cost of the whole month: the sum spent, and for each day that is left the mean of its weekday. */
export const monthEnd = (
  spent: Usdc,
  days: readonly SpentDay[],
  { now, monthEnds }: { now: number; monthEnds: number },
): { amount: Usdc; basis: string } | null => {
  const today = Math.floor(now / dayMs) * dayMs;
  const known = days.filter(({ day }) => day < today && day >= today - paceDays * dayMs);
  if (new Set(known.filter(({ amount }) => amount > 0n).map(({ day }) => day)).size < leastDays) return null;
  const oldest = Math.min(...known.map(({ day }) => day));
  const weeks = Math.max(1, Math.round((today - oldest) / (7 * dayMs)));
  const weekdays = Array.from({ length: 7 }, () => 0n);
  for (const { day, amount } of known) weekdays[weekdayOf(day)] = (weekdays[weekdayOf(day)] ?? 0n) + amount;
  let sum: bigint = spent;
  for (let day = today + dayMs; day < monthEnds; day += dayMs)
    sum += (weekdays[weekdayOf(day)] ?? 0n) / BigInt(weeks);
  const span = weeks === 1 ? 'last week' : `last ${weeks} weeks`;
  return { amount: usdc(sum), basis: `judging by the ${span}` };
};

const weekdayOf = (day: number): number => new Date(day).getUTCDay();
