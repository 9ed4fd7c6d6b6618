// Deposits: read from the treasury's history on the chain, recorded once, and settled when they are final.
import { usdc } from '../../money.ts';
import { addNotice } from '../notices/add-notice.ts';
import { areRecordsWhole, reconciliationMark } from '../domain/reconciliation-mark.ts';
import type { Context } from '../payment/context.ts';
import { debitedWallet, isOurs } from '../payment/decision/explained.ts';
import type { TokenMove, Wallet } from '../ports.ts';
import { each, stopWallet, type Reading } from './debits.ts';

/** Records the treasury's new deposits, and settles the last ones. @throws AppError `chain_unreachable` */
export const scanDeposits = async (reading: Reading): Promise<void> => {
  const { store, chain, settings } = reading.context;
  const treasury = store.wallets.get(settings.owner);
  if (treasury === undefined || reconciliationMark(store) !== null || !areRecordsWhole(store)) return;
  for await (const { moves, isAhead } of chain.moves(settings.owner, treasury.scannedTo)) {
    for (const move of isAhead ? [] : moves) {
      enterMove(reading, treasury, move);
      if (reconciliationMark(store) !== null) return;
    }
  }
  await settleDeposits(reading);
};

/** Micro-USDC: strangers send less, for the sake of a memo. */
const noticeFrom = 10_000n;

const enterMove = (reading: Reading, treasury: Wallet, move: TokenMove): void => {
  const { store, settings, publish } = reading.context;
  const isStrange =
    !move.failed && !isOurs(store, move, move.change < 0n ? debitedWallet(treasury) : undefined);
  const isDeposit = move.change > 0n && isStrange;
  // Before the cursor passes it: this transaction is not read again.
  if (move.change < 0n && isStrange) stopWallet(reading, treasury, move);
  if (reconciliationMark(store) !== null) return;
  const entered = store.atomically(() => {
    store.wallets.scanned(settings.owner, move.signature);
    if (!isDeposit) return false;
    const id = enterDeposit(reading.context, move);
    if (id === null) return false;
    const from = move.counterparty ?? 'mint';
    const deposit = { id, from, asset: 'USDC', amount: usdc(move.change) } as const;
    if (move.change >= noticeFrom) addNotice(reading.context, { kind: 'deposit', deposit });
    return true;
  });
  const deposit = entered ? store.deposits.list(null, 1)[0] : undefined;
  if (deposit !== undefined) publish({ type: 'deposit', deposit });
};

/**
 * Enters what the chain shows as paid into a wallet from outside, as not yet final. Call it in a transaction.
 * Returns the deposit's id; null when it was entered before.
 * @param wallet the treasury, unless it was paid to an agent directly
 */
export const enterDeposit = (
  { settings, store, time, newId }: Pick<Context, 'settings' | 'store' | 'time' | 'newId'>,
  move: TokenMove,
  wallet: Pick<Wallet, 'address' | 'index'> = { address: settings.owner, index: 0 },
): string | null => {
  const id = newId('dep');
  const isNew = store.deposits.insert({
    id,
    // One transaction may pay several wallets; each has its own deposit.
    txSignature: wallet.index === 0 ? move.signature : `${move.signature}#${wallet.index}`,
    from: move.counterparty ?? 'mint',
    wallet: wallet.address,
    asset: 'USDC',
    amount: usdc(move.change),
    slot: move.slot,
    status: 'confirmed',
    at: Math.min(move.blockTime ?? time.now(), time.now()),
  });
  return isNew ? id : null;
};

/** Deposits that were dropped are looked up again for a day, every ten minutes: wrong answers must not lose one. */
const again = { forMs: 86_400_000, everyMs: 10 * 60_000 };
/** Slots after which a transaction that was confirmed is either final or gone. */
const slotsToFinality = 150;

const settleDeposits = async (reading: Reading): Promise<void> => {
  const { store, chain, time } = reading.context;
  const isDue = performance.now() - reading.droppedReadAt > again.everyMs;
  if (isDue) reading.droppedReadAt = performance.now();
  const dropped = isDue ? store.deposits.dropped(time.now() - again.forMs) : [];
  const open = [...store.deposits.unsettled(), ...dropped].slice(0, 256);
  if (open.length === 0) return;
  const { slot, found } = await chain.sightings(open.map((deposit) => deposit.txSignature));
  await each([...open.entries()], async ([index, deposit]) => {
    const sighting = found[index] ?? null;
    const isFinal = sighting?.commitment === 'finalized';
    const isGone = sighting === null && slot > deposit.slot + slotsToFinality;
    if (isFinal && sighting.error === null)
      store.atomically(() => store.deposits.settle(deposit.id, 'final'));
    else if ((isFinal || isGone) && (await chain.isUnlisted(deposit)))
      store.atomically(() => store.deposits.settle(deposit.id, 'dropped'));
  });
};
