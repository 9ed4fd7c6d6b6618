// Which transactions of our wallets our rows explain.
import { isVoid } from '../../domain/states.ts';
import { payerOf } from '../../domain/transfer.ts';
import type { Explained, Store, TokenMove, Transfer, Wallet } from '../../ports.ts';
import { hasUnknownSignature, lateName, sharedName } from '../machine/tx-signature.ts';

type Rows = Pick<Store, 'transfers'>;

/** The account that a transaction debited: a wallet's, or the cold treasury's. */
export interface Debited {
  address: string;
  /** Tells its row from others of the same transaction. */
  mark: string;
}

export const debitedWallet = ({ address, index }: Pick<Wallet, 'address' | 'index'>): Debited => ({
  address,
  mark: String(index),
});
export const debitedCold = (address: string): Debited => ({ address, mark: 'cold' });

/**
 * The row that explains a transaction of this signature; of several accounts that it debited, the row of this one. One that
 * ended without paying explains no debit.
 */
const paidBy = ({ transfers }: Rows, signature: string, debited?: Debited): Transfer | undefined => {
  const named = transfers.bySignature(signature);
  const row = named === undefined || !isVoid(named) ? named : transfers.bySignature(lateName(signature));
  if (debited === undefined || (row !== undefined && payerOf(row) === debited.address)) return row;
  return transfers.bySignature(sharedName(signature, debited.mark));
};

/** Whether a row explains what the transaction of this signature took from the account. */
export const isPaid = (store: Rows, signature: string, debited: Debited): boolean =>
  paidBy(store, signature, debited) !== undefined;

/**
 * Whether a row of ours explains a managed wallet's transaction: by signature or, if that is unknown, by message.
 * @param debited the account, where the transaction took from it
 */
export const isOurs = (store: Rows, move: TokenMove, debited?: Debited): boolean =>
  paidBy(store, move.signature, debited) !== undefined ||
  store.transfers
    .open()
    .some((row) => hasUnknownSignature(row) && row.signed?.messageHash === move.messageHash);

/** What our rows explain of a wallet's history, for a proof that one of them has ended. */
export const explainedBy = (store: Rows): Explained => ({
  byName: (signature) => paidBy(store, signature) !== undefined,
  move: (move) => isOurs(store, move),
});
