// Until when the books are final: no entry before that moment can change, and none can come before it any more.
import { reconciliationMark } from '../engine/domain/reconciliation-mark.ts';
import { toleranceMs, type Time } from '../engine/domain/time.ts';
import { iso } from '../engine/calls/views.ts';
import type { Store } from '../engine/ports.ts';
import type { Funds } from '../engine/records/funds.ts';
import { createDays } from '../lib/local-days.ts';
import type { BooksContext } from './context.ts';

interface Finality {
  store: Pick<Store, 'books' | 'meta'>;
  time: Pick<Time, 'wall' | 'doubt'>;
  funds: Pick<Funds, 'enteredUntil'>;
}

/** The end of the last whole day of the zone that is final, in Unix milliseconds; 0: no day is known to be. */
export const finalUntil = (context: Finality, zone: string): number => {
  const { store, time, funds } = context;
  const entered = funds.enteredUntil();
  if (entered === null || cannotTell(context) !== null) return 0;
  const open = store.books.unsettledSince() ?? Infinity;
  // A block has the time of the chain's clock.
  const until = Math.min(entered, time.wall(), open) - toleranceMs;
  return createDays(zone)(until).from;
};

/** Sentences about what has to happen before everything until `to` is final; none: it is. */
export const waitsFor = (context: Finality, to: number): string[] => {
  const { store, time, funds } = context;
  const reason = cannotTell(context);
  if (reason !== null) return [reason];
  const past = to + toleranceMs;
  if (time.wall() < past) return [`It has to be ${iso(past)} or later.`];
  const entered = funds.enteredUntil() ?? 0;
  const unsettled = Object.values(store.books.unsettled(past)).reduce((sum, count) => sum + count, 0);
  return [
    ...(entered < past ? ['The chain has to be read once more.'] : []),
    ...(unsettled > 0
      ? [
          `${unsettled} ${unsettled === 1 ? 'transfer or deposit has' : 'transfers and deposits have'} to be final.`,
        ]
      : []),
  ];
};

/** The same for a month, whose close lists requests to models beside its entries. */
export const monthWaitsFor = (context: BooksContext, to: number): string[] => {
  const held = context.store.modelRequests.held().filter(({ createdAt }) => createdAt < to).length;
  return [...waitsFor(context, to), ...(held > 0 ? [`Requests to models have to end: ${held}.`] : [])];
};

const cannotTell = ({ store, time }: Finality): string | null => {
  if (reconciliationMark(store) !== null) return 'The records have to be compared with the chain first.';
  return time.doubt() === null ? null : 'The owner has to confirm the time of this machine first.';
};
