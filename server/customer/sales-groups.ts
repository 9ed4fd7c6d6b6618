// Sales summed up by route or by day.
import { parseUsdc } from '../money.ts';
import type { Offers, Sale } from '../paywall/sales.ts';

export type By = 'route' | 'day';

/** Micro-USDC. */
export interface Group {
  name: string;
  sales: number;
  amount: bigint;
  refunds: number;
  refunded: bigint;
  /** 402s that were answered. */
  offers: number;
}

/** Service and route, as far as they were named. */
export const placeOf = ({ service, route }: Pick<Sale, 'service' | 'route'>): string =>
  [service, route].filter((one) => one !== null).join(' ') || '-';

/** In the order of their names, and the sum of all at the end. */
export const groupsOf = (by: By, sales: readonly Sale[], offers: readonly Offers[]): Group[] => {
  const groups = new Map<string, Group>();
  const sum = emptyGroup('all');
  const add = (name: string, more: Omit<Group, 'name'>): void => {
    const group = groups.get(name) ?? emptyGroup(name);
    groups.set(name, group);
    for (const one of [group, sum]) {
      one.sales += more.sales;
      one.amount += more.amount;
      one.refunds += more.refunds;
      one.refunded += more.refunded;
      one.offers += more.offers;
    }
  };
  for (const sale of sales) {
    const refunded = sale.refund?.landed === true ? unitsOf(sale.refund.amount) : 0n;
    const more = {
      sales: 1,
      amount: unitsOf(sale.amount),
      refunds: refunded > 0n ? 1 : 0,
      refunded,
      offers: 0,
    };
    add(by === 'route' ? placeOf(sale) : sale.grantedAt.slice(0, 10), more);
  }
  const { name: _, ...none } = emptyGroup('');
  for (const { made, ...offer } of offers)
    add(by === 'route' ? placeOf(offer) : offer.day, { ...none, offers: made });
  return [...[...groups.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), sum];
};

const emptyGroup = (name: string): Group => ({
  name,
  sales: 0,
  amount: 0n,
  refunds: 0,
  refunded: 0n,
  offers: 0,
});

const unitsOf = (amount: string): bigint => parseUsdc(amount) ?? 0n;
