// The journal of a month against the chain, in SOL: the treasury pays every fee from its own wallet, and no other wallet of
// ours holds any.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListedMove, SolMove, Span, Transfer } from '../engine/ports.ts';
import { solKnownSince } from '../engine/records/opening.ts';
import { formatSol, lamports } from '../money.ts';
import type { BooksContext } from './context.ts';
import { enterIfSolCame, mayBringSol, unexplainedSol } from './sol-deposits.ts';

/** Listed transactions between two pauses: some milliseconds. */
const perStep = 200;

interface Reading {
  /** The newest transaction before the month's end. */
  end: string | null;
  /** What the journal holds at the month's end, in lamports, at the times of the chain's blocks. */
  held: bigint;
  /** Transactions of the month that brought SOL. */
  deposits: Set<string>;
  differences: string[];
}

/**
 * In words; empty: nothing differs, or the month began before the records of SOL.
 * @param held what the journal holds at the end of the span, in lamports
 * @throws AppError `chain_unreachable`
 */
export const compareSol = async (context: BooksContext, span: Span, held: bigint): Promise<string[]> => {
  const { store, chain, settings } = context;
  const since = solKnownSince(store);
  if (since === null || span.from < since) return [];
  const reading: Reading = { end: null, held, deposits: new Set(), differences: [] };
  await readMonth(context, span, reading);
  for (const { id, asset, txSignature } of store.books.deposits(span))
    if (asset === 'SOL' && !reading.deposits.has(txSignature))
      reading.differences.push(`${id}: the chain does not list its transaction.`);
  const onChain = reading.end === null ? 0n : (await chain.solMove(settings.owner, reading.end))?.balance;
  if (onChain === undefined)
    return [...reading.differences, `The RPC does not show what ${reading.end} left of SOL.`];
  return onChain === reading.held
    ? reading.differences
    : [
        ...reading.differences,
        `At the month’s end the treasury held ${formatSol(lamports(onChain))} SOL on the chain, and ${formatSol(lamports(reading.held))} SOL in the journal.`,
      ];
};

/** The list of the treasury's address goes on below the month; the reading ends with it. */
const readMonth = async (context: BooksContext, span: Span, reading: Reading): Promise<void> => {
  const { chain, settings, store } = context;
  let before: string | undefined;
  let listed = 0;
  for (;;) {
    const page = await chain.solListing(settings.owner, before === undefined ? {} : { before });
    for (const line of page) {
      const row = store.transfers.bySignature(line.signature);
      const at = line.blockTime ?? row?.blockTime ?? null;
      if (at !== null && at < span.from) {
        reading.end ??= line.signature;
        return;
      }
      if (at === null) reading.differences.push(`The RPC does not tell when ${line.signature} landed.`);
      else await readLine(context, { line, row, isInside: at < span.to, to: span.to }, reading);
      listed += 1;
      if (listed % perStep === 0) await nextTurn();
    }
    before = page.at(-1)?.signature;
    if (before === undefined) return;
  }
};

interface Line {
  line: ListedMove;
  row: Transfer | undefined;
  /** It landed before the month's end. */
  isInside: boolean;
  to: number;
}

const readLine = async (
  context: BooksContext,
  { line, row, isInside, to }: Line,
  reading: Reading,
): Promise<void> => {
  const { chain, settings } = context;
  // The books enter a failure when it was seen, which may be in another month than its block.
  if (row?.state === 'failed' && row.endedAt !== null && row.endedAt < to !== isInside)
    reading.held += isInside ? -row.feeLamports : row.feeLamports;
  if (!isInside) return;
  reading.end ??= line.signature;
  if (isEntered(context, line)) reading.deposits.add(line.signature);
  else if ((line.failed && row === undefined) || mayBringSol(context, line)) {
    const move = await chain.solMove(settings.owner, line.signature);
    if (move !== null) enterOrName(context, move, reading);
  }
};

const isEntered = ({ store, settings }: BooksContext, { signature }: ListedMove): boolean =>
  store.books.depositOf(signature, settings.owner, 'SOL') !== undefined;

const enterOrName = (context: BooksContext, move: SolMove, reading: Reading): void => {
  const change = unexplainedSol(context, move);
  if (context.store.atomically(() => enterIfSolCame(context, move))) {
    // Since the last look, the RPC shows what it did not list then.
    reading.deposits.add(move.signature);
    reading.held += change;
  } else if (change !== 0n)
    reading.differences.push(
      `Transaction ${move.signature} moved ${formatSol(lamports(change))} SOL of the treasury that the journal does not have.`,
    );
};
