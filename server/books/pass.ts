// One pass over the journal: every entry of a span, in the order of the blocks, one at a time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Opening, Span, Store } from '../engine/ports.ts';
import { entriesOf, entryOfDeposit, entryOfOpening, type Entry, type Place, type Placing } from './entry.ts';

type Records = Pick<Store, 'books' | 'wallets'>;

/**
 * Entries of one moment: what comes in is before what goes out, so that no balance falls below zero on paper.
 * @param further sources, each in order of time
 */
export function* entriesIn(
  { books, wallets }: Records,
  span: Span,
  further: readonly IterableIterator<Group>[] = [],
): IterableIterator<Entry> {
  const placeOf = placesOf(wallets);
  const ofSol: Opening[] = [];
  const openings = books.openings().flatMap((opening) => {
    if (opening.wallet === null) ofSol.push(opening);
    const isIn = opening.amount !== 0n && opening.at >= span.from && opening.at < span.to;
    return isIn ? [{ at: opening.at, entries: [entryOfOpening(opening, placeOf, ofSol.length)] }] : [];
  });
  yield* merged([
    openings.values(),
    groups(books.deposits(span), (deposit) => [entryOfDeposit(deposit, placeOf)]),
    groups(books.final(span), (row) => entriesOf(row, placeOf)),
    groups(books.failed(span), (row) => entriesOf(row, placeOf)),
    ...further,
  ]);
}

/** Entries that are visited in one turn of the event loop, in about a millisecond. */
const entriesPerTurn = 50;

/**
 * Visits every entry of a span; between two turns, payments go first.
 * Resolves to whether it came to the end; to false when it was aborted.
 */
export const forEachEntry = async (
  records: Records,
  span: Span,
  visit: (entry: Entry) => void,
  signal?: AbortSignal,
): Promise<boolean> => {
  let visited = 0;
  for (const entry of entriesIn(records, span)) {
    visit(entry);
    visited += 1;
    if (visited % entriesPerTurn !== 0) continue;
    await nextTurn();
    if (signal?.aborted === true) return false;
  }
  return true;
};

export interface Group {
  at: number;
  entries: Entry[];
}

function* groups<T extends { at: number }>(
  rows: Iterable<T>,
  entries: (row: T) => Entry[],
): IterableIterator<Group> {
  for (const row of rows) yield { at: row.at, entries: entries(row) };
}

/** Each source is in order of time; of those with the same time, the first source comes first. */
function* merged(sources: IterableIterator<Group>[]): IterableIterator<Entry> {
  const heads = sources.map((source) => ({ source, next: source.next() }));
  for (;;) {
    const left = heads.filter(({ next }) => next.done !== true);
    const first = left.reduce<(typeof heads)[number] | undefined>(
      (best, head) => (best === undefined || timeOf(head) < timeOf(best) ? head : best),
      undefined,
    );
    if (first === undefined) return;
    yield* (first.next.value as Group).entries;
    first.next = first.source.next();
  }
}

const timeOf = ({ next }: { next: IteratorResult<Group> }): number => (next.value as Group).at;

/** Archived agents keep their wallets. */
const placesOf = (wallets: Records['wallets']): Placing => {
  const known = new Map<string, Place>(
    wallets
      .list()
      .map(({ address, agentId }) => [
        address,
        agentId === null ? { kind: 'treasury' } : { kind: 'agent', agentId },
      ]),
  );
  return (address) => known.get(address) ?? { kind: 'outside', address };
};
