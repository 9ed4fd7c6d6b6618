// Debits that no row explains: the wallet is stopped, its owner warned, and the debit gets a row of its own.
import { formatUsdc, usdc } from '../../money.ts';
import {
  changeShortfall,
  debitsToEnter,
  endShortfalls,
  isNoted,
  isProven,
  noteForeignDebit,
  setEntered,
  setProven,
  shortfalls,
  type ForeignDebit,
} from '../domain/foreign-debits.ts';
import { reconciliationMark } from '../domain/reconciliation-mark.ts';
import type { Context } from '../payment/context.ts';
import { addNoticeEverywhere } from '../notices/add-notice.ts';
import { suspend } from '../payment/owner/stop.ts';
import { debitedCold, debitedWallet, isOurs, isPaid } from '../payment/decision/explained.ts';
import type { TokenMove, Wallet } from '../ports.ts';
import type { Aside } from './aside.ts';
import { enterDebit } from './enter-debit.ts';
import { announceEnded, beginReconciliation, endCredentials } from './rollback.ts';

/** Enters a balance that was read. */
export type EnterBalance = () => void;

/** The results of this process's readings of the chain. */
export interface Reading {
  context: Context;
  /** Payees that have a token account. */
  openAccounts: Set<string>;
  lamports: bigint;
  /** When `lamports` was read, by `performance.now`. */
  lamportsAt: number;
  /** Balances read for dry runs, by wallet; `at` by `performance.now`. */
  glances: Map<string, { at: number; balance: Promise<EnterBalance> }>;
  /** This process has compared its records with the chain. */
  compared: boolean;
  /** When it last did with an RPC that had gone on, in Unix milliseconds, and the slot of that comparison. */
  comparedAt: number | null;
  comparedSlot: number;
  /** Every deposit and debit until then is entered, in Unix milliseconds; null: not since the start. */
  enteredUntil: number | null;
  /** By wallet, the newest transaction up to which every debit is explained. */
  explainedTo: Map<string, string>;
  /** When dropped deposits were last looked up, by `performance.now`. */
  droppedReadAt: number;
  aside: Aside;
}

/** A lower balance for which no RPC shows a debit stops its wallet after this time. */
const unseenAfterMs = 60_000;

/**
 * Looks for the debits that explain lower balances, and stops their wallets. What is not explained now is looked for again.
 * @param isUrgent only those of which something is missing: otherwise a payment of ours has probably landed
 * @throws AppError `chain_unreachable` once every wallet was looked at
 */
export const explainShortfalls = async (reading: Reading, isUrgent = false): Promise<void> => {
  const { store } = reading.context;
  await each([...shortfalls(store)], async ([address, { missing }]) => {
    const wallet = store.wallets.get(address);
    // The reconciliation explains them all.
    if (reconciliationMark(store) !== null || wallet === undefined || (isUrgent && missing === 0n)) return;
    try {
      await explainShortfall(reading, wallet);
    } finally {
      stopUnseen(reading, wallet);
    }
  });
};

/** Does it for all of them, one after another. @throws the last failure */
export const each = async <T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> => {
  let failure: unknown = null;
  for (const one of list) {
    try {
      await work(one);
    } catch (error) {
      failure = error;
    }
  }
  if (failure !== null) throw failure;
};

/** Of one wallet, so many debits are noted at most before they have their rows; the others follow. */
const notedAtOnce = 50;

const explainShortfall = async (
  { context, compared, explainedTo }: Reading,
  wallet: Wallet,
): Promise<void> => {
  const { store, chain } = context;
  const { address } = wallet;
  const debited = debitedWallet(wallet);
  const isUnknown = (signature: string): boolean => !isPaid(store, signature, debited);
  const newest = await chain.newestMove(address);
  const until = explainedTo.get(address) ?? wallet.scannedTo;
  for await (const { moves } of chain.moves(address, until, isUnknown))
    for (const move of moves) {
      if (move.change >= 0n || move.failed || isOurs(store, move, debited)) continue;
      if (debitsToEnter(store).filter((one) => one.wallet === address).length >= notedAtOnce) return;
      stopWallet({ context, compared }, wallet, move);
    }
  if (newest !== null) explainedTo.set(address, newest);
  store.atomically(() => endShortfalls(store, [address]));
};

