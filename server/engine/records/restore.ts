// Reads the records of a treasury whose root came from its recovery phrase, or whose database is gone, back from the
// chain before anything can be paid: the wallets in use, the deposits, and the debits of the last 24 hours.
//
// Each step below is one idempotent transaction, so that a start after a kill continues with the next step. Only the
// last step writes the mark; without it, every start begins here.
import { AppError } from '../../errors.ts';
import { usdc } from '../../money.ts';
import { areRecordsWhole, setOlderCopy, setRecordsWhole } from '../domain/reconciliation-mark.ts';
import type { Context } from '../payment/context.ts';
import { enterDeposit } from './deposits.ts';
import { enterDebit } from './enter-debit.ts';
import { findAgents } from './find-agents.ts';
import { noSolYet, openBalances, setSolCursor } from './opening.ts';
import type { Store, TokenMove, Wallet } from '../ports.ts';

type Restoring = Pick<Context, 'settings' | 'store' | 'chain' | 'keys' | 'time' | 'newId' | 'log'>;

const restoredName = 'restored-from-chain';
const windowMs = 86_400_000;

/** Marks the records as whole: a newly generated root has no past. */
export const beginRecords = (store: Store): void =>
  store.atomically(() => {
    setRecordsWhole(store);
    setSolCursor(store, noSolYet);
  });

/**
 * Null where the records are whole.
 * @throws AppError `locked`, or `chain_unreachable`; then the next start goes on where this one stopped
 */
export const restoreRecords = async (context: Restoring): Promise<Restored | null> => {
  const { store, keys, time, log } = context;
  if (areRecordsWhole(store)) return null;
  if (keys.locked()) {
    throw new AppError(
      'locked',
      'The records of this treasury have to be restored from the chain before it can start, and that needs the passphrase: start in a terminal, or use --passphrase-fd or TREASURY_PASSPHRASE.',
    );
  }
  log.info('the records of this treasury are being restored from the chain');
  let searched = 0;
  try {
    searched = await findAgents(context);
    await readHistories(context);
  } catch (error) {
    log.error({ err: error }, 'the records could not be restored to the end');
    throw interrupted(error);
  }
  const restored = { at: time.now(), searched };
  store.atomically(() => {
    openBalances(store);
    setRecordsWhole(store);
    setRestored(store, restored);
    // Of language models, nothing on the chain says what was used.
    setOlderCopy(store, { since: restored.at - windowMs, foundAt: restored.at });
  });
  log.info({ agents: store.agents.list().length, searched }, 'the records are restored');
  return restored;
};

/** When the records were read from the chain, in Unix milliseconds, and the highest wallet index that was searched. */
export interface Restored {
  at: number;
  searched: number;
}

const setRestored = ({ meta }: Pick<Store, 'meta'>, restored: Restored): void =>
  meta.set(restoredName, JSON.stringify(restored));

/** Null: these records were never read from the chain, or by a version that did not note it. */
export const restoredFrom = ({ meta }: Pick<Store, 'meta'>): Restored | null => {
  const text = meta.get(restoredName);
  return text === undefined ? null : (JSON.parse(text) as Restored);
};

const readHistories = async (context: Restoring): Promise<void> => {
  const { store, chain, time } = context;
  const wallets = store.wallets.list();
  const before = store.wallets.mark();
  const { slot, units } = await chain.balances(wallets.map(({ address }) => address));
  const chainTime = (await chain.chainTime()) ?? Infinity;
  const since = Math.min(time.now(), chainTime) - windowMs;
  for (const [n, wallet] of wallets.entries()) {
    const isTreasury = wallet.agentId === null;
    const moves = chain.history(wallet.address, {
      slot,
      after: wallet.scannedTo,
      // Every deposit ever made is listed; of earlier debits by agents, only the sum matters.
      wanted: ({ blockTime, failed }) => !failed && (isTreasury || (blockTime ?? Infinity) >= since),
    });
    for await (const some of moves) for (const move of some) enterMove(context, wallet, move, since);
    // An RPC that prunes its history shows the account and none of its transactions.
    if (store.wallets.get(wallet.address)?.scannedTo === null)
      store.atomically(() =>
        store.wallets.read(wallet.address, {
          balance: units[n] ?? usdc(0n),
          slot,
          now: time.now(),
          mark: before,
        }),
      );
  }
};

/** The cursor is in the same transaction, so that each one is entered once. */
const enterMove = (context: Restoring, wallet: Wallet, move: TokenMove, since: number): void => {
  const { store } = context;
  const other = move.counterparty === null ? undefined : store.wallets.get(move.counterparty);
  const isRecent = (move.blockTime ?? Infinity) >= since;
  store.atomically(() => {
    if (move.change < 0n && isRecent) enterDebit(context, { wallet, other, move });
    if (move.change > 0n && wallet.agentId === null && other === undefined) enterFinalDeposit(context, move);
    readUpTo(context, wallet, move);
  });
};

/** The wallet's balance and the scan's cursor after this move. Call it in the transaction that enters the move. */
export const readUpTo = ({ store, time }: Restoring, wallet: Wallet, move: TokenMove): void => {
  store.wallets.readPast(wallet.address, {
    balance: usdc(move.balance),
    slot: move.slot,
    now: time.now(),
    mark: store.wallets.mark(),
  });
  store.wallets.scanned(wallet.address, move.signature);
};

/** Call it in a transaction. False when it was entered before. @param wallet as for `enterDeposit` */
export const enterFinalDeposit = (context: Restoring, move: TokenMove, wallet?: Wallet): boolean => {
  const id = enterDeposit(context, move, wallet);
  if (id !== null) context.store.deposits.settle(id, 'final');
  return id !== null;
};

const interrupted = (cause: unknown): AppError => {
  if (cause instanceof AppError && cause.code !== 'chain_unreachable') return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'chain_unreachable',
    `Restoring from the chain stopped early (${why}). Payments stay off until it completes: start the treasury again, and it continues from there.`,
    {},
    { cause },
  );
};
