// USDC that somebody sent to an agent's wallet directly: the treasury follows the deposits to its own wallet, and finds
// these when it needs the books whole.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { payeesOf } from '../engine/domain/purchase.ts';
import { payerOf } from '../engine/domain/transfer.ts';
import { enterFinalDeposit } from '../engine/records/restore.ts';
import type { Span, TokenMove, Transfer, Wallet } from '../engine/ports.ts';
import type { BooksContext } from './book.ts';

/** Listed transactions between two pauses: some milliseconds. */
const perStep = 200;

/** The row of a transaction that moved this wallet's money; where one moved that of several, the wallet's own. */
export const rowOf = (
  { store }: Pick<BooksContext, 'store'>,
  wallet: Wallet,
  signature: string,
): Transfer | undefined => {
  const row = store.transfers.bySignature(signature);
  if (row !== undefined && [payerOf(row), ...payeesOf(row)].includes(wallet.address)) return row;
  return store.transfers.bySignature(`${signature}#${wallet.index}`);
};

/** Enters what came into an agent's wallet from outside. False: this transaction is no such deposit. */
export const enterIfDirect = (
  { store, ...context }: BooksContext,
  wallet: Wallet,
  move: TokenMove,
): boolean => {
  if (wallet.agentId === null || move.failed || move.change <= 0n) return false;
  store.atomically(() => enterFinalDeposit({ ...context, store }, move, wallet));
  context.log.info({ wallet: wallet.address, signature: move.signature }, 'an agent was paid from outside');
  return true;
};

/**
 * Enters those of a span, of which everything is final.
 * @throws AppError `chain_unreachable`
 */
export const enterDirectDeposits = async (context: BooksContext, { from, to }: Span): Promise<void> => {
  const { store, chain } = context;
  for (const wallet of store.wallets.list().filter(({ agentId }) => agentId !== null)) {
    let listed = 0;
    listing: for await (const page of chain.listing(wallet.address))
      for (const { signature, blockTime, failed } of page) {
        if (blockTime !== null && blockTime < from) break listing;
        listed += 1;
        if (listed % perStep === 0) await nextTurn();
        const isKnown =
          rowOf(context, wallet, signature) !== undefined ||
          store.books.hasDeposit(signature, wallet.address);
        if (failed || isKnown || (blockTime ?? 0) >= to) continue;
        enterIfDirect(context, wallet, await chain.move(wallet.address, signature));
      }
  }
};
