// The journal of a month against the chain: every transaction of every wallet has its row, every row its transaction,
// and at the month's end each wallet held what the journal says.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BookedTransfer, ListedMove, Span, Wallet } from '../engine/ports.ts';
import { isInOpening } from '../engine/records/opening.ts';
import { formatUsdc, usdc } from '../money.ts';
import type { BooksContext } from './context.ts';
import { enterIfDirect, rowOf } from './direct-deposits.ts';
import { compareSol } from './compare-sol.ts';
import { rowIdOf } from './entry.ts';
import { forEachEntry } from './pass.ts';
import type { Tallies } from './tallies.ts';

/** Listed transactions between two pauses: some milliseconds. */
const perStep = 200;
/** Signatures that are looked up at a time; https://solana.com/docs/rpc/http/getsignaturestatuses */
const signaturesAtOnce = 256;

/**
 * In words; empty: nothing differs. Money that a wallet of an agent got from outside has no row until now: it is entered
 * as a deposit.
 * @param tallies what each wallet held when the span began; afterward, what it held at its end
 * @throws AppError `chain_unreachable`
 */
export const compareWithChain = async (
  context: BooksContext,
  span: Span,
  tallies: Tallies,
): Promise<string[]> => {
  const { store } = context;
  const differences: string[] = [];
  const seen = new Map<string, Reading>();
  for (const wallet of store.wallets.list()) {
    const reading = await readWallet(context, wallet, span);
    seen.set(wallet.address, reading);
    differences.push(...reading.differences);
  }
  const rows = await countRows(context, span, tallies);
  differences.push(...(await compareOthers(context, span)));
  for (const wallet of store.wallets.list()) {
    const { matched, end } = seen.get(wallet.address) ?? nothingRead;
    const expected = rows.get(wallet.address) ?? 0;
    if (expected !== matched) differences.push(...(await missingOnChain(context, wallet, span)));
    const held = tallies.of(wallet.agentId);
    const onChain = end === null ? 0n : await balanceAt(context, wallet, end);
    if (onChain !== held)
      differences.push(
        `At the month’s end ${nameOf(wallet)} held ${formatUsdc(usdc(onChain))} USDC on the chain, and ${formatUsdc(usdc(held))} USDC in the journal.`,
      );
  }
  differences.push(...(await compareSol(context, span, tallies.sol())));
  return differences;
};

interface Reading {
  /** Successful transactions of the month that a row or a deposit explains. */
  matched: number;
  /** The newest transaction before the month's end; null: the wallet was never used until then. */
  end: string | null;
  differences: string[];
}
const nothingRead: Reading = { matched: 0, end: null, differences: [] };

const nameOf = ({ agentId }: Pick<Wallet, 'agentId'>): string =>
  agentId === null ? 'the treasury' : `the wallet of ${agentId}`;

const readWallet = async (context: BooksContext, wallet: Wallet, { from, to }: Span): Promise<Reading> => {
  const reading: Reading = { matched: 0, end: null, differences: [] };
  let listed = 0;
  for await (const page of context.chain.listing(wallet.address)) {
    for (const move of page) {
      // An RPC that has forgotten the time of a block: our row of it knows.
      const at = move.blockTime ?? rowOf(context, wallet, move.signature)?.blockTime ?? null;
      if (at === null) reading.differences.push(`The RPC does not tell when ${move.signature} landed.`);
      if (at === null || at >= to) continue;
      reading.end ??= move.signature;
      if (at < from) return reading;
      await matchMove(context, wallet, move, reading);
      listed += 1;
      if (listed % perStep === 0) await nextTurn();
    }
  }
  return reading;
};

const matchMove = async (
  context: BooksContext,
  wallet: Wallet,
  listed: ListedMove,
  reading: Reading,
): Promise<void> => {
  const { store, chain } = context;
  const row = rowOf(context, wallet, listed.signature);
  if (row !== undefined) {
    if (listed.failed !== (row.state === 'failed'))
      reading.differences.push(
        `${listed.signature}: the chain says that it ${listed.failed ? 'failed' : 'succeeded'}, and ${row.id} is ${row.state}.`,
      );
    else if (!listed.failed) {
      reading.matched += 1;
      if (listed.blockTime !== null && row.blockTime !== listed.blockTime)
        reading.differences.push(`${row.id}: the chain has another time of its block than the journal.`);
    }
    return;
  }
  if (listed.failed) return;
  if (store.books.depositOf(listed.signature, wallet.address) !== undefined) {
    reading.matched += 1;
    return;
  }
  const move = await chain.move(wallet.address, listed.signature);
  if (enterIfDirect(context, wallet, move)) reading.matched += 1;
  else if (move.change !== 0n && isInOpening(store, wallet.address, move))
    reading.differences.push(
      `Transaction ${move.signature} is older than these records, which were restored from the chain: it is part of their opening balance.`,
    );
  else if (move.change !== 0n)
    reading.differences.push(
      `Transaction ${move.signature} moved ${formatUsdc(usdc(move.change))} USDC of ${nameOf(wallet)}, and the journal has no row of it.`,
    );
};

