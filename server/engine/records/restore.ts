// Reads the records of a treasury whose root came from its recovery phrase, or whose database is gone, back from the
// chain before anything can be paid: the wallets in use, the deposits, and the debits of the last 24 hours.
//
// Each step below is one idempotent transaction, so that a start after a kill continues with the next step. Only the
// last step writes the mark; without it, every start begins here.
import { usualPolicy } from '../../contract/policy-fields.ts';
import { AppError } from '../../errors.ts';
import { usdc } from '../../money.ts';
import type { Context } from '../payment/context.ts';
import { enterDeposit } from './deposits.ts';
import { enterDebit } from './enter-debit.ts';
import { noSolYet, openBalances, setSolCursor } from './opening.ts';
import type { Store, TokenMove, Wallet } from '../ports.ts';

type Restoring = Pick<Context, 'settings' | 'store' | 'chain' | 'keys' | 'time' | 'newId' | 'log'>;

const mark = 'records';
const gap = 20;
const windowMs = 86_400_000;
const reason = 'it was restored from the chain: give it a policy and a key, then resume it';

/** Marks the records as whole: a newly generated root has no past. */
export const beginRecords = (store: Store): void =>
  store.atomically(() => {
    store.meta.set(mark, 'whole');
    setSolCursor(store, noSolYet);
  });

/** False while the records of an older root are missing, in part or whole. */
export const areRecordsWhole = (store: Pick<Store, 'meta'>): boolean => store.meta.get(mark) === 'whole';

/** @throws AppError `locked`, or `chain_unreachable`; then the next start goes on where this one stopped */
export const restoreRecords = async (context: Restoring): Promise<void> => {
  const { store, keys, log } = context;
  if (areRecordsWhole(store)) return;
  if (keys.locked()) {
    throw new AppError(
      'locked',
      'The records of this treasury have to be restored from the chain before it can start, and that needs the passphrase: start in a terminal, or use --passphrase-fd or TREASURY_PASSPHRASE.',
    );
  }
  log.info('the records of this treasury are being restored from the chain');
  try {
    await findAgents(context);
    await readHistories(context);
  } catch (error) {
    log.error({ err: error }, 'the records could not be restored to the end');
    throw interrupted(error);
  }
  store.atomically(() => {
    openBalances(store);
    store.meta.set(mark, 'whole');
  });
  log.info({ agents: store.agents.list().length }, 'the records are restored');
};

/** Wallet indexes follow one another; after twenty that the chain never saw there are no more. */
export const findAgents = async (context: Restoring): Promise<void> => {
  const { chain, keys } = context;
  let lastUsed = 0;
  for (let index = 1; index - lastUsed <= gap;) {
    const indexes = Array.from({ length: gap + lastUsed + 1 - index }, (_, n) => index + n);
    const used = await chain.used(indexes.map(keys.address));
    const found = indexes.filter((_, n) => used[n] === true);
    for (const one of found) addAgent(context, one);
    lastUsed = found.at(-1) ?? lastUsed;
    index += indexes.length;
  }
};

const addAgent = ({ store, keys, time, log }: Restoring, walletIndex: number): void => {
  if (store.agents.list().some((agent) => agent.walletIndex === walletIndex)) return;
  const now = time.now();
  const agent = {
    agentId: freeName(store, `restored-${walletIndex}`),
    walletIndex,
    displayName: `Restored agent ${walletIndex}`,
    status: 'suspended',
    statusReason: reason,
    createdAt: now,
    archivedAt: null,
  } as const;
  store.atomically(() => {
    store.agents.insert(agent, keys.address);
    store.policies.set(agent.agentId, nothingAllowed, now);
  });
  log.info({ agentId: agent.agentId }, 'an agent was found on the chain');
};

const freeName = (store: Store, name: string): string =>
  store.agents.get(name) === undefined ? name : freeName(store, `${name}-again`);

const nothingAllowed = { ...usualPolicy, dailyBudget: usdc(0n), maxPerPayment: usdc(0n) };

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
    `The records of this treasury could not be restored from the chain to the end (${why}). Nothing is paid before they are: start again, and it goes on from there.`,
    {},
    { cause },
  );
};
