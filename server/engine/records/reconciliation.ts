// Reconciliation of records that are older than the chain: a restored backup, or a copy that was put back. Debits and
// deposits that the records lack are read from the chain and entered, so that balances and budget windows are right.
// Everything is frozen from before the first answer until the owner, who reads what was found, lifts the freeze.
import { formatUsdc, usdc } from '../../money.ts';
import type { Context } from '../payment/context.ts';
import { isVoid } from '../domain/states.ts';
import { debitedCold, debitedWallet, isOurs, isPaid } from '../payment/decision/explained.ts';
import type { AgentKey, TokenMove, Wallet } from '../ports.ts';
import { repeat, type Repeated } from '../../lib/repeat.ts';
import { resetShortfalls } from '../domain/foreign-debits.ts';
import {
  nothingFound,
  reconciliationMark,
  setReconciliationMark,
  type ReconciliationMark,
} from '../domain/reconciliation-mark.ts';
import { followKnownWallets, isDraw } from './cold.ts';
import { findAgents } from './find-agents.ts';
import { setSolCursor } from './opening.ts';
import { enterDebit } from './enter-debit.ts';
import { enterFinalDeposit, readUpTo } from './restore.ts';
import { announceEnded, beingCompared, endCredentials, rolledBack } from './rollback.ts';

const lookMs = 1_000;

interface Reconciliation extends Repeated {
  /** Reads the chain if the records are marked, and clears the mark. @throws AppError; the mark then stays */
  run(): Promise<void>;
}

export const createReconciliation = (context: Context): Reconciliation => {
  const { store, keys, log } = context;
  const run = async (): Promise<void> => {
    if (reconciliationMark(store) === null || keys.locked()) return;
    await findAgents(context);
    followKnownWallets(context);
    await enterAll(context);
    const broken = reconciliationMark(store)?.kind === 'older' ? await sealAnew(context) : null;
    conclude(context, broken);
  };
  const failed = (error: unknown): void =>
    log.warn({ err: error }, 'the records could not be compared with the chain now; everything stays frozen');
  return { run, ...repeat(run, lookMs, failed) };
};

/** Creates the rows in the order of their slots, over all wallets. */
const enterAll = async (context: Context): Promise<void> => {
  const { store, chain } = context;
  const wallets = store.wallets.list();
  const { slot } = await chain.balances(wallets.map(({ address }) => address));
  const found: { wallet: Wallet; move: TokenMove }[] = [];
  for (const wallet of wallets) {
    const moves = chain.history(wallet.address, {
      slot,
      after: wallet.scannedTo,
      wanted: ({ signature, failed }) => !failed && !isKnown(context, wallet, signature),
    });
    for await (const some of moves) for (const move of some) found.push({ wallet, move });
  }
  const entries = [
    ...found.map(({ wallet, move }) => ({ move, enter: () => enterOne(context, wallet, move) })),
    ...(await drawsMissing(context)).map(({ move, source }) => ({
      move,
      enter: () => enterDraw(context, move, source),
    })),
  ];
  for (const { enter } of entries.toSorted((a, b) => a.move.slot - b.move.slot)) enter();
};

/** The debits of each account of a cold treasury that this treasury signed and has no row of, oldest first. */
const drawsMissing = async ({ store, chain, settings }: Context) => {
  const missing: { source: string; move: TokenMove }[] = [];
  for (const { address: source, scannedTo } of store.cold.accounts()) {
    const { slot } = await chain.coldAccount(source);
    const wanted = { slot, after: scannedTo, wanted: isSuccess };
    for await (const moves of chain.history(source, wanted))
      for (const move of moves)
        if (isDraw(move, settings.owner) && !isOurs(store, move, debitedCold(source)))
          missing.push({ source, move });
  }
  return missing;
};

const isSuccess = ({ failed }: { failed: boolean }): boolean => !failed;

const enterDraw = (context: Context, move: TokenMove, source: string): void => {
  const { store, settings } = context;
  const wallet = store.wallets.get(settings.owner);
  if (wallet === undefined) return;
  const other = move.counterparty === null ? undefined : store.wallets.get(move.counterparty);
  const ended = store.atomically(() => {
    enterDebit(context, { wallet, other, move, source }, store.newestTime());
    store.cold.scanned(source, move.signature);
    countFound(store, other === undefined ? -move.change : null);
    return endCredentials(context, null);
  });
  announceEnded(context, ended);
};

/** @param units what left for outside; null: it went to one of our own wallets */
const countFound = (store: Context['store'], units: bigint | null): void => {
  const mark = reconciliationMark(store) ?? { ...nothingFound, kind: 'debit' as const };
  setReconciliationMark(store, {
    ...mark,
    payments: mark.payments + (units === null ? 0 : 1),
    units: mark.units + (units ?? 0n),
  });
};

