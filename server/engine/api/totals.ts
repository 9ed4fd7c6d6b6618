// The spending of a period under the activity's filter, by agent and by service.
import type { Query, Reply } from '../../contract/schemas.ts';
import { addUsdc, formatUsdc, usdc, type Usdc } from '../../money.ts';
import type { EngineContext } from '../calls/call.ts';
import type { SpentBy } from '../ports.ts';
import { queryOf } from './filter.ts';
import { periodOf } from './statement.ts';

/** Rows of one step, some milliseconds; payments go on between two steps. */
const rowsPerStep = 4_000;

interface Sum {
  amount: Usdc;
  payments: number;
}
const nothing: Sum = { amount: usdc(0n), payments: 0 };

export const totalsOf = async (context: EngineContext, query: Query<'totals'>): Promise<Reply<'totals'>> => {
  const { store } = context;
  const filter = queryOf(query);
  const found: SpentBy[] = [];
  const { after: oldest, before: newest } = store.transfers.between(periodOf(query));
  for (let before = newest; before > oldest + 1; before -= rowsPerStep) {
    const after = Math.max(oldest, before - 1 - rowsPerStep);
    found.push(...store.transfers.totals({ ...filter, before, after }));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return {
    ...told(summed(found)),
    settling: told(summed(found.map(({ settling }) => settling))),
    agents: largestFirst(found, ({ agentId }) => agentId).map(([agentId, sum]) => ({
      agentId,
      ...told(sum),
    })),
    services: largestFirst(found, ({ serviceId }) => serviceId).map(([serviceId, sum]) => ({
      serviceId,
      service: serviceName(context, serviceId),
      ...told(sum),
    })),
  };
};

const summed = (sums: readonly Sum[]): Sum =>
  sums.reduce<Sum>(
    (all, { amount, payments }) => ({
      amount: addUsdc(all.amount, amount),
      payments: all.payments + payments,
    }),
    nothing,
  );

const largestFirst = (found: readonly SpentBy[], nameOf: (sum: SpentBy) => string): [string, Sum][] =>
  [...Map.groupBy(found, nameOf)]
    .map(([name, sums]): [string, Sum] => [name, summed(sums)])
    .toSorted(([, a], [, b]) => (a.amount === b.amount ? 0 : a.amount < b.amount ? 1 : -1));

export const serviceName = ({ store }: Pick<EngineContext, 'store'>, serviceId: string): string =>
  serviceId === '' ? 'Before the restore' : (store.services.get(serviceId)?.name ?? serviceId);

export const told = ({ amount, payments }: { amount: Usdc; payments: number }) => ({
  amount: formatUsdc(amount),
  payments,
});
