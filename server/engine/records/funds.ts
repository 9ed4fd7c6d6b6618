// The managed wallets: reads their balances from the chain. deposits.ts recognizes deposits, debits.ts explains debits.
import { AppError } from '../../errors.ts';
import type { Context } from '../payment/context.ts';
import { readCold, refusedDraw } from '../payment/decision/draws.ts';
import { available } from '../payment/decision/balance.ts';
import type { ChainFacts } from '../payment/decision/judge.ts';
import { payeesOf } from '../domain/purchase.ts';
import { usdc } from '../../money.ts';
import type { Intent, Transfer, Wallet } from '../ports.ts';
import { repeat } from '../../lib/repeat.ts';
import { areRecordsWhole } from '../domain/reconciliation-mark.ts';
import { shortfalls } from '../domain/foreign-debits.ts';
import { isChange, readBalances } from './balances.ts';
import { enterForeignDebits, explainShortfalls, type EnterBalance, type Reading } from './debits.ts';
import { compareClocks } from './clocks.ts';
import { createAside, type Aside } from './aside.ts';
import { explainDraws, lookAtCold, readAccounts } from './cold.ts';
import { scanDeposits } from './deposits.ts';
import { areDown, lamportsNow, refreshLamports, staleAfterMs } from './lamports.ts';
import { createDoubts } from './doubts.ts';

const pollMs = 10_000;

export interface Funds {
  /** Reads the wallets' balances from the chain. @throws AppError `chain_unreachable` */
  refresh(addresses: readonly string[]): Promise<void>;
  /** The wallet's USDC, read again when the last reading is older than 2 s; the last known when no RPC answers. */
  balance(address: string): Promise<Wallet>;
  /** The chain facts for T1; reads only unknown ones. @throws AppError `chain_unreachable`, `not_available` */
  prepare(intent: Intent): Promise<ChainFacts>;
  /**
   * The same for a dry run, which writes nothing: `enter`, inside a transaction that is rolled back, enters what
   * `prepare` would have read. @throws as `prepare`
   */
  foresee(intent: Intent): Promise<ChainFacts & { enter(): void }>;
  /** The treasury's lamports as last read. */
  lamports(): bigint;
  refreshLamports(): Promise<void>;
  /** The treasury's lamports, read again where that is needed; the last known when no RPC answers. */
  lamportsNow(): Promise<bigint>;
  /** Records the treasury's new deposits, and settles the last ones. @throws AppError `chain_unreachable` */
  scanDeposits(): Promise<void>;
  /** Reads the cold treasury, and explains its debits. @throws AppError `chain_unreachable` */
  readCold(): Promise<void>;
  /** When all that could be lost was last read, in Unix milliseconds; null: not since the start. */
  comparedAt(): number | null;
  /** What the chain showed until then is entered, in Unix milliseconds; null: not since the start. */
  enteredUntil(): number | null;
  /** USDC of the wallets that is not in their usual accounts. */
  aside: Pick<Aside, 'units' | 'isWhole'>;
  /**
   * Reads all wallets and deposits, some wallets' accounts beside the usual one and, on a real network, compares this machine's clock with the chain's.
   * @throws AppError `chain_unreachable` once all that could be read was
   */
  compare(): Promise<void>;
  /** A transfer has gone on: what it left in doubt is read again. Call it after the commit. */
  noticed(transfer: Transfer): void;
  start(): void;
  stop(): Promise<void>;
}

export const createFunds = (context: Context): Funds => {
  const reading: Reading = {
    context,
    openAccounts: new Set(),
    lamports: 0n,
    lamportsAt: -Infinity,
    glances: new Map(),
    compared: false,
    comparedAt: null,
    comparedSlot: -1,
    enteredUntil: null,
    explainedTo: new Map(),
    droppedReadAt: -Infinity,
    aside: createAside(context),
  };
  const doubts = createDoubts(context, {
    wallets: (addresses) => refresh(reading, addresses),
    cold: () => readCold(context),
  });
  const { start, stop } = repeat(
    () => look(reading),
    pollMs,
    (error) => context.log.warn({ err: error }, 'the wallets could not be read now'),
  );
  return {
    refresh: (addresses) => refresh(reading, addresses),
    balance: (address) => balanceOf(reading, address),
    prepare: (intent) => factsFor(reading, intent, (wallet) => refresh(reading, [wallet])),
    foresee: (intent) => foresee(reading, intent),
    lamports: () => reading.lamports,
    refreshLamports: () => refreshLamports(reading),
    lamportsNow: () => lamportsNow(reading),
    scanDeposits: () => scanDeposits(reading),
    readCold: () => lookAtCold(reading),
    comparedAt: () => reading.comparedAt,
    enteredUntil: () => reading.enteredUntil,
    aside: reading.aside,
    compare: () => compare(reading),
    noticed(transfer) {
      // Old, but read: the next payment does not wait for an RPC.
      reading.lamportsAt = Math.min(reading.lamportsAt, performance.now() - staleAfterMs - 1);
      doubts.noticed(transfer);
    },
    start,
    stop: async () => void (await Promise.all([stop(), doubts.stop()])),
  };
};

const refresh = async (reading: Reading, addresses: readonly string[]): Promise<void> => {
  if (!areRecordsWhole(reading.context.store)) return;
  await readBalances(reading, addresses, () => true);
  await explainNow(reading).catch((error: unknown) =>
    reading.context.log.debug({ err: error }, 'a lower balance is explained later'),
  );
};

