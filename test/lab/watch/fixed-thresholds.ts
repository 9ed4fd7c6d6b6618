// The watch that others have: fixed numbers, the same for every agent. Rules have to be better than this. It looks at
// payments, as such limits do: what the policy refused needs no stop.
import { minuteMs } from './chances.ts';
import type { Watch } from './score.ts';
import type { Event } from './trace.ts';

export interface Thresholds {
  /** Payments of an agent in five minutes; the next one is stopped. */
  payments: number;
  /** Times the median price of the service so far; a payment above it is stopped. */
  times: number;
}

const windowMs = 5 * minuteMs;

export const fixedThresholds = ({ payments, times }: Thresholds): Watch => {
  const medianBefore = createMedians();
  return ({ before, today }, { at, service, amount, isRefused }) => {
    if (isRefused) return null;
    if (paidSince(today, at - windowMs) >= payments) return { rule: 'payments', about: '' };
    const median = medianBefore(before, service) ?? medianOf(today.filter((one) => isOf(one, service)));
    if (median !== null && Number(amount) > times * Number(median)) return { rule: 'price', about: service };
    return null;
  };
};

const paidSince = (events: readonly Event[], since: number): number => {
  let count = 0;
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event === undefined || event.at <= since) break;
    if (event.outcome !== 'refused') count += 1;
  }
  return count;
};

const isOf = (event: Event, service: string): boolean =>
  event.service === service && event.outcome !== 'refused';

/** In micro-USDC; null for no payments. */
const medianOf = (events: readonly Event[]): bigint | null =>
  events.map(({ amount }): bigint => amount).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[
    Math.ceil(events.length / 2) - 1
  ] ?? null;

/** The medians of the days before by service, each made once. */
const createMedians = () => {
  const known = new WeakMap<readonly Event[], Map<string, bigint | null>>();
  return (before: readonly Event[], service: string): bigint | null => {
    const medians = known.get(before) ?? new Map<string, bigint | null>();
    known.set(before, medians);
    const median = medians.get(service) ?? medianOf(before.filter((one) => isOf(one, service)));
    medians.set(service, median);
    return median;
  };
};
