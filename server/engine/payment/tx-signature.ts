// Under which name the chain knows a transfer.
import type { Transfer, TransferChange } from '../ports.ts';

/** Whether somebody of the seller's signs first, and hands the transaction in. */
export const isViaFacilitator = ({ purchase }: Pick<Transfer, 'purchase'>): boolean =>
  purchase?.feePayer != null;

/** Base58; null while it is not signed, or not yet found where the fee payer's signature names it. */
export const txSignatureOf = ({ purchase, signed }: Pick<Transfer, 'purchase' | 'signed'>): string | null =>
  purchase?.feePayer != null ? purchase.txSignature : (signed?.signature ?? null);

const unseen: TransferChange = { seenAt: null, seenSlot: null, blockTime: null, receipt: null };
/** What a fork takes back. The same message may land again under another name. */
export const unseenOf = (row: Transfer): TransferChange =>
  isViaFacilitator(row) ? { ...unseen, txSignature: null } : unseen;

/** Notes the name under which it was found, where that was not known beforehand. */
export const foundSignature = (
  row: Transfer,
  txSignature: string | null | undefined,
): Pick<TransferChange, 'txSignature'> =>
  isViaFacilitator(row) && txSignature != null ? { txSignature } : {};
