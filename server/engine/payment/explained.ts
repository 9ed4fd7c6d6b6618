// Which transactions of our wallets our rows explain.
import { isVoid } from '../domain/states.ts';
import type { Explained, Store, TokenMove, Transfer } from '../ports.ts';
import { hasUnknownSignature, lateName } from './tx-signature.ts';

type Rows = Pick<Store, 'transfers'>;

/** The row that explains a transaction of this signature. One that ended without paying explains no debit. */
const paidBy = ({ transfers }: Rows, signature: string): Transfer | undefined => {
  const row = transfers.bySignature(signature);
  return row === undefined || !isVoid(row) ? row : transfers.bySignature(lateName(signature));
};

/** Whether a row of ours explains a managed wallet's transaction: by signature or, if that is unknown, by message. */
export const isOurs = (store: Rows, move: TokenMove): boolean =>
  paidBy(store, move.signature) !== undefined ||
  store.transfers
    .open()
    .some((row) => hasUnknownSignature(row) && row.signed?.messageHash === move.messageHash);

/** What our rows explain of a wallet's history, for a proof that one of them has ended. */
export const explainedBy = (store: Rows): Explained => ({
  byName: (signature) => paidBy(store, signature) !== undefined,
  move: (move) => isOurs(store, move),
});
