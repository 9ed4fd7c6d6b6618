// The managed wallets: reads their balances from the chain, recognises deposits, and explains every debit by a row.
import { AppError } from '../../errors.ts';
import { suspend } from '../payment/stop.ts';
import type { Context } from '../payment/context.ts';
import { available, type ChainFacts, type Intent } from '../payment/judge.ts';
import { formatUsdc, usdc, type Usdc } from '../../money.ts';
import { hasUnknownSignature } from '../payment/via-facilitator.ts';
import type { Store, TokenMove, Wallet } from '../ports.ts';
import { repeat } from '../../lib/repeat.ts';
import { beginReconciliation } from './rollback.ts';
import { reconciliationMark } from '../domain/reconciliation-mark.ts';

const staleAfterMs = 2_000;
const pollMs = 10_000;
const lamportsFreshMs = 30_000;
/** Five minutes of slots: an unchanged balance is recorded that often, and no more. */
const slotsBetweenReadings = 750;

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
  /** Records the treasury's new deposits, and settles the last ones. @throws AppError `chain_unreachable` */
  scanDeposits(): Promise<void>;
  /** Reads all wallets and deposits. @throws AppError `chain_unreachable` */
  compare(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

/** Enters a balance that was read. */
type Reading = () => void;
const nothingRead: Reading = () => {};

/** Whether a row of ours explains a managed wallet's transaction: by signature or, if that is unknown, by message. */
export const isOurs = ({ transfers }: Pick<Store, 'transfers'>, move: TokenMove): boolean =>
  transfers.bySignature(move.signature) !== undefined ||
  transfers.open().some((row) => hasUnknownSignature(row) && row.signed?.messageHash === move.messageHash);

export const createFunds = (context: Context): Funds => {
  const { store, chain, time, settings, log, publish, newId } = context;
  const openAccounts = new Set<string>();
  let lamports = 0n;
  let lamportsAt = -Infinity;
  const glances = new Map<string, { at: number; reading: Promise<Reading> }>();
  /** This process has compared its records with the chain. */
  let compared = false;

  /** @param isNews which readings are entered */
  const readBalances = async (addresses: readonly string[], isNews: typeof isChange): Promise<void> => {
    const mark = store.wallets.mark();
    const { slot, units } = await chain.balances(addresses);
    const suspects: string[] = [];
    const changed: string[] = [];
    store.atomically(() => {
      for (const [index, address] of addresses.entries()) {
        const before = store.wallets.get(address);
        const now = units[index] ?? usdc(0n);
        if (before !== undefined && !isNews(before, now, slot)) continue;
        if (before !== undefined && slot >= before.slot && now < before.balance - before.pending)
          suspects.push(address);
        store.wallets.read(address, now, slot, time.now(), mark);
        if (before !== undefined && before.balance !== now) changed.push(address);
      }
    });
    for (const wallet of changed) publish({ type: 'balance', wallet });
    for (const address of suspects) await explain(address);
  };

  const refresh = (addresses: readonly string[]): Promise<void> => readBalances(addresses, () => true);

  /** The balance is lower than our rows can explain: finds the debit. */
  const explain = async (address: string): Promise<void> => {
    const wallet = store.wallets.get(address);
    // The reconciliation explains them all.
    if (wallet === undefined || reconciliationMark(store) !== null) return;
    const moves = await chain.moves(address, wallet.scannedTo);
    const strange = moves.find((move) => move.change < 0n && !isOurs(store, move));
    if (strange !== undefined) stopWallet(wallet, strange);
  };

  const stopWallet = ({ address, agentId }: Wallet, { signature, change }: TokenMove): void => {
    const reason = `transaction ${signature} took ${formatUsdc(usdc(-change))} USDC and no payment explains it`;
    log.error({ wallet: address, signature }, 'a debit that no payment explains');
    suspend(context, agentId, reason);
    publish({
      type: 'warning',
      code: 'unexplained_debit',
      message: `Wallet ${address} is stopped: ${reason}.`,
    });
    // While the treasury runs, each of its debits has a row; at a start, the records may be a rolled-back copy.
    if (!compared) beginReconciliation(context, 'debit', reason);
  };

  const refreshLamports = async (): Promise<void> => {
    lamports = await chain.lamports(settings.owner);
    lamportsAt = performance.now();
  };

  const rentFor = async ({ asset, payee }: Intent): Promise<bigint> => {
    if (asset === 'SOL' || openAccounts.has(payee)) return 0n;
    if (!(await chain.hasTokenAccount(payee))) return chain.rentLamports();
    if (openAccounts.size > 10_000) openAccounts.clear();
    openAccounts.add(payee);
    return 0n;
  };

  /** @param read called when the known balance does not cover the transfer */
  const factsFor = async (intent: Intent, read: (wallet: string) => Promise<void>): Promise<ChainFacts> => {
    const rent = await rentFor(intent);
    if (rent > 0n && intent.purchase != null && intent.purchase.dialect !== 'receipt')
      throw new AppError(
        'not_available',
        'The payee has no USDC account yet, and the seller’s protocol does not let the payer open one. Nothing was paid.',
      );
    if (intent.asset === 'USDC' && available(context, intent.wallet) < intent.amount)
      await read(intent.wallet);
    if (lamportsAt === -Infinity || lamports < 1_000_000n || intent.asset === 'SOL') await refreshLamports();
    return { rent, treasuryLamports: lamports };
  };

  /** Reads a wallet's balance without entering it, at most once in two seconds, since nothing else limits dry runs. */
  const glance = (wallet: string): Promise<Reading> => {
    const now = performance.now();
    const known = glances.get(wallet);
    if (known !== undefined && now - known.at < staleAfterMs) return known.reading;
    const mark = store.wallets.mark();
    const reading = chain.balances([wallet]).then(
      ({ slot, units: [units] }): Reading =>
        () =>
          store.wallets.read(wallet, units ?? usdc(0n), slot, time.now(), mark),
    );
    glances.set(wallet, { at: now, reading });
    reading.catch(() => glances.delete(wallet));
    return reading;
  };

  const scanDeposits = async (): Promise<void> => {
    const treasury = store.wallets.get(settings.owner);
    if (treasury === undefined || reconciliationMark(store) !== null) return;
    const moves = await chain.moves(settings.owner, treasury.scannedTo);
    for (const move of moves) {
      enterMove(treasury, move);
      if (reconciliationMark(store) !== null) return;
    }
    await settleDeposits();
  };

  const enterMove = (treasury: Wallet, move: TokenMove): void => {
    const id = newId('dep');
    const isStrange = !move.failed && !isOurs(store, move);
    const isDeposit = move.change > 0n && isStrange;
    // Before the cursor passes it: this transaction is not read again.
    if (move.change < 0n && isStrange) stopWallet(treasury, move);
    if (reconciliationMark(store) !== null) return;
    const entered = store.atomically(() => {
      store.wallets.scanned(settings.owner, move.signature);
      if (!isDeposit) return false;
      return store.deposits.insert({
        id,
        txSignature: move.signature,
        from: move.counterparty ?? 'mint',
        wallet: settings.owner,
        amount: usdc(move.change),
        slot: move.slot,
        status: 'confirmed',
        at: move.blockTime ?? time.now(),
      });
    });
    const deposit = entered ? store.deposits.list(null, 1)[0] : undefined;
    if (deposit !== undefined) publish({ type: 'deposit', deposit });
  };

  const settleDeposits = async (): Promise<void> => {
    const open = store.deposits.unsettled().slice(0, 256);
    if (open.length === 0) return;
    const { slot, found } = await chain.sightings(open.map((deposit) => deposit.txSignature));
    store.atomically(() => {
      for (const [index, deposit] of open.entries()) {
        const sighting = found[index] ?? null;
        if (sighting?.commitment === 'finalized') {
          store.deposits.settle(deposit.id, sighting.error === null ? 'final' : 'dropped');
        } else if (sighting === null && slot > deposit.slot + 150) {
          store.deposits.settle(deposit.id, 'dropped');
        }
      }
    });
  };

  const compare = async (): Promise<void> => {
    const addresses = store.wallets.list().map(({ address }) => address);
    await readBalances(addresses, isChange);
    await scanDeposits();
    compared = true;
  };

  const look = async (): Promise<void> => {
    try {
      await compare();
      if (performance.now() - lamportsAt > lamportsFreshMs) await refreshLamports();
      if (settings.network !== 'sandbox') await compareClocks();
    } catch (error) {
      log.warn({ err: error }, 'the wallets could not be read now');
    }
  };

  /** On a real network, a block's time is the witness for this machine's clock. */
  const compareClocks = async (): Promise<void> => {
    const chainTime = await chain.chainTime();
    if (chainTime === null) return;
    if (Math.abs(chainTime - Date.now()) < 5 * 60_000) time.trust();
    else time.suspect('the clock of this machine differs from the network’s by more than five minutes');
  };

  return {
    refresh,
    async balance(address) {
      const known = store.wallets.get(address);
      if (known === undefined || time.now() - known.readAt > staleAfterMs) {
        await refresh([address]).catch((error: unknown) =>
          log.debug({ err: error }, 'the last known balance is given'),
        );
      }
      const wallet = store.wallets.get(address);
      if (wallet === undefined) throw new Error(`wallet ${address} is managed`);
      return wallet;
    },
    prepare: (intent) => factsFor(intent, (wallet) => refresh([wallet])),
    async foresee(intent) {
      let enter = nothingRead;
      const facts = await factsFor(intent, async (wallet) => {
        enter = await glance(wallet);
      });
      return { ...facts, enter };
    },
    lamports: () => lamports,
    refreshLamports,
    scanDeposits,
    compare,
    ...repeat(look, pollMs),
  };
};

/** An idle treasury writes nothing: an unchanged balance with nothing pending is not recorded again for a while. */
const isChange = ({ balance, pending, readAt, slot }: Wallet, now: Usdc, nowSlot: number): boolean =>
  now !== balance || pending !== 0n || readAt === 0 || nowSlot - slot >= slotsBetweenReadings;
