// What happened, for the owner: every movement and refusal, one of them with all that is known, and sums by day.
import type { Query } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { formatUsdc, usdc } from '../../money.ts';
import { done, type EngineContext } from '../api.ts';
import type { Operation, SpentOnDay, Transfer } from '../ports.ts';
import { activityView, statesOf, transferDetailsView } from '../views.ts';
import { receiptOf } from './payments.ts';
import { periodOf } from '../statement.ts';

export interface ActivityOperations {
  activity: Operation<'activity'>;
  getTransfer: Operation<'getTransfer'>;
  spending: Operation<'spending'>;
}

/** Rows that one step of a search may read; payments go on between two steps. */
const rowsPerStep = 20_000;

export const activityOperations = (context: EngineContext): ActivityOperations => {
  const { store, time } = context;

  const find = async (query: Query<'activity'>): Promise<Transfer[]> => {
    const { agentId, serviceId, kind, status, q, limit } = query;
    const filter = {
      ...periodOf(query),
      ...(agentId === undefined ? {} : { agentId }),
      ...(serviceId === undefined ? {} : { serviceId }),
      ...(kind === undefined ? {} : { kinds: [kind] }),
      ...(status === undefined ? {} : { states: statesOf(status) }),
      ...(q === undefined || q === '' ? {} : { text: q }),
    };
    const found: Transfer[] = [];
    let before = query.before ?? store.transfers.lastSeq() + 1;
    while (before > 1 && found.length < limit) {
      const after = Math.max(0, before - 1 - rowsPerStep);
      found.push(...store.transfers.list({ ...filter, before, after, limit: limit - found.length }));
      before = after + 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return found;
  };

  const serviceName = (serviceId: string): string =>
    serviceId === '' ? 'Before the restore' : (store.services.get(serviceId)?.name ?? serviceId);

  return {
    activity: async ({ query }) => done({ entries: (await find(query)).map(activityView) }),

    getTransfer({ params }) {
      const transfer = store.transfers.get(params.transferId);
      if (transfer === undefined)
        throw new AppError('not_found', `There is no movement ${params.transferId}.`);
      // Sellers of other protocols have no use for a receipt of ours.
      const isForeign = transfer.purchase !== null && transfer.purchase.dialect !== 'receipt';
      return done(transferDetailsView(transfer, isForeign ? null : receiptOf(context, transfer)));
    },

    spending({ query }) {
      const rows = store.spend.byDay(query.days, time.now());
      const days = sumBy(rows, ({ day, agentId }) => `${day} ${agentId}`);
      return done({
        days: days.map(([{ day, agentId }, total]) => ({
          day: new Date(day).toISOString().slice(0, 10),
          agentId,
          ...total,
        })),
        agents: largestFirst(sumBy(rows, ({ agentId }) => agentId)).map(([{ agentId }, total]) => ({
          agentId,
          ...total,
        })),
        services: largestFirst(sumBy(rows, ({ serviceId }) => serviceId)).map(([{ serviceId }, total]) => ({
          serviceId,
          service: serviceName(serviceId),
          ...total,
        })),
      });
    },
  };
};

interface Total {
  amount: string;
  payments: number;
}

/** One total for each key, beside the first row that has it, in the order in which keys appear. */
const sumBy = (rows: readonly SpentOnDay[], keyOf: (row: SpentOnDay) => string): [SpentOnDay, Total][] => {
  const sums = new Map<string, SpentOnDay>();
  for (const row of rows) {
    const key = keyOf(row);
    const { amount, payments } = sums.get(key) ?? { amount: 0n, payments: 0 };
    sums.set(key, { ...row, amount: amount + row.amount, payments: payments + row.payments });
  }
  return [...sums.values()].map((sum) => [
    sum,
    { amount: formatUsdc(usdc(sum.amount)), payments: sum.payments },
  ]);
};

const largestFirst = (sums: [SpentOnDay, Total][]): [SpentOnDay, Total][] =>
  sums.toSorted(([a], [b]) => Number(b.amount - a.amount));
