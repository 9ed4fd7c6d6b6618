// The windows in which money and payments count. An open payment counts in each of them, however old it is.
import type { MonthIn } from '../../lib/local-days.ts';
import { scopeOfService } from '../domain/limits.ts';
import type { Limits, MeterKey, MeterName, Scope } from '../ports.ts';

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

/** The windows of a node's limits at one service, with their sums. */
export const serviceMeters = { day: 'spent-day', month: 'month' } as const satisfies Partial<
  Record<BudgetWindow, MeterName>
>;
export type ServiceWindow = keyof typeof serviceMeters;
export const serviceWindows = Object.keys(serviceMeters) as ServiceWindow[];

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
export const edgeOf = (window: MeterName, { now, month, totalSince }: Moment): number => {
  if (window === 'reserved') return 0;
  if (window === 'month') return month.from - 1;
  if (window === 'total') return totalSince - 1;
  return now - rollingMs[window === 'spent-day' ? 'day' : window];
};

/** The sums that a node's limits in force need, apart from the daily budget's, which is always kept. */
export const metersOf = (scope: Scope, limits: Limits): MeterKey[] => {
  const names: MeterName[] = [
    ...budgetWindows.flatMap((window) =>
      window === 'day' || limits[budgetFields[window]] === null ? [] : [window],
    ),
    ...rateWindows.filter((window) => limits[rateFields[window]] !== null),
  ];
  const atServices = Object.entries(limits.serviceLimits ?? {}).flatMap(([serviceId, limit]) => {
    const spent = serviceWindows.flatMap((window) =>
      limit[budgetFields[window]] === undefined ? [] : [serviceMeters[window]],
    );
    const needed: MeterName[] = spent.length === 0 ? [] : ['reserved', ...spent];
    return needed.map((name) => ({ scope: scopeOfService(scope, serviceId), name }));
  });
  return [...names.map((name) => ({ scope, name })), ...atServices];
};
