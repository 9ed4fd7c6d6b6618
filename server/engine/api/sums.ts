// Sums of spending by agent and by service, as the charts and the month tell them.
import { addUsdc, formatUsdc, usdc, type Usdc } from '../../money.ts';
import type { EngineContext } from '../calls/call.ts';

export interface Sum {
  amount: Usdc;
  payments: number;
  /** To language models, which are no payments. */
  requests: number;
}
export type Sums = Map<string, Sum>;

export const nothing: Sum = { amount: usdc(0n), payments: 0, requests: 0 };

const plus = (a: Sum, b: Sum): Sum => ({
  amount: addUsdc(a.amount, b.amount),
  payments: a.payments + b.payments,
  requests: a.requests + b.requests,
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
export const byAgent = <V extends object>(agents: Sums, viewed: (sum: Sum) => V) =>
  largestFirst(agents).map(([agentId, sum]) => ({ agentId, ...viewed(sum) }));

/** The largest first. */
export const byService = <V extends object>(
  context: Pick<EngineContext, 'store'>,
  services: Sums,
  viewed: (sum: Sum) => V,
) =>
  largestFirst(services).map(([serviceId, sum]) => ({
    serviceId,
    service: serviceName(context, serviceId),
    ...viewed(sum),
  }));

export const serviceName = ({ store }: Pick<EngineContext, 'store'>, serviceId: string): string =>
  serviceId === '' ? 'Before the restore' : (store.services.get(serviceId)?.name ?? serviceId);
