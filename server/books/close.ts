// The close of a month: its journal, the chain and its file are compared line by line, and what differs is named.
import { AppError } from '../errors.ts';
import type { BookMonth, Span } from '../engine/ports.ts';
import type { BooksContext } from './context.ts';
import { compareWithChain } from './compare-chain.ts';
import { monthWaitsFor } from './final.ts';
import { lineOf } from './line.ts';
import { createMerkleTree } from './merkle.ts';
import { monthNamed } from './months.ts';
import { forEachEntry } from './pass.ts';
import { enterSolDeposits } from './sol-deposits.ts';
import { createTallies, type Tallies } from './tallies.ts';
import { parseSol, parseUsdc } from '../money.ts';
import type { Entry } from './entry.ts';

/** More say nothing that the first of them do not. */
const mostDifferences = 100;

/**
 * Closes a month, or closes it again. What differs is kept with it.
 * @throws AppError `conflict` while something of it can still change, `chain_unreachable`
 */
export const closeMonth = async (
  context: BooksContext,
  { month, zone, from, to }: Pick<BookMonth, 'month' | 'zone' | 'from' | 'to'>,
): Promise<BookMonth> => {
  const { store, time } = context;
  const waiting = monthWaitsFor(context, to);
  if (waiting.length > 0)
    throw new AppError('conflict', `${month} cannot be closed yet. ${waiting.join(' ')}`);
  await enterSolDeposits(context);
  const before = await readPast(context, from);
  const onChain = await compareWithChain(context, { from, to }, before);
  const { lines, root, differences } = await readLines(context, { from, to });
  const closed: BookMonth = {
    month,
    zone,
    from,
    to,
    closedAt: time.now(),
    entries: lines,
    root,
    differences: shortened([...onChain, ...differences]),
    changedAt: null,
  };
  store.atomically(() => {
    // Another month may have been closed meanwhile, in another zone.
    const now = monthNamed(context, month);
    if (now.from !== from || now.to !== to)
      throw new AppError(
        'conflict',
        `${month} has other days now than when it was compared. Close it again.`,
      );
    store.books.setMonth(closed);
  });
  return closed;
};

/** The lines of a span as they are now: their number, and the root of the tree over them. */
export const rootOf = async (
  context: Pick<BooksContext, 'store'>,
  span: Span,
): Promise<{ lines: number; root: string }> => {
  const { lines, root } = await readLines(context, span);
  return { lines, root };
};

const readLines = async ({ store }: Pick<BooksContext, 'store'>, span: Span) => {
  const tree = createMerkleTree();
  const differences: string[] = [];
  await forEachEntry(store, span, (entry) => {
    const line = lineOf(entry);
    tree.add(line);
    const difference = compareLine(line, entry);
    if (difference !== null) differences.push(difference);
  });
  return { lines: tree.count(), root: tree.root(), differences };
};

/** The balances of all wallets when the month began, by the journal. */
const readPast = async ({ store }: BooksContext, until: number): Promise<Tallies> => {
  const tallies = createTallies();
  await forEachEntry(store, { from: 0, to: until }, tallies.add);
  return tallies;
};

const shortened = (differences: readonly string[]): string[] =>
  differences.length <= mostDifferences
    ? [...differences]
    : [...differences.slice(0, mostDifferences), `And ${differences.length - mostDifferences} more.`];

// A line of the file against the entry of the journal that it was made of: the text is read back as a reader would.

/** In words; null: the line says what the entry says. */
const compareLine = (line: string, entry: Entry): string | null => {
  const { id, kind, at, asset, amount, agent, service, transaction } = JSON.parse(line) as Record<
    string,
    string
  >;
  const units = asset === 'SOL' ? parseSol(amount ?? '') : parseUsdc(amount ?? '');
  const isSame =
    id === entry.id &&
    kind === entry.kind &&
    Date.parse(at ?? '') === entry.at &&
    asset === entry.asset &&
    units === entry.amount &&
    agent === entry.agentId &&
    service === entry.serviceId &&
    transaction === entry.txSignature;
  return isSame ? null : `The file says something else of ${entry.id} than the journal.`;
};
