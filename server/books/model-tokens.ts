// Model tokens in the books: what suppliers bill for requests with the owner's own keys. It is owed to them until the owner
// enters the invoice. Nothing of it is on the chain, so that it is in no line, root or anchor.
import { hash } from 'node:crypto';
import { modelServiceId, supplierOf } from '../contract/models/suppliers.ts';
import type { Reply } from '../contract/schemas.ts';
import { done } from '../engine/calls/call.ts';
import { correctRequest } from '../engine/models/settle.ts';
import type { AmountMark, ModelInvoice, ModelUsage, SomeOperations, Span, Store } from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';
import type { Day } from '../lib/local-days.ts';
import { formatUsdc, usdc } from '../money.ts';
import { modelExpense, owedTo } from './accounts.ts';
import type { BooksContext } from './context.ts';
import { noPurchase, type Entry } from './entry.ts';
import { monthNamed, type MonthSpan } from './months.ts';
import type { Group } from './pass.ts';

type Requests = Store['modelRequests'];
type DayAt = (at: number) => Day;

/** The entries of a span, for files, each source in order of time. */
export const modelGroups = (requests: Requests, span: Span, dayAt: DayAt): IterableIterator<Group>[] => {
  const isIn = ({ at }: Group): boolean => at >= span.from && at < span.to;
  // Of the day on which it was entered, so that no day of the past changes.
  const corrections = requests.corrections().map(({ id, createdAt: at, serviceId, corrects, amount }) => {
    const description = `Correction of ${corrects}`;
    return { at, entries: owed({ id, at, serviceId, description }, amount ?? 0n) };
  });
  // No wallet of ours pays it. Its difference from what was recorded is an expense too, or less of one.
  const invoices = requests.invoices().map(({ id, createdAt: at, serviceId, month, amount, cleared }) => {
    const facts = { at, serviceId, description: `Invoice for ${month}` };
    const billed = owed({ ...facts, id }, -amount, 'Equity:Owner');
    return { at, entries: [...billed, ...owed({ ...facts, id: `${id}.difference` }, amount - cleared)] };
  });
  return [corrections.filter(isIn).values(), invoices.filter(isIn).values(), daysOf(requests, span, dayAt)];
};

/** A day's entries stand at its last moment, so that no file holds a part of a day. */
function* daysOf(requests: Requests, { from, to }: Span, dayAt: DayAt): IterableIterator<Group> {
  let next = requests.countedFrom(dayAt(from).from);
  while (next !== null) {
    const day = dayAt(next);
    if (day.to > to) return;
    const usage = requests.usage({ from: day.from, to: day.to, isUncorrected: true });
    const models = Map.groupBy(usage, ({ serviceId, model }) => `${serviceId} ${model}`);
    yield { at: day.to - 1, entries: [...models.values()].flatMap((rows) => entriesOfDay(day, rows)) };
    next = requests.countedFrom(day.to);
  }
}

/** Of one model of one supplier. */
const entriesOfDay = (day: Day, rows: readonly ModelUsage[]): Entry[] => {
  const [{ serviceId, model } = { serviceId: '', model: '' }] = rows;
  // The same in every file.
  const id = `tok_${hash('sha256', `${day.name} ${serviceId} ${model}`).slice(0, 20)}`;
  const guessed = `${marked(rows, 'estimated')} estimated, ${marked(rows, 'unknown')} unknown`;
  const description = `${model}, requests: ${requestsIn(rows)}, of it ${guessed}`;
  return owed({ id, at: day.to - 1, serviceId, description }, sumOf(rows));
};

/** @param amount above zero: more is owed to the supplier; below: less @param against the account behind it */
const owed = (
  { serviceId, ...facts }: Pick<Entry, 'id' | 'at' | 'description'> & { serviceId: string },
  amount: bigint,
  against = modelExpense(supplierOf(serviceId)),
): Entry[] => {
  const serviceName = supplierOf(serviceId);
  const owing = { kind: 'account', account: owedTo(serviceName) } as const;
  const other = { kind: 'account', account: against } as const;
  const places = amount > 0n ? { from: owing, to: other } : { from: other, to: owing };
  const moved = { kind: 'tokens', asset: 'USDC', amount: amount < 0n ? -amount : amount } as const;
  const entry = { ...noPurchase, ...facts, ...places, ...moved, serviceId, serviceName };
  return amount === 0n ? [] : [{ ...entry, agentId: null, txSignature: null }];
};

