// A file of the books: the entries of a period through the writer of its format, in pieces, so that any size streams.
import { bookFormats, holdsModels, type BookFormatName } from '../contract/books/book-formats.ts';
import { groupNames } from '../engine/calls/views.ts';
import { zoneOf, type BooksContext } from './context.ts';
import type { Span } from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';
import { createDays, endIn, momentIn } from '../lib/local-days.ts';
import { rowIdOf, type Entry } from './entry.ts';
import { directDepositsUntil, findDirectDeposits } from './direct-deposits.ts';
import { finalUntil, waitsFor } from './final.ts';
import type { Book } from './formats/writer.ts';
import { writers } from './formats/writers.ts';
import { modelGroups } from './model-tokens.ts';
import { entriesIn } from './pass.ts';
import { classifierOf } from './rules.ts';

export interface BookRequest {
  format: BookFormatName;
  /** ISO dates or times, both inclusive; a bare date is a day of the owner's zone. */
  from?: string | undefined;
  to?: string | undefined;
  /** The file goes on where an earlier one ended. */
  continues: boolean;
}

export interface BookFile {
  zone: string;
  /** As written: formats by day end with the last whole final day. */
  span: Span;
  /** Rows of the journal that have to be read. */
  rows: number;
  /** The text in pieces, some of them empty: each takes about a millisecond. `read` counts the rows behind it. */
  pieces(): IterableIterator<{ text: string; read: number }>;
}

/** Entries of one piece: a payment makes two, so that these are as many payments as in a chunk of the statement. */
const entriesPerPiece = 100;

/** @throws AppError `bad_request` for a period that ends before it begins, `conflict` when none of it is final */
export const bookFile = async (context: BooksContext, request: BookRequest): Promise<BookFile> => {
  const { store } = context;
  const zone = zoneOf(context);
  const book = bookOf(context, zone, await untilOf(context, zone, request), request);
  const { span } = book;
  const { needsPast } = bookFormats[request.format];
  const past = needsPast ? { from: 0, to: span.from } : { from: span.from, to: span.from };
  return {
    zone,
    span,
    rows: store.books.count({ from: past.from, to: span.to }),
    pieces: () => piecesOf(context, request.format, book, past),
  };
};

function* piecesOf(
  { store }: BooksContext,
  format: BookFormatName,
  book: Book,
  past: Span,
): IterableIterator<{ text: string; read: number }> {
  const writer = writers[format](book);
  const rows = createRowCount();
  const inFile = (span: Span): IterableIterator<Entry> =>
    entriesIn(store, span, holdsModels(format) ? modelGroups(store.modelRequests, span, book.dayAt) : []);
  let text = '';
  let entries = 0;
  const isFull = (entry: Entry): boolean => {
    rows.add(entry);
    entries += 1;
    return entries % entriesPerPiece === 0;
  };
  for (const entry of inFile(past)) {
    writer.before(entry);
    if (isFull(entry)) yield { text: '', read: rows.count() };
  }
  text = writer.begin();
  for (const entry of inFile(book.span)) {
    text += writer.entry(entry);
    if (!isFull(entry)) continue;
    yield { text, read: rows.count() };
    text = '';
  }
  yield { text: text + writer.end(), read: rows.count() };
}

/** A row makes several entries, whose ids begin with its own. */
const createRowCount = () => {
  let last = '';
  let count = 0;
  return {
    add(entry: Entry): void {
      const row = rowIdOf(entry);
      if (row !== last) count += 1;
      last = row;
    },
    count: () => count,
  };
};

/**
 * Until when the file's days are final. A file with balances, or by day, says nothing of a day whose deposits to agents'
 * wallets are unread: without a chain to ask, it ends before.
 */
const untilOf = async (context: BooksContext, zone: string, { format }: BookRequest): Promise<number> => {
  const until = finalUntil(context, zone);
  await findDirectDeposits(context, until);
  if (!bookFormats[format].needsPast) return until;
  return Math.min(until, createDays(zone)(directDepositsUntil(context)).from);
};

const bookOf = (context: BooksContext, zone: string, until: number, request: BookRequest): Book => {
  const { store, settings } = context;
  return {
    treasury: settings.owner,
    network: settings.network,
    zone,
    span: spanOf(context, zone, until, request),
    finalUntil: until,
    dayAt: createDays(zone),
    classify: classifierOf(store),
    groupName: groupNames(store),
    continues: request.continues,
  };
};

const spanOf = (
  context: BooksContext,
  zone: string,
  until: number,
  { format, from, to }: BookRequest,
): Span => {
  const { store, time } = context;
  const { unit } = bookFormats[format];
  const dayAt = createDays(zone);
  const first = store.books.firstAt() ?? time.now();
  const asked = {
    from: from === undefined ? dayAt(first).from : momentIn(zone, from),
    to: to === undefined ? time.now() + 1 : endIn(zone, to),
  };
  if (asked.to <= asked.from)
    throw from === undefined
      ? fieldError('to', 'must not be before the first entry of the books')
      : fieldError('from', to === undefined ? 'must not be in the future' : 'must not be later than to');
  if (unit === 'entry') return asked;
  const days = { from: dayAt(asked.from).from, to: Math.min(until, dayAt(asked.to - 1).to) };
  if (days.to > days.from) return days;
  const waits = waitsFor(context, dayAt(asked.from).to).join(' ');
  throw new AppError(
    'conflict',
    `${bookFormats[format].label} holds whole days only, and no day of this period is final yet. ${waits} Until then, take a format with a line for each payment.`,
  );
};
