// The activity, for the owner: all transfers and refusals, one of them in full detail, and sums by day.
import type { Query, Reply } from '../../contract/schemas.ts';
import { done, type EngineContext } from '../calls/call.ts';
import type { SomeOperations, Transfer } from '../ports.ts';
import { activityView, transferDetailsView } from '../calls/views.ts';
import { receiptOf } from '../calls/payment-answer.ts';
import { isCounting } from '../payment/decision/folding.ts';
import { queryOf } from './filter.ts';
import { transferNamed } from './path.ts';
import { periodOf } from './statement.ts';
import { spendingOf } from './spending.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { add, summed, view, byAgent, byService, type Sum, type Sums } from './sums.ts';

/** Rows that the first step of a search may read; payments go on between two steps. */
const rowsOfFirstStep = 1_000;
/** A faster step doubles the rows of the next step, a slower one halves them. */
const stepMs = { least: 1, most: 4 };
/** Only an index answers this fast, whatever the number of rows. */
const byIndex = { ms: 0.25, factor: 16 };
/** A search without matches would otherwise scan the whole history; the next page goes on. */
const pageMs = 50;

export const activityOperations = (context: EngineContext) => {
  const { store } = context;

  const find = async (query: Query<'activity'>): Promise<{ found: Transfer[]; next: number | null }> => {
    const { limit } = query;
    const filter = queryOf(query);
    const found: Transfer[] = [];
    const { after: oldest, before: newest } = store.transfers.between(periodOf(query));
    let before = Math.min(newest, query.before ?? newest);
    let rows = rowsOfFirstStep;
    let worked = 0;
    while (before > oldest + 1 && found.length < limit && worked < pageMs) {
      const begin = performance.now();
      const after = Math.max(oldest, before - 1 - rows);
      found.push(...store.transfers.list({ ...filter, before, after, limit: limit - found.length }));
      before = after + 1;
      const ms = performance.now() - begin;
      worked += ms;
      if (ms < stepMs.least) rows *= ms < byIndex.ms ? byIndex.factor : 2;
      else if (ms > stepMs.most) rows = Math.max(1, Math.floor(rows / 2));
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (found.length === limit) return { found, next: found.at(-1)?.seq ?? null };
    return { found, next: before > oldest + 1 ? before : null };
  };

  const countedIn = (transfer: Transfer): number =>
    isCounting(transfer) ? store.refusals.counted(transfer.id) : 0;

  return {
    async activity({ query }) {
      const { found, next } = await find(query);
      return done({ entries: found.map((row) => activityView(row, countedIn(row))), next });
    },

    getTransfer({ params }) {
      const transfer = transferNamed(context, params.transferId);
      // Sellers of other protocols have no use for a receipt of ours.
      const isForeign = transfer.purchase !== null && transfer.purchase.dialect !== 'receipt';
      return done(
        transferDetailsView(transfer, isForeign ? null : receiptOf(context, transfer), countedIn(transfer)),
      );
    },

    totals: async ({ query }) => done(await totalsOf(context, query)),

    spending: async ({ query }) => done(await spendingOf(context, query)),
  } satisfies SomeOperations;
};

// The spending of a period under the activity's filter, by agent and by service.

/** Rows of one step, some milliseconds; payments go on between two steps. */
const rowsPerStep = 4_000;

const totalsOf = async (context: EngineContext, query: Query<'totals'>): Promise<Reply<'totals'>> => {
  const { store } = context;
  const filter = queryOf(query);
  const agents: Sums = new Map();
  const services: Sums = new Map();
  const settling: Sum[] = [];
  const { after: oldest, before: newest } = store.transfers.between(periodOf(query));
  for (let before = newest; before > oldest + 1; before -= rowsPerStep) {
    const after = Math.max(oldest, before - 1 - rowsPerStep);
    for (const row of store.transfers.totals({ ...filter, before, after })) {
      add(agents, row.agentId, row);
      add(services, row.serviceId, row);
      settling.push(row.settling);
    }
    await nextTurn();
  }
  return {
    ...view(summed(agents.values())),
    settling: view(summed(settling)),
    agents: byAgent(agents),
    services: byService(context, services),
  };
};