/** How many rows of the month move USDC of each wallet. Brings the tallies to the month's end. */
const countRows = async (
  { store }: BooksContext,
  span: Span,
  tallies: Tallies,
): Promise<Map<string, number>> => {
  const rows = new Map<string, number>();
  const addresses = new Map(store.wallets.list().map(({ agentId, address }) => [agentId, address]));
  let last = '';
  let counted = new Set<string>();
  await forEachEntry(store, span, (entry) => {
    tallies.add(entry);
    const row = rowIdOf(entry);
    if (row !== last) counted = new Set();
    last = row;
    if (entry.asset !== 'USDC' || entry.kind === 'opening') return;
    for (const place of [entry.from, entry.to]) {
      const agentId = place.kind === 'agent' ? place.agentId : place.kind === 'treasury' ? null : undefined;
      const address = agentId === undefined ? undefined : addresses.get(agentId);
      if (address === undefined || counted.has(address)) continue;
      counted.add(address);
      rows.set(address, (rows.get(address) ?? 0) + 1);
    }
  });
  return rows;
};

interface Asked {
  id: string;
  signature: string;
  /** By the row. */
  failed: boolean;
}

/** Rows that move no USDC of ours, which no listing of a wallet shows: SOL, anchors, and what failed. */
const compareOthers = (context: BooksContext, span: Span): Promise<string[]> => {
  const { books } = context.store;
  return compareRows(context, [
    () => books.failed(span),
    () => filtered(books.final(span), ({ asset }) => asset === 'SOL'),
  ]);
};

/** Names the rows of a wallet's month that the chain does not show as successful. */
const missingOnChain = async (
  context: BooksContext,
  { address, agentId }: Wallet,
  span: Span,
): Promise<string[]> => {
  const moves = ({ asset, payer, payee, splits }: BookedTransfer): boolean =>
    asset === 'USDC' && [payer, payee, ...splits.map((split) => split.payee)].includes(address);
  const missing = await compareRows(context, [() => filtered(context.store.books.final(span), moves)]);
  return missing.length > 0
    ? missing
    : [
        `The chain lists other transactions of ${nameOf({ agentId })} in this month than the journal: the RPC may not show all of its history.`,
      ];
};

function* filtered<T>(items: Iterable<T>, isWanted: (item: T) => boolean): IterableIterator<T> {
  for (const item of items) if (isWanted(item)) yield item;
}

const compareRows = async (
  context: BooksContext,
  sources: (() => Iterable<BookedTransfer>)[],
): Promise<string[]> => {
  const differences: string[] = [];
  let asked: Asked[] = [];
  const ask = async (): Promise<void> => {
    differences.push(...(await notFound(context, asked)));
    asked = [];
    await nextTurn();
  };
  for (const rows of sources)
    for (const { id, txSignature, isFailed } of rows()) {
      asked.push({ id, signature: txSignature ?? '', failed: isFailed });
      if (asked.length === signaturesAtOnce) await ask();
    }
  await ask();
  return differences;
};

const notFound = async ({ chain }: BooksContext, asked: readonly Asked[]): Promise<string[]> => {
  if (asked.length === 0) return [];
  const { found } = await chain.sightings(asked.map(({ signature }) => signature));
  return asked.flatMap(({ id, failed }, index) => {
    const sighting = found[index] ?? null;
    if (sighting === null) return [`${id}: the chain does not show its transaction.`];
    if ((sighting.error !== null) === failed) return [];
    return [`${id}: its transaction ${failed ? 'succeeded' : 'failed'} on the chain.`];
  });
};

const balanceAt = async ({ chain }: BooksContext, wallet: Wallet, signature: string): Promise<bigint> =>
  (await chain.move(wallet.address, signature)).balance;
