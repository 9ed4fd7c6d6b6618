// Sums of spending by agent and by service, as the charts and the month tell them.
import { addUsdc, formatUsdc, usdc, type Usdc } from '../../money.ts';
import type { EngineContext } from '../calls/call.ts';

export interface Sum {
  amount: Usdc;
  payments: number;
}
export type Sums = Map<string, Sum>;

export const nothing: Sum = { amount: usdc(0n), payments: 0 };

const plus = (a: Sum, b: Sum): Sum => ({
  amount: addUsdc(a.amount, b.amount),
  payments: a.payments + b.payments,
});

export const summed = (all: Iterable<Sum>): Sum => [...all].reduce(plus, nothing);

export const add = <K extends string>(sums: Map<K, Sum>, name: K, sum: Sum): void =>
  void sums.set(name, plus(sums.get(name) ?? nothing, sum));

export const largestFirst = (sums: Sums): [string, Sum][] =>
  [...sums].toSorted(([, a], [, b]) => (a.amount === b.amount ? 0 : a.amount < b.amount ? 1 : -1));

/** What was paid back of an earlier time leaves no fewer payments than none. */
export const view = ({ amount, payments }: Sum) => ({
  amount: formatUsdc(amount),
  payments: Math.max(0, payments),
});

/** The largest first. */
export const byAgent = (agents: Sums) =>
  largestFirst(agents).map(([agentId, sum]) => ({ agentId, ...view(sum) }));

/** The largest first. */
export const byService = (context: Pick<EngineContext, 'store'>, services: Sums) =>
  largestFirst(services).map(([serviceId, sum]) => ({
    serviceId,
    service: serviceName(context, serviceId),
    ...view(sum),
  }));

export const serviceName = ({ store }: Pick<EngineContext, 'store'>, serviceId: string): string =>
  serviceId === '' ? 'Before the restore' : (store.services.get(serviceId)?.name ?? serviceId);
