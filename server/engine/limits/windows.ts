// The windows in which money and payments count. An open payment counts in each of them, however old it is.
import type { MonthIn } from '../../lib/local-days.ts';
import type { Limits, MeterName } from '../ports.ts';

export const budgetFields = {
  day: 'dailyBudget',
  week: 'weeklyBudget',
  month: 'monthlyBudget',
  total: 'totalBudget',
} as const satisfies Record<string, keyof Limits>;
export type BudgetWindow = keyof typeof budgetFields;
export const budgetWindows = Object.keys(budgetFields) as BudgetWindow[];

/** Those that a boost raises, together. */
export const boostedWindows = ['day', 'week', 'month'] as const satisfies readonly BudgetWindow[];

export const rateFields = {
  hour: 'paymentsPerHour',
  day: 'paymentsPerDay',
} as const satisfies Record<string, keyof Limits>;
export type RateWindow = keyof typeof rateFields;
export const rateWindows = Object.keys(rateFields) as RateWindow[];

const hourMs = 3_600_000;
export const rollingMs = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs } as const;

export interface Moment {
  /** Unix milliseconds. */
  now: number;
  /** The calendar month of the owner's time zone. */
  month: MonthIn;
  /** Unix milliseconds: since when the total budget counts. */
  totalSince: number;
}

/** Rows count when they are later than this: Unix milliseconds. */
export const edgeOf = (window: BudgetWindow | RateWindow, { now, month, totalSince }: Moment): number => {
  if (window === 'month') return month.from - 1;
  if (window === 'total') return totalSince - 1;
  return now - rollingMs[window];
};

/** The sums that limits in force need, apart from the daily budget's, which is always kept. */
export const metersOf = (limits: Limits): MeterName[] => [
  ...budgetWindows.flatMap((window) =>
    window === 'day' || limits[budgetFields[window]] === null ? [] : [window],
  ),
  ...rateWindows.filter((window) => limits[rateFields[window]] !== null),
];
