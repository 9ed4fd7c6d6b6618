// Keeps what is known of the cold treasury true, tells the owner when little is left to draw, and finds draws that no row
// of ours explains. The owner spends from that account as well: only a debit that this treasury signed is ours.
import { isAsKnown, isLow } from '../domain/cold.ts';
import { reconciliationMark } from '../domain/reconciliation-mark.ts';
import { addNotice } from '../notices/add-notice.ts';
import { readCold } from '../payment/draws.ts';
import { isOurs } from '../payment/via-facilitator.ts';
import type { ColdTreasury, TokenMove } from '../ports.ts';
import { stopWallet, type Reading } from './debits.ts';

/** @throws AppError `chain_unreachable` */
export const lookAtCold = async (reading: Reading): Promise<void> => {
  const { context } = reading;
  const { store, publish } = context;
  const before = store.cold.get();
  await readCold(context);
  const after = store.cold.get();
  if (after === null) return;
  if (before === null || !isAsKnown(before, after)) publish({ type: 'cold' });
  tellWhenLow(reading, after);
  await explainDraws(reading, after);
};

const tellWhenLow = ({ context }: Reading, cold: ColdTreasury): void => {
  const { store } = context;
  if (!isLow(cold) || cold.told) return;
  store.atomically(() => {
    addNotice(context, { kind: 'low_balance', cold });
    store.cold.told(cold.address);
  });
};

/** The history is read when there is something new in it, and each transaction once. */
const explainDraws = async (reading: Reading, { address, scannedTo }: ColdTreasury): Promise<void> => {
  const { store, chain, settings } = reading.context;
  // The reconciliation explains them all.
  if (reconciliationMark(store) !== null) return;
  const moves = await chain.moves(address, scannedTo);
  const strange = moves.find((move) => isDraw(move, settings.owner) && !isOurs(store, move));
  if (strange !== undefined) stopWallet(reading, { address, agentId: null }, strange);
  const newest = moves.at(-1);
  if (newest !== undefined && strange === undefined)
    store.atomically(() => store.cold.scanned(address, newest.signature));
};

/** The treasury, as the account's delegate, took money from it. */
export const isDraw = ({ change, failed, signers }: TokenMove, treasury: string): boolean =>
  change < 0n && !failed && signers.includes(treasury);
