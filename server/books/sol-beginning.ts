// The beginning of the records of SOL, of a treasury that has a past: after an upgrade, a restore from the chain, or a
// reconciliation.
import { reconciliationMark } from '../engine/domain/reconciliation-mark.ts';
import { toleranceMs } from '../engine/domain/time.ts';
import { noSolYet, setSolCursor, solCursor } from '../engine/records/opening.ts';
import type { ListedMove } from '../engine/ports.ts';
import type { BooksContext } from './context.ts';
import { forEachEntry } from './pass.ts';
import { solChangeOf } from './tallies.ts';

/** More transactions than on so many pages are too many to look through: the records begin later. */
const mostPages = 10;
const linesPerPage = 1_000;
/** Rows that ended since may be above the transaction with which the records begin: each of them is looked at. */
const recentMs = 3 * toleranceMs;

/**
 * Begins the records of SOL of a treasury that has a past: with the balance after one finalized transaction, less what the
 * rows up to it explain. All above it is read one by one from then on, so that nothing counts twice. That transaction is
 * the newest below which no row of ours is open: rows that end while this reads do not matter. Where a row has been open
 * for long, its transaction may be anywhere: the records begin later.
 * @throws AppError `chain_unreachable`
 */
export const beginSol = async (context: BooksContext): Promise<void> => {
  const { store, chain, settings, time, log } = context;
  const since = time.now() - recentMs;
  if ((store.books.unsettledSince() ?? Infinity) < since + toleranceMs) return;
  const { reason } = store.freeze.get() ?? { reason: null };
  // Before the long look at the records: without an RPC, it is in vain.
  await chain.finalizedSlot();
  const { booked, recent } = await readRows(context, since);
  const lines = await linesSince(context, since);
  if (lines === null) return;
  const isUnbooked = ({ signature, blockTime }: ListedMove): boolean =>
    (blockTime ?? Infinity) >= since &&
    !recent.has(signature) &&
    store.transfers.bySignature(signature) !== undefined;
  const above = lines.slice(0, lines.findLastIndex(isUnbooked) + 1);
  const newest = lines[above.length];
  if (newest === undefined && lines.length > 0) return;
  const held = newest === undefined ? 0n : (await chain.solMove(settings.owner, newest.signature))?.balance;
  if (held === undefined) return;
  for (const { signature } of above) recent.delete(signature);
  const explained = [...recent.values()].reduce((sum, change) => sum + change, booked);
  store.atomically(() => {
    if (solCursor(store) !== null || reconciliationMark(store) !== null) return;
    // A reconciliation has entered older rows meanwhile: it freezes, and says so.
    if ((store.freeze.get()?.reason ?? null) !== reason) return;
    store.books.openSol({ at: time.now(), amount: held - explained });
    setSolCursor(store, newest === undefined ? noSolYet : { signature: newest.signature, slot: newest.slot });
    log.info({ lamports: held.toString() }, 'the records of SOL begin');
  });
};

/** What the rows took from the treasury's lamports, or brought: in all until `since`, and by transaction after it. */
const readRows = async (
  { store }: BooksContext,
  since: number,
): Promise<{ booked: bigint; recent: Map<string, bigint> }> => {
  let booked = 0n;
  const recent = new Map<string, bigint>();
  await forEachEntry(store, { from: 0, to: Number.MAX_SAFE_INTEGER }, (entry) => {
    const change = solChangeOf(entry);
    const signature = entry.txSignature;
    if (entry.at < since || signature === null) booked += change;
    else recent.set(signature, (recent.get(signature) ?? 0n) + change);
  });
  return { booked, recent };
};

/** Newest first, down to the first that is older; null: there are too many. */
const linesSince = async ({ chain, settings }: BooksContext, since: number): Promise<ListedMove[] | null> => {
  const minSlot = await chain.finalizedSlot();
  const lines: ListedMove[] = [];
  for (let pages = 0; pages < mostPages; pages += 1) {
    const before = lines.at(-1)?.signature;
    const page = await chain.solListing(settings.owner, {
      minSlot,
      ...(before === undefined ? {} : { before }),
    });
    lines.push(...page);
    if (page.length < linesPerPage || (page.at(-1)?.blockTime ?? Infinity) < since) return lines;
  }
  return null;
};
