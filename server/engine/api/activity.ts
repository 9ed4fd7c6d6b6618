// The activity, for the owner: all transfers and refusals, one of them in full detail, and sums.
import type { Query, Reply } from '../../contract/schemas.ts';
import { done, type EngineContext } from '../calls/call.ts';
import type { SomeOperations, Transfer } from '../ports.ts';
import { activityView, iso, transferDetailsView } from '../calls/views.ts';
import { zoneNamed } from '../calls/zone.ts';
import { receiptOf } from '../calls/payment-answer.ts';
import { isCounting } from '../payment/decision/folding.ts';
import { queryOf } from './filter.ts';
import { transferNamed } from './path.ts';
import { spendingOf } from './spending.ts';
import { stepsOver } from './steps-over.ts';
import { totalsOf } from './totals.ts';

/** A search without matches would otherwise scan the whole history; the next page goes on. */
const pageMs = 50;

export const activityOperations = (context: EngineContext) => {
  const { store } = context;

  const countedIn = (transfer: Transfer): number =>
    isCounting(transfer) ? store.refusals.counted(transfer.id) : 0;

  return {
    async activity({ query }) {
      const { found, next } = await (query.sort === 'amount' ? largest : newest)(context, query);
      const entries = found.map((row) => activityView(row, countedIn(row)));
      return done({ entries, next, zone: zoneNamed(context, query.zone) });
    },

    getTransfer({ params }) {
      const transfer = transferNamed(context, params.transferId);
      // Sellers of other protocols have no use for a receipt of ours.
      const isForeign = transfer.purchase !== null && transfer.purchase.dialect !== 'receipt';
      return done(
        transferDetailsView(transfer, isForeign ? null : receiptOf(context, transfer), {
          counted: countedIn(transfer),
          approved: approvedIn(context, transfer),
        }),
      );
    },

    totals: async ({ query }) => done(await totalsOf(context, query)),

    spending: async ({ query: { days, zone } }) =>
      done(await spendingOf(context, { days, zone: zoneNamed(context, zone) })),

    unpayableSellers: () =>
      done({
        sellers: store.refusals
          .sellers()
          .map((one) => ({ ...one, firstAt: iso(one.firstAt), lastAt: iso(one.lastAt) })),
      }),
  } satisfies SomeOperations;
};

interface Page {
  found: Transfer[];
  /** The cursor of the next page. */
  next: number | null;
}

const newest = async (context: EngineContext, query: Query<'activity'>): Promise<Page> => {
  const { limit } = query;
  const filter = queryOf(context, query);
  const found: Transfer[] = [];
  let worked = 0;
  const range = { after: filter.after, before: Math.min(filter.before, query.before ?? filter.before) };
  for await (const step of stepsOver(range)) {
    const begin = performance.now();
    found.push(...context.store.transfers.list({ ...filter, ...step, limit: limit - found.length }));
    worked += performance.now() - begin;
    if (found.length === limit) return { found, next: found.at(-1)?.seq ?? null };
    if (worked >= pageMs && step.after > range.after) return { found, next: step.after + 1 };
  }
  return { found, next: null };
};

/** By amount. No index has it, so that a page reads all that matches; its cursor is its last row, as by time. */
const largest = async (context: EngineContext, query: Query<'activity'>): Promise<Page> => {
  const { limit, before: cursor } = query;
  const { list } = context.store.transfers;
  const filter = { ...queryOf(context, query), limit, byAmount: true };
  const behind = cursor === undefined ? [] : list({ after: cursor - 1, before: cursor + 1, limit: 1 });
  let found: Transfer[] = [];
  for await (const step of stepsOver(filter)) {
    const least = found.length === limit ? found.at(-1) : undefined;
    const more = list({
      ...filter,
      ...step,
      ...(behind[0] === undefined ? {} : { behind: behind[0] }),
      ...(least === undefined ? {} : { ahead: least }),
    });
    found = [...found, ...more].toSorted(byAmount).slice(0, limit);
  }
  return { found, next: found.length === limit ? (found.at(-1)?.seq ?? null) : null };
};

/** As the store sorts. */
const byAmount = (a: Transfer, b: Transfer): number => {
  if (a.asset !== b.asset) return a.asset === 'USDC' ? -1 : 1;
  return a.amount === b.amount ? b.seq - a.seq : a.amount < b.amount ? 1 : -1;
};

/** When and where the owner approved a transfer. */
const approvedIn = (
  { store }: EngineContext,
  { approvalId, grantId }: Transfer,
): Reply<'getTransfer'>['approved'] => {
  const grant = grantId === null ? undefined : store.grants.get(grantId);
  if (grant !== undefined) return { at: iso(grant.createdAt), from: 'standing' };
  const approval = approvalId === null ? undefined : store.approvals.get(approvalId);
  if (approval?.status !== 'granted' || approval.decidedAt === null) return null;
  const from = store.phones.hasApproved(approval.id) ? 'phone' : approval.result?.['from'];
  return {
    at: iso(approval.decidedAt),
    from: from === 'phone' || from === 'dashboard' || from === 'command' ? from : null,
  };
};