const stopUnseen = ({ context }: Reading, { address, agentId }: Wallet): void => {
  const { store, time } = context;
  const { missing, since } = shortfalls(store).get(address) ?? { missing: 0n, since: 0 };
  if (missing === 0n || time.now() - since < unseenAfterMs) return;
  stopFor(
    context,
    { wallet: address, source: null, agentId, signature: null, amount: usdc(missing), at: since, slot: 0 },
    `the wallet holds ${formatUsdc(usdc(missing))} USDC less than its payments explain, and the Solana RPC shows no transaction that took it`,
  );
};

/** Suspends the wallet's agent; for the treasury's own wallet and the cold one, freezes everything. */
export const stopWallet = (
  { context, compared }: Pick<Reading, 'context' | 'compared'>,
  { address, agentId }: Pick<Wallet, 'address' | 'agentId'>,
  { signature, change, slot }: TokenMove,
  source: string | null = null,
): void => {
  const { time } = context;
  const amount = usdc(-change);
  const reason = `transaction ${signature} took ${formatUsdc(amount)} USDC and no payment explains it`;
  stopFor(context, { wallet: address, source, agentId, signature, amount, at: time.now(), slot }, reason);
  // While the treasury runs, each of its debits has a row; at a start, the records may be a rolled-back copy.
  if (!compared) beginReconciliation(context, 'debit', reason);
};

const stopFor = (context: Context, debit: ForeignDebit & { slot: number }, reason: string): void => {
  const { store, log, publish } = context;
  const { wallet, source, agentId, signature, amount, at, slot } = debit;
  if (isNoted(store, debit)) return;
  log.error({ wallet, signature }, 'a debit that no payment explains');
  // The stop comes first: a crash in between finds the debit again.
  suspend(context, agentId, reason);
  store.atomically(() => {
    noteForeignDebit(store, debit);
    addNoticeEverywhere(context, { kind: 'unexplained_debit', agentId, signature, amount });
    if (source === null && signature !== null && slot <= (store.wallets.get(wallet)?.slot ?? 0))
      changeShortfall(store, wallet, -amount, at);
  });
  publish({ type: 'warning', code: 'unexplained_debit', message: `Wallet ${wallet} is stopped: ${reason}.` });
};

/** A debit that every RPC denies is looked up for a day. */
const lookedUpForMs = 86_400_000;

/**
 * Ends what could pay a debit again once every RPC that answers shows it, and gives it its row once it is final, so that it
 * counts as spent. @throws AppError `chain_unreachable` once all were looked up
 */
export const enterForeignDebits = async (context: Context): Promise<void> => {
  const { store, chain, time } = context;
  await each(debitsToEnter(store), async (debit) => {
    const { signature, source, agentId, at } = debit;
    if (signature === null || reconciliationMark(store) !== null) return;
    const [sighting = null] = (await chain.sightings([signature])).found;
    if (sighting === null) {
      if (time.now() - at > lookedUpForMs) store.atomically(() => setEntered(store, debit));
      return;
    }
    if (sighting.error === null && !isProven(store, debit)) {
      const ended = store.atomically(() => {
        setProven(store, debit);
        return endCredentials(context, agentId, 'A debit was found that no payment explains.');
      });
      announceEnded(context, ended);
    }
    if (sighting.commitment !== 'finalized') return;
    const move = await chain.move(source ?? debit.wallet, signature);
    const wallet = store.wallets.get(debit.wallet);
    const other = move.counterparty === null ? undefined : store.wallets.get(move.counterparty);
    store.atomically(() => {
      const debited = source === null ? wallet && debitedWallet(wallet) : debitedCold(source);
      if (wallet !== undefined && !move.failed && move.change < 0n && !isOurs(store, move, debited))
        enterDebit(context, { wallet, other, move, source }, store.newestTime());
      setEntered(store, debit);
    });
  });
};
