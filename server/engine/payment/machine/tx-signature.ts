// The signature under which the chain knows a transfer.
import type { Transfer, TransferChange } from '../../ports.ts';

/** Whether a facilitator signs first, as fee payer, and submits the transaction. */
export const isViaFacilitator = ({ purchase }: Pick<Transfer, 'purchase'>): boolean =>
  purchase?.feePayer != null;

/** Base58, without the mark of a row that was entered from the chain; null until it is signed or, via a facilitator, until it is found on the chain. */
export const txSignatureOf = ({ purchase, signed }: Pick<Transfer, 'purchase' | 'signed'>): string | null =>
  purchase?.feePayer != null ? purchase.txSignature : (signed?.signature.split('#', 1)[0] ?? null);

const unseen: TransferChange = { seenAt: null, seenSlot: null, blockTime: null, receipt: null };
/** The fields that a fork takes back. The same message may land again under another signature. */
export const unseenOf = (row: Transfer): TransferChange =>
  isViaFacilitator(row) ? { ...unseen, txSignature: null } : unseen;

/** The change that records the signature found on the chain, if it was unknown beforehand. */
export const foundSignature = (
  row: Transfer,
  txSignature: string | null | undefined,
): Pick<TransferChange, 'txSignature'> =>
  isViaFacilitator(row) && txSignature != null ? { txSignature } : {};

/** The signature under which a row stands for a transaction that moved money after its own row had ended without paying. */
export const lateName = (signature: string): string => `${signature}#late`;

/** The name of the row of one account, where a transaction made elsewhere debited several. @param mark the wallet's number, or `cold` */
export const sharedName = (signature: string, mark: string): string => `${signature}#${mark}`;

/** Whether it may be on the chain under a signature that we have yet to find. */
export const hasUnknownSignature = (row: Transfer): boolean =>
  isViaFacilitator(row) && row.signed !== null && txSignatureOf(row) === null;