/** Known by a row of this wallet, or by one that paid it. One transaction may have debited several wallets. */
const isKnown = ({ store }: Context, { address, index }: Wallet, signature: string): boolean => {
  const row = store.transfers.bySignature(signature);
  if (row !== undefined && !isVoid(row) && (row.wallet === address || row.payee === address)) return true;
  return isPaid(store, signature, debitedWallet({ address, index }));
};

/** The cursor and the count are in the same transaction, so that each one is entered once. */
const enterOne = (context: Context, wallet: Wallet, move: TokenMove): void => {
  const { store } = context;
  const other = move.counterparty === null ? undefined : store.wallets.get(move.counterparty);
  const ended = store.atomically(() => {
    let keys: AgentKey[] = [];
    const mark = reconciliationMark(store) ?? { ...nothingFound, kind: 'debit' as const };
    if (!move.failed && !isKnown(context, wallet, move.signature)) {
      if (move.change < 0n && !isOurs(store, move, debitedWallet(wallet))) {
        enterDebit(context, { wallet, other, move }, store.newestTime());
        countFound(store, other === undefined ? -move.change : null);
        // The idempotency key of that payment is lost too: an agent that repeats its request would pay twice.
        keys = endCredentials(context, null);
      }
      if (
        move.change > 0n &&
        wallet.agentId === null &&
        other === undefined &&
        enterFinalDeposit(context, move)
      )
        setReconciliationMark(store, { ...mark, deposits: mark.deposits + 1 });
    }
    readUpTo(context, wallet, move);
    return keys;
  });
  announceEnded(context, ended);
};

/** Verifies everything, one step in each turn, and seals the journal's head. Returns the break, or null. */
const sealAnew = async ({ store, seals }: Context): Promise<string | null> => {
  const head = store.atomically(() => store.journal.head());
  const check = store.journal.verifyAll();
  for (;;) {
    const { done, value } = check.next();
    if (done && value !== null) return value.broken;
    if (done) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  seals.seal(head);
  return null;
};

const conclude = (context: Context, broken: string | null): void => {
  const { store, time, publish, log } = context;
  const reason = store.atomically(() => {
    const mark = reconciliationMark(store) ?? { ...nothingFound, kind: 'debit' as const };
    setReconciliationMark(store, null);
    resetShortfalls(store);
    // Of SOL, what the records lacked is not entered one by one.
    setSolCursor(store, null);
    const before = store.freeze.get();
    const facts = { broken, cold: forgottenCold(context), steps: `${providersOff(store)}${beforeUnfreeze}` };
    const text = reasonOf(mark, before?.reason ?? '', facts);
    store.freeze.set({ since: before?.since ?? time.now(), reason: text });
    return text;
  });
  log.warn({ reason }, 'the records were compared with the chain');
  publish({ type: 'freeze', frozen: true, reason });
  publish({ type: 'warning', code: 'rescanned', message: `Everything is stopped: ${reason}.` });
};

/** The cold wallet that the owner chose last, unless these records draw on it. */
const forgottenCold = ({ store, seals }: Context): string | null => {
  const last = seals.coldWallets().at(-1) ?? null;
  return last === store.cold.get()?.address ? null : last;
};

/** @param facts `cold`: the cold wallet that the records do not know as chosen; `steps`: the owner’s before going on */
const reasonOf = (
  { kind, payments, units, deposits }: ReconciliationMark,
  before: string,
  { broken, cold, steps }: { broken: string | null; cold: string | null; steps: string },
): string => {
  const found = `${payments} ${payments === 1 ? 'payment' : 'payments'} of ${formatUsdc(usdc(units))} USDC in all and ${deposits} ${deposits === 1 ? 'deposit' : 'deposits'} that were missing here were found on the chain and entered`;
  if (kind === 'debit') {
    const known = before.replace(beingCompared, '');
    return payments + deposits === 0
      ? known
      : `${known}; ${found}; if you did not put an older copy back, somebody else holds your keys${payments === 0 ? '' : `; ${credentialsEnded}; ${steps}`}`;
  }
  return [
    `${rolledBack}: ${found}`,
    `${credentialsEnded}, and policies and stops are those of the copy`,
    ...(cold === null ? [] : [`the cold wallet ${cold} was chosen since: set it again if it is still yours`]),
    ...(broken === null ? [] : [`the records were changed from outside (${broken}): restore a backup`]),
    steps,
  ].join('; ');
};

const credentialsEnded = 'all agents’ keys, standing approvals and phone wallets were ended';
const providersOff = ({ modelSuppliers }: Context['store']): string =>
  modelSuppliers.list().every(({ kind }) => kind === 'seller')
    ? ''
    : 'your providers of language models are off until you enter what each agent used of them since; ';
const beforeUnfreeze = 'check each agent and give it a new key, register your phones again, then unfreeze';