const format = (units: bigint): string => formatUsdc(usdc(units));
const requestsIn = (rows: readonly ModelUsage[]): number =>
  rows.reduce((sum, { requests }) => sum + requests, 0);
const sumOf = (rows: readonly { amount: bigint | null }[]): bigint =>
  rows.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);
const marked = (rows: readonly ModelUsage[], mark: AmountMark): string =>
  format(sumOf(rows.filter((row) => row.mark === mark)));
const of = <T extends { serviceId: string }>(id: string, rows: readonly T[]): T[] =>
  rows.filter(({ serviceId }) => serviceId === id);

export const modelOperations = (context: BooksContext) => {
  const { store, time, newId, publish } = context;
  const { modelRequests } = store;
  return {
    bookModels: ({ params }) => done(monthView(modelRequests, monthNamed(context, params.month))),
    addModelInvoice({ params: { month }, body: { supplierId, amount } }) {
      const span = monthNamed(context, month);
      if (!store.modelSuppliers.ids().includes(supplierId))
        throw fieldError('supplierId', `there is no supplier ${supplierId}`);
      if (span.to > time.now()) throw new AppError('conflict', `${month} has not ended yet.`);
      store.atomically(() => {
        const serviceId = modelServiceId(supplierId);
        const earlier = of(serviceId, invoicesFor(modelRequests, span));
        const before = earlier.reduce((sum, one) => sum + one.cleared, 0n);
        const cleared = usdc(sumOf(of(serviceId, modelRequests.usage(span))) - before);
        const more = usdc(amount - sumOf(earlier));
        const row = { id: newId('inv'), serviceId, month, amount: more, cleared, createdAt: time.now() };
        modelRequests.addInvoice(row);
      });
      return done(monthView(modelRequests, span));
    },
    correctModelRequest({ body: { requestId, amount } }) {
      const request = modelRequests.get(requestId);
      if (request === undefined || request.corrects !== null)
        throw fieldError('requestId', `there is no request ${requestId} to a model`);
      if (request.reservedAt === null || request.state === 'held')
        throw new AppError('conflict', `${requestId} has not ended, or was refused and never left.`);
      store.atomically(() => correctRequest(context, request, amount));
      // Its limits count the correction.
      publish({ type: 'agent', agentId: request.agentId });
      return done({ requestId, amount: formatUsdc(amount) });
    },
  } satisfies SomeOperations;
};

const invoicesFor = (requests: Requests, { month }: MonthSpan): ModelInvoice[] =>
  requests.invoices().filter((one) => one.month === month);

/** The requests of a month with their corrections, whenever these were entered, and what was invoiced for it. */
const monthView = (requests: Requests, span: MonthSpan): Reply<'bookModels'> => {
  const [rows, corrected] = [requests.usage({ ...span, isUncorrected: true }), requests.usage(span)];
  const invoices = invoicesFor(requests, span);
  const ids = new Set([...corrected, ...invoices].map(({ serviceId }) => serviceId));
  const suppliers = [...ids].toSorted().map((id) => {
    const [own, billed] = [of(id, rows), of(id, invoices)];
    const [total, invoiced] = [sumOf(of(id, corrected)), sumOf(billed)];
    return {
      supplierId: supplierOf(id),
      requests: requestsIn(own),
      exact: marked(own, 'exact'),
      estimated: marked(own, 'estimated'),
      unknown: marked(own, 'unknown'),
      corrections: format(total - sumOf(own)),
      total: format(total),
      invoiced: billed.length === 0 ? null : format(invoiced),
      difference: billed.length === 0 ? null : format(invoiced - total),
    };
  });
  return { month: span.month, zone: span.zone, suppliers };
};
