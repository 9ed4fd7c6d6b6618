// SOL that comes into the treasury's own wallet: found in the finalized history of its address, and entered as deposits.
// Agents' wallets hold USDC alone.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isOpen } from '../engine/domain/states.ts';
import { payerOf } from '../engine/domain/transfer.ts';
import { reconciliationMark } from '../engine/domain/reconciliation-mark.ts';
import { addNotice } from '../engine/notices/add-notice.ts';
import { isViaFacilitator } from '../engine/payment/machine/tx-signature.ts';
import { setSolCursor, solCursor, solKnownSince, type SolCursor } from '../engine/records/opening.ts';
import type { ListedMove, SolMove, Transfer } from '../engine/ports.ts';
import { repeat, type Repeated } from '../lib/repeat.ts';
import { lamports } from '../money.ts';
import type { BooksContext } from './context.ts';
import { beginSol } from './sol-beginning.ts';

/** Anybody can send dust: a step lists so many pages, passes so many lines, and reads so many of them at once. */
const pagesPerStep = 10;
const linesPerPage = 1_000;
const linesPerStep = 200;
const readAtOnce = 8;
/** Lamports from which a deposit is worth a notice: 0.001 SOL. */
const noticeFrom = 1_000_000n;
/** Stands in a deposit for its sender: the payee's account had been opened when our payment came to open it. */
const rentNotTaken = 'rent';

/** Lines between the cursor and the newest that were listed, newest first. */
interface Scan {
  lines: ListedMove[];
  isListed: boolean;
  /** Of `solKnownSince`; undefined: before the first listing. */
  since?: number | null;
}

/** Enters all that came in. Returns how many deposits that were. @throws AppError `chain_unreachable` */
export const enterSolDeposits = async (context: BooksContext): Promise<number> => {
  const scan = newScan();
  let entered = 0;
  for (;;) {
    const step = await stepSol(context, scan);
    entered += step.entered;
    if (step.isDone) return entered;
    await nextTurn();
  }
};

const newScan = (): Scan => ({ lines: [], isListed: false });

interface Step {
  isDone: boolean;
  entered: number;
}

const stepSol = async (context: BooksContext, scan: Scan): Promise<Step> => {
  const { store } = context;
  if (reconciliationMark(store) !== null) return { isDone: true, entered: 0 };
  const cursor = solCursor(store);
  if (cursor === null) {
    await beginSol(context);
    return { isDone: true, entered: 0 };
  }
  // Records that have begun anew meanwhile are read from their new beginning.
  const since = solKnownSince(store);
  if (scan.since !== undefined && scan.since !== since) Object.assign(scan, newScan());
  scan.since = since;
  if (!scan.isListed) await listMore(context, scan, cursor);
  const entered = scan.isListed ? await readMore(context, scan) : 0;
  return { isDone: scan.isListed && scan.lines.length === 0, entered };
};

const listMore = async (
  { chain, settings }: BooksContext,
  scan: Scan,
  { signature, slot }: SolCursor,
): Promise<void> => {
  for (let pages = 0; pages < pagesPerStep && !scan.isListed; pages += 1) {
    const before = scan.lines.at(-1)?.signature;
    const page = await chain.solListing(settings.owner, {
      ...(before === undefined ? {} : { before }),
      ...(signature === null ? {} : { until: signature }),
    });
    // An RPC that has forgotten the cursor's transaction goes on below it.
    const wanted = page.filter((line) => line.slot >= slot && line.signature !== signature);
    scan.lines.push(...wanted);
    scan.isListed = page.length < linesPerPage || wanted.length < page.length;
  }
};