const explainNow = async (reading: Reading): Promise<void> => {
  await explainShortfalls(reading, true);
  await enterForeignDebits(reading.context);
};

const balanceOf = async (reading: Reading, address: string): Promise<Wallet> => {
  const { store, chain, time, log } = reading.context;
  const known = store.wallets.get(address);
  if (known === undefined || (time.now() - known.readAt > staleAfterMs && !areDown(chain))) {
    await refresh(reading, [address]).catch((error: unknown) =>
      log.debug({ err: error }, 'the last known balance is given'),
    );
  }
  const wallet = store.wallets.get(address);
  if (wallet === undefined) throw new Error(`wallet ${address} is managed`);
  return wallet;
};

/** @param read called when the known balance does not cover the transfer */
const factsFor = async (
  reading: Reading,
  intent: Intent,
  read: (wallet: string) => Promise<void>,
): Promise<ChainFacts> => {
  const rent = await rentFor(reading, intent);
  if (rent > 0n && intent.purchase != null && intent.purchase.dialect !== 'receipt')
    throw new AppError(
      'not_available',
      'A recipient has no USDC account yet, and the seller’s protocol does not let the payer open one. Nothing was paid.',
    );
  if (intent.source != null) {
    if (refusedDraw(reading.context, intent, reading.context.time.now()) !== null)
      await readCold(reading.context);
  } else if (intent.asset === 'USDC' && available(reading.context, intent.wallet) < intent.amount)
    await read(intent.wallet);
  if (reading.lamportsAt === -Infinity || reading.lamports < 1_000_000n || intent.asset === 'SOL')
    await refreshLamports(reading);
  return { rent, treasuryLamports: reading.lamports };
};

const nothingRead: EnterBalance = () => {};

const foresee = async (reading: Reading, intent: Intent): Promise<ChainFacts & { enter(): void }> => {
  let enter = nothingRead;
  const facts = await factsFor(reading, intent, async (wallet) => {
    enter = await glance(reading, wallet);
  });
  return { ...facts, enter };
};

/** Reads a wallet's balance without entering it, at most once in two seconds. */
const glance = ({ context, glances }: Reading, wallet: string): Promise<EnterBalance> => {
  const { store, chain, time } = context;
  const now = performance.now();
  const known = glances.get(wallet);
  if (known !== undefined && now - known.at < staleAfterMs) return known.balance;
  const mark = store.wallets.mark();
  const balance = chain.balances([wallet]).then(
    ({ slot, units: [units] }): EnterBalance =>
      () =>
        store.wallets.read(wallet, { balance: units ?? usdc(0n), slot, now: time.now(), mark }),
  );
  glances.set(wallet, { at: now, balance });
  // Also a failure stands for two seconds.
  balance.catch(() => {});
  return balance;
};

/** For all recipients without an account. */
const rentFor = async ({ context, openAccounts }: Reading, intent: Intent): Promise<bigint> => {
  const { chain } = context;
  let rent = 0n;
  if (intent.asset === 'SOL') return rent;
  for (const payee of payeesOf(intent)) {
    if (openAccounts.has(payee)) continue;
    if (openAccounts.size > 10_000) openAccounts.clear();
    if (await chain.hasTokenAccount(payee)) openAccounts.add(payee);
    else if (!chain.isWallet(payee))
      throw new AppError(
        'not_available',
        `${payee} is not the address of a wallet, and it has no USDC account. Such an address can be paid only if it has one, as a multisig may. Nothing was paid.`,
      );
    else rent += await chain.rentLamports();
  }
  return rent;
};

const compare = (reading: Reading): Promise<void> =>
  inFull([compareRecords(reading), reading.aside.read(), compareClocks(reading.context)]);

const compareRecords = async (reading: Reading): Promise<void> => {
  const { store, chain, time } = reading.context;
  if (!areRecordsWhole(store)) return;
  const begun = time.now();
  const addresses = store.wallets.list().map(({ address }) => address);
  const latest = await chain.latestSlot();
  store.wallets.forgetBeyond(latest);
  store.cold.forgetBeyond(latest);
  if (reading.comparedSlot > latest) reading.comparedSlot = -1;
  const slot = Math.min(await readBalances(reading, addresses, isChange), await readAccounts(reading));
  // An RPC that is stuck at a slot answers, and shows nothing new.
  if (slot > reading.comparedSlot) Object.assign(reading, { comparedSlot: slot, comparedAt: begun });
  await inFull([scanDeposits(reading), explainDraws(reading), explainShortfalls(reading)]);
  await enterForeignDebits(reading.context);
  // While something is missing, these records may still turn out to be a rolled-back copy.
  if ([...shortfalls(store).values()].every(({ missing }) => missing === 0n)) reading.compared = true;
  reading.enteredUntil = reading.comparedAt;
};

const look = async (reading: Reading): Promise<void> => {
  await inFull([compare(reading), refreshLamports(reading)]);
};

/** One that fails does not keep the others from being done. @throws the first failure */
const inFull = async (parts: readonly Promise<void>[]): Promise<void> => {
  for (const part of await Promise.allSettled(parts)) if (part.status === 'rejected') throw part.reason;
};
