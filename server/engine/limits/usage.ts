// The used part of the budgets and numbers of payments in force on a node.
import { formatUsdc, usdc, type Usdc } from '../../money.ts';
import type { ServiceLimitField } from '../../contract/limits/service-limits.ts';
import type { NodeFacts, WindowSums } from './node-facts.ts';
import { budgetFields, budgetWindows, rateFields, rateWindows, serviceWindows } from './windows.ts';

interface Used<T> {
  limit: T;
  used: T;
  left: T;
  /** When some of it is free again, in Unix milliseconds; null while some is left, and where waiting does not help. */
  freeAt: number | null;
}

export interface UsedBudget extends Used<string> {
  field: (typeof budgetFields)[keyof typeof budgetFields];
}
export interface UsedAtService extends Used<string> {
  serviceId: string;
  field: ServiceLimitField;
}
export interface UsedRate extends Used<number> {
  field: (typeof rateFields)[keyof typeof rateFields];
}

/** The amount that the tightest budget leaves; null without any. */
export const leastLeft = ({ limits, spent }: NodeFacts): Usdc | null => {
  const lefts = budgetWindows.flatMap((window) => {
    const limit = limits[budgetFields[window]];
    return limit === null ? [] : [leftOf(limit, spent(window))];
  });
  return lefts.reduce<Usdc | null>((least, left) => (least === null || left < least ? left : least), null);
};

const leftOf = (limit: Usdc, used: Usdc): Usdc => usdc(used < limit ? limit - used : 0n);

/** In the order in which they are checked; amounts in decimal USDC. */
export const budgetsUsed = ({ limits, spent, freedAt }: NodeFacts): UsedBudget[] =>
  budgetWindows.flatMap((window) => {
    const field = budgetFields[window];
    const limit = limits[field];
    return limit === null ? [] : [{ field, ...usedOf({ spent, freedAt }, window, limit) }];
  });

/** By the names of the services. */
export const usedAtServices = ({ limits, atService }: NodeFacts): UsedAtService[] =>
  Object.entries(limits.serviceLimits ?? {}).flatMap(([serviceId, limit]) =>
    serviceWindows.flatMap((window) => {
      const field = budgetFields[window];
      const most = limit[field];
      return most === undefined ? [] : [{ serviceId, field, ...usedOf(atService(serviceId), window, most) }];
    }),
  );

const usedOf = <Window>(
  { spent, freedAt }: WindowSums<Window>,
  window: Window,
  limit: Usdc,
): Used<string> => {
  const used = spent(window);
  const left = leftOf(limit, used);
  const freeAt = left > 0n || limit === 0n ? null : freedAt(window, usdc(used - limit + 1n));
  return { limit: formatUsdc(limit), used: formatUsdc(used), left: formatUsdc(left), freeAt };
};

export const ratesUsed = ({ limits, payments, fewerAt }: NodeFacts): UsedRate[] =>
  rateWindows.flatMap((window) => {
    const field = rateFields[window];
    const limit = limits[field];
    if (limit === null) return [];
    const used = payments(window);
    const left = Math.max(0, limit - used);
    const freeAt = left > 0 || limit === 0 ? null : fewerAt(window, used - limit + 1);
    return [{ field, limit, used, left, freeAt }];
  });
