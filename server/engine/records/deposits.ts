// Deposits: read from the treasury's history on the chain, recorded once, and settled when they are final.
import { usdc } from '../../money.ts';
import { addNotice } from '../notices/add-notice.ts';
import { reconciliationMark } from '../domain/reconciliation-mark.ts';
import type { Context } from '../payment/context.ts';
import { isOurs } from '../payment/via-facilitator.ts';
import type { TokenMove, Wallet } from '../ports.ts';
import { stopWallet, type Reading } from './debits.ts';

/** Records the treasury's new deposits, and settles the last ones. @throws AppError `chain_unreachable` */
export const scanDeposits = async (reading: Reading): Promise<void> => {
  const { store, chain, settings } = reading.context;
  const treasury = store.wallets.get(settings.owner);
  if (treasury === undefined || reconciliationMark(store) !== null) return;
  for await (const { moves, isAhead } of chain.moves(settings.owner, treasury.scannedTo)) {
    for (const move of isAhead ? [] : moves) {
      enterMove(reading, treasury, move);
      if (reconciliationMark(store) !== null) return;
    }
  }
  await settleDeposits(reading);
};

const enterMove = (reading: Reading, treasury: Wallet, move: TokenMove): void => {
  const { store, settings, publish } = reading.context;
  const isStrange = !move.failed && !isOurs(store, move);
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
    addNotice(reading.context, { kind: 'deposit', deposit });
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
    at: move.blockTime ?? time.now(),
  });
  return isNew ? id : null;
};

const settleDeposits = async ({ context }: Reading): Promise<void> => {
  const { store, chain } = context;
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
