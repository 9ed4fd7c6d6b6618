// The catalog's knowledge of a service in plain words.
import type { Reply } from '../../../server/contract/schemas.ts';
import { counted } from '../../shared/format.ts';
import { whenOf } from '../../shared/time.ts';
import type { Order, Service, Source } from './use-catalog.ts';

export const sources: Record<Source, string> = {
  'svc-native': 'Built in',
  'model-registry': 'Model',
  'x402-marketplace': 'Marketplace',
};

export const orders: Record<Order, string> = {
  used: 'Most used',
  best: 'Most useful first',
  price: 'Lowest price first',
  name: 'By name',
};

/** A category as a label: sellers write it in small letters. */
export const categoryLabel = (category: string): string =>
  category.replace(/^./, (letter) => letter.toUpperCase());

export const pathOfService = (id: string): string => `/catalog/service/${encodeURIComponent(id)}`;

export type CatalogSource = Reply<'addSource'>;

/** Such as `300 of 5,000 read: 120 added, 2 changed, 1 gone, 160 not payable here`. */
export const progressOf = (source: CatalogSource): string => {
  const { done, total, added, changed, vanished, notPayable, error } = source;
  const most = total === null ? '' : ` of ${total.toLocaleString('en')}`;
  const read = `${done.toLocaleString('en')}${most} read: ${added} added, ${changed} changed, ${vanished} gone, ${notPayable} not payable here`;
  return error === null ? read : `${error} ${read}`;
};

/**
 * Such as `12 calls`, `91% answered`, `usually within 340 ms`, `last seen 12:30`; of fewer than five calls only those that failed: `2 of 3 calls answered`, `1 call failed`.
 * A call is one whose delivery is known.
 * @param paid payments of the last 90 days, by any way; undefined where they are not known
 */
export const experienceOf = (
  { source, reputation: { calls, successRate, medianLatencyMs, lastSeenAt } }: Experienced,
  { paid, now = new Date() }: { paid?: number | undefined; now?: Date } = {},
): string[] => [
  ...(paid === undefined ? [] : [`${paid === 0 ? 'no payment' : counted(paid, 'payment')} in 90 days`]),
  ...(successRate === null
    ? paid === undefined
      ? []
      : ['no delivery reported yet']
    : calls >= fewCalls && successRate > 0
      ? // Rounded down, so that one failure among thousands still shows.
        [counted(calls, 'call'), `${Math.floor(successRate * 100)}% answered`]
      : successRate === 1
        ? []
        : [failuresIn(source, calls, Math.round(successRate * calls))]),
  ...(medianLatencyMs === null || calls < fewCalls ? [] : [`usually within ${duration(medianLatencyMs)}`]),
  ...(lastSeenAt === null || (calls < fewCalls && successRate === 1)
    ? []
    : [`last seen ${whenOf(lastSeenAt, now)}`]),
];

type Experienced = Pick<Service, 'source' | 'reputation'>;

/** A picture that was not made is paid back: it is no payment, in any sum. */
const failuresIn = (source: Source, calls: number, answered: number): string => {
  if (source === 'model-registry') return `${calls - answered} refunded`;
  return answered === 0
    ? `${counted(calls, 'call')} failed`
    : `${answered} of ${counted(calls, 'call')} answered`;
};

/** A percentage of fewer, or what is usual among them, says more than is known. */
const fewCalls = 5;

const duration = (ms: number): string =>
  ms < 1_000 ? `${Math.ceil(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
