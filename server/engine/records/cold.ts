// Keeps what is known of the cold treasury true, notifies the owner when little is left to draw, and finds draws that no row
// of ours explains. The owner spends from that account as well: only a debit that this treasury signed is ours.
import { isAsKnown, isLow } from '../domain/cold.ts';
import { reconciliationMark } from '../domain/reconciliation-mark.ts';
import { addNotice } from '../notices/add-notice.ts';
import type { Context } from '../payment/context.ts';
import { readAccount } from '../payment/decision/draws.ts';
import { debitedCold, isOurs } from '../payment/decision/explained.ts';
import type { ColdAccount, ColdTreasury, TokenMove } from '../ports.ts';
import { stopWallet, type Reading } from './debits.ts';

/** @throws AppError `chain_unreachable` */
export const lookAtCold = async (reading: Reading): Promise<void> => {
  await readAccounts(reading);
  await explainDraws(reading);
};

/**
 * Reads every account that is or was the cold treasury's. Returns the lowest slot of the readings; Infinity without any.
 * @throws AppError `chain_unreachable`
 */
export const readAccounts = async (reading: Reading): Promise<number> => {
  const { store, publish } = reading.context;
  let lowest = Infinity;
  for (const before of store.cold.accounts()) {
    lowest = Math.min(lowest, await readAccount(reading.context, before.address));
    const after = store.cold.account(before.address);
    if (after !== null && !isAsKnown(before, after)) publish({ type: 'cold' });
  }
  const cold = store.cold.get();
  if (cold !== null) tellWhenLow(reading, cold);
  return lowest;
};

const tellWhenLow = ({ context }: Reading, cold: ColdTreasury): void => {
  const { store } = context;
  if (!isLow(cold) || cold.told) return;
  store.atomically(() => {
    addNotice(context, { kind: 'low_balance', cold });
    store.cold.told(cold.address);
  });
};

/** Transactions read in one pass for one account: strangers can write into its history. */
const readInOnePass = 200;

/**
 * Each account's history is read when there is something new in it; the cursor moves with each batch, so that a flood and
 * an RPC that limits its rate delay it, and do not stop it. @throws AppError `chain_unreachable`
 */
export const explainDraws = async (reading: Reading): Promise<void> => {
  const { store } = reading.context;
  for (const account of store.cold.accounts()) {
    // The reconciliation explains them all.
    if (reconciliationMark(store) !== null) return;
    await explainDrawsOn(reading, account);
  }
};

const explainDrawsOn = async (reading: Reading, { address, scannedTo }: ColdAccount): Promise<void> => {
  const { store, chain, settings } = reading.context;
  let count = 0;
  for await (const { moves, isAhead } of chain.moves(address, scannedTo)) {
    for (const move of moves)
      if (isDraw(move, settings.owner) && !isOurs(store, move, debitedCold(address)))
        stopWallet(reading, { address: settings.owner, agentId: null }, move, address);
    if (reconciliationMark(store) !== null) return;
    const newest = moves.at(-1);
    if (isAhead || newest === undefined) continue;
    store.atomically(() => store.cold.scanned(address, newest.signature));
    count += moves.length;
    if (count >= readInOnePass) return;
  }
};

/** The treasury, as the account's delegate, took money from it. */
export const isDraw = ({ change, failed, signers }: TokenMove, treasury: string): boolean =>
  change < 0n && !failed && signers.includes(treasury);

/** The vault names every cold wallet ever chosen: a rolled-back copy may lack one on which a thief could draw. */
export const followKnownWallets = ({ store, seals }: Pick<Context, 'store' | 'seals'>): void => {
  const known = seals.coldWallets().filter((address) => store.cold.account(address) === null);
  if (known.length === 0) return;
  store.atomically(() => {
    for (const address of known) store.cold.follow({ address, scannedTo: null });
  });
};