/** The oldest of the lines. Only what was read is taken from the scan: a read that fails is done again. */
const readMore = async (context: BooksContext, scan: Scan): Promise<number> => {
  const { store, chain, settings, publish } = context;
  const unread: ListedMove[] = [];
  let passed = 0;
  while (passed < Math.min(linesPerStep, scan.lines.length) && unread.length < readAtOnce) {
    passed += 1;
    const line = scan.lines.at(-passed);
    if (line !== undefined && mayBringSol(context, line)) unread.push(line);
  }
  const last = scan.lines.at(-passed);
  if (last === undefined) return 0;
  const moves = await Promise.all(unread.map(({ signature }) => chain.solMove(settings.owner, signature)));
  const entered = store.atomically(() => {
    if (reconciliationMark(store) !== null || solKnownSince(store) !== scan.since) return 0;
    setSolCursor(store, { signature: last.signature, slot: last.slot });
    return moves.filter((move) => move !== null && enterIfSolCame(context, move)).length;
  });
  for (const deposit of store.deposits.list(null, entered).toReversed())
    publish({ type: 'deposit', deposit });
  scan.lines.length -= passed;
  return entered;
};

/** Whether the transaction has to be read: it is no row of ours, or a row that may have cost less than is booked. */
export const mayBringSol = (
  { store, settings }: Pick<BooksContext, 'store' | 'settings'>,
  { signature, failed }: ListedMove,
): boolean => {
  if (failed || store.books.depositOf(signature, settings.owner, 'SOL') !== undefined) return false;
  const row = store.transfers.bySignature(signature);
  return row === undefined || row.rentLamports > 0n;
};

/** What the transaction brought, beyond what our row of it, if there is one, explains. In lamports. */
export const unexplainedSol = ({ store, chain, settings }: BooksContext, move: SolMove): bigint => {
  const row = store.transfers.bySignature(move.signature);
  return row === undefined ? move.change : move.change + costOf(row, { chain, owner: settings.owner });
};

const costOf = (
  row: Transfer,
  { chain, owner }: { chain: Pick<BooksContext['chain'], 'feeTaken'>; owner: string },
): bigint => {
  const { signed } = row;
  // Of a row that is not final yet, `feeLamports` is the most that it can be.
  const mayBeLess = signed !== null && isOpen(row) && !isViaFacilitator(row);
  const fee = mayBeLess ? chain.feeTaken(signed.wire) : row.feeLamports;
  const sol = row.asset === 'SOL' && payerOf(row) === owner && row.payee !== owner ? row.amount : 0n;
  return fee + row.rentLamports + sol;
};

/** Call it in a transaction. False: it brought nothing, or was entered before. */
export const enterIfSolCame = (context: BooksContext, move: SolMove): boolean => {
  const { store, settings, time, newId } = context;
  const change = unexplainedSol(context, move);
  if (move.failed || change <= 0n) return false;
  const isRent = store.transfers.bySignature(move.signature) !== undefined;
  const deposit = {
    id: newId('dep'),
    from: isRent ? rentNotTaken : (move.counterparty ?? ''),
    asset: 'SOL',
    amount: lamports(change),
  } as const;
  const isNew = store.deposits.insert({
    ...deposit,
    // The same transaction may have brought USDC.
    txSignature: `${move.signature}#SOL`,
    wallet: settings.owner,
    slot: move.slot,
    status: 'confirmed',
    at: move.blockTime ?? time.now(),
  });
  if (!isNew) return false;
  store.deposits.settle(deposit.id, 'final');
  if (!isRent && change >= noticeFrom) addNotice(context, { kind: 'deposit', deposit });
  return true;
};

const lookMs = 10_000;
/** What has just arrived is final in half a minute. */
const looksAfterRise = 6;

/** Enters SOL soon after it came, and begins the records of SOL: otherwise the books look when they are asked for. */
export const followSol = (context: BooksContext): Repeated => {
  const { store, funds, log } = context;
  let scan = newScan();
  let known = 0n;
  let left = 0;
  const look = async (): Promise<void> => {
    const now = funds.lamports();
    if (now > known) left = looksAfterRise;
    known = now;
    if (left === 0 && solCursor(store) !== null && scan.lines.length === 0) return;
    left = Math.max(0, left - 1);
    const { isDone } = await stepSol(context, scan);
    if (isDone) scan = newScan();
  };
  return repeat(look, lookMs, (error) => {
    scan = newScan();
    log.debug({ err: error }, 'deposits of SOL could not be read now');
  });
};
