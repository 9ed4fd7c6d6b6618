// Deposits that nobody followed: USDC that somebody sent to an agent's wallet directly, and SOL. The treasury follows
// the deposits of USDC to its own wallet, and finds these when it needs the books whole.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { payeesOf } from '../engine/domain/purchase.ts';
import { payerOf } from '../engine/domain/transfer.ts';
import { lateName } from '../engine/payment/machine/tx-signature.ts';
import { isInOpening } from '../engine/records/opening.ts';
import { enterFinalDeposit } from '../engine/records/restore.ts';
import type { Span, TokenMove, Transfer, Wallet } from '../engine/ports.ts';
import type { BooksContext } from './context.ts';
import { enterSolDeposits } from './sol-deposits.ts';

/** Listed transactions between two pauses: some milliseconds. */
const perStep = 200;

/** The row of a transaction that moved this wallet's money; where one moved that of several, the wallet's own. */
export const rowOf = (
  { store }: Pick<BooksContext, 'store'>,
  wallet: Wallet,
  signature: string,
): Transfer | undefined => {
  const row = store.transfers.bySignature(lateName(signature)) ?? store.transfers.bySignature(signature);
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
  if (isInOpening(store, wallet.address, move)) return false;
  store.atomically(() => enterFinalDeposit({ ...context, store }, move, wallet));
  context.log.info({ wallet: wallet.address, signature: move.signature }, 'an agent was paid from outside');
  return true;
};

const mark = 'direct-deposits-until';

/** Until when they are entered, in Unix milliseconds. */
export const directDepositsUntil = ({ store }: Pick<BooksContext, 'store'>): number =>
  Number(store.meta.get(mark) ?? 0);

/**
 * Enters all of them until a time before which everything is final. Returns how many there were.
 * @throws AppError `chain_unreachable`
 */
export const enterDirectDeposits = async (context: BooksContext, until: number): Promise<number> => {
  const { store } = context;
  const from = directDepositsUntil(context);
  if (until <= from) return 0;
  let entered = await enterSolDeposits(context);
  for (const wallet of store.wallets.list())
    if (wallet.agentId !== null) entered += await enterOf(context, wallet, { from, to: until });
  store.atomically(() => store.meta.set(mark, String(Math.max(until, directDepositsUntil(context)))));
  return entered;
};

/** The same for a file or a sum, which is made without them when no RPC answers. */
export const findDirectDeposits = async (context: BooksContext, until: number): Promise<void> => {
  try {
    await enterDirectDeposits(context, until);
  } catch (error) {
    context.log.info(
      { err: error },
      'deposits to agents’ wallets and of SOL could not be read for the books now',
    );
  }
};

const enterOf = async (context: BooksContext, wallet: Wallet, { from, to }: Span): Promise<number> => {
  const { store, chain } = context;
  let [listed, entered] = [0, 0];
  for await (const page of chain.listing(wallet.address))
    for (const { signature, slot, blockTime, failed } of page) {
      if (blockTime !== null && blockTime < from) return entered;
      listed += 1;
      if (listed % perStep === 0) await nextTurn();
      if (failed || (blockTime ?? 0) >= to) continue;
      if (rowOf(context, wallet, signature) !== undefined) continue;
      if (store.books.depositOf(signature, wallet.address) !== undefined) continue;
      if (isInOpening(store, wallet.address, { slot, blockTime })) continue;
      if (enterIfDirect(context, wallet, await chain.move(wallet.address, signature))) entered += 1;
    }
  return entered;
};
