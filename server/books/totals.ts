// A month in sums: by agent, group, service, account and cost center, beside the month before.
import type { Reply } from '../contract/schemas.ts';
import type { Span } from '../engine/ports.ts';
import { groupNames } from '../engine/calls/views.ts';
import type { BooksContext } from './context.ts';
import type { Entry, EntryKind } from './entry.ts';
import { forEachEntry } from './pass.ts';
import { formatUsdc, usdc } from '../money.ts';
import { createTallies } from './tallies.ts';
import { addTo, nothing, plus, view, solView, type Sum, type Sums } from './sums.ts';
import { wordLamports } from '../engine/domain/phone.ts';
import { classifierOf, isClassifiable, soldBy } from './rules.ts';

type Totals = Reply<'bookTotals'>['now'];

/** Charges that were refunded count as nothing. */
const signOf = ({ kind }: Entry): 1n | -1n => (kind === 'refund' ? -1n : 1n);

export const totalsIn = async (context: BooksContext, span: Span): Promise<Totals> => {
  const { store } = context;
  const classify = classifierOf(store);
  const sold = soldBy(store);
  const kinds: Sums = new Map();
  const spent = { agents: sums(), groups: sums(), services: sums() };
  const accounts = sums();
  const costCentres = sums();
  let solDeposits = nothing;
  let sales = nothing;
  const serviceNames = new Map<string, string>();
  await forEachEntry(store, span, (entry) => {
    // A withdrawal of SOL is none of USDC.
    if (entry.asset === 'USDC' || entry.kind === 'fee')
      addTo(kinds, entry.kind, signOf(entry) * entry.amount);
    else if (entry.kind === 'deposit') solDeposits = plus(solDeposits, { amount: entry.amount, entries: 1 });
    if (entry.kind === 'deposit' && sold(entry) !== null)
      sales = plus(sales, { amount: entry.amount, entries: 1 });
    if (entry.kind === 'spending') {
      addTo(spent.agents, entry.agentId ?? '', entry.amount);
      addTo(spent.groups, entry.groupId ?? '', entry.amount);
      addTo(spent.services, entry.serviceId ?? '', entry.amount);
      if (entry.serviceId !== null) serviceNames.set(entry.serviceId, entry.serviceName);
    }
    if (isClassifiable(entry) && entry.asset === 'USDC') {
      const { account, costCentre } = classify(entry);
      const change = entry.kind === 'deposit' ? -entry.amount : entry.amount;
      addTo(accounts, account, change);
      // Without a cost center, deposits and withdrawals belong to none; spending is listed apart from them.
      if (costCentre !== null || entry.kind === 'spending') addTo(costCentres, costCentre ?? '', change);
    }
  });
  const of = (...names: EntryKind[]): Sum =>
    names.reduce((sum, name) => plus(sum, kinds.get(name) ?? nothing), nothing);
  const words = store.books.words(span);
  const agentNames = new Map(store.agents.list().map(({ agentId, displayName }) => [agentId, displayName]));
  return {
    spent: view(of('spending')),
    deposits: view(of('deposit')),
    sales: view(sales),
    withdrawals: view(of('withdrawal')),
    charges: view(of('charge', 'refund')),
    transfers: view(of('transfer')),
    fees: solView(of('fee')),
    solDeposits: solView(solDeposits),
    words: solView({ amount: BigInt(words) * wordLamports, entries: words }),
    agents: rows(spent.agents, (id) => agentNames.get(id) ?? id).map(({ id, ...row }) => ({
      agentId: id,
      ...row,
    })),
    groups: rows(spent.groups, groupNames(store)).map(({ id, ...row }) => ({ groupId: id, ...row })),
    services: rows(spent.services, (id) => serviceNames.get(id) ?? id).map(({ id, ...row }) => ({
      serviceId: id,
      ...row,
    })),
    accounts: rows(accounts).map(withoutId),
    costCentres: rows(costCentres).map(withoutId),
  };
};

/** What all wallets held together when a month began, and at its end or so far. */
export const createBalances = ({ store }: BooksContext) => {
  // Of the month that was asked for last: its past is long, and seldom another one.
  let known = { from: 0, rows: 0, amount: 0n };
  const held = async (span: Span): Promise<bigint> => {
    const tallies = createTallies();
    await forEachEntry(store, span, tallies.add);
    return tallies.sum();
  };
  return async (span: Span): Promise<Pick<Reply<'bookTotals'>, 'opening' | 'closing'>> => {
    const past = { from: 0, to: span.from };
    const rows = store.books.count(past) + store.books.openings().length;
    if (known.from !== span.from || known.rows !== rows)
      known = { from: span.from, rows, amount: await held(past) };
    const { amount } = known;
    return { opening: formatUsdc(usdc(amount)), closing: formatUsdc(usdc(amount + (await held(span)))) };
  };
};

const sums = (): Sums => new Map();

const withoutId = ({ name, amount, entries }: ReturnType<typeof rows>[number]) => ({ name, amount, entries });

/** The largest first. */
const rows = (of: Sums, nameOf: (id: string) => string = (id) => id) =>
  [...of]
    .toSorted(([, a], [, b]) => (b.amount > a.amount ? 1 : b.amount < a.amount ? -1 : 0))
    .map(([id, sum]) => ({ id, name: nameOf(id), ...view(sum) }));
