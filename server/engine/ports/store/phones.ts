// The wallets on the owner's phones in the store, what they may answer, and what they said.
import type { Usdc } from '../../../money.ts';
import type { PhoneRequest, PhoneWallet, PhoneWord } from '../../domain/phone.ts';

export interface PhoneStore {
  /** Those that are registered, in the order in which they were. */
  wallets(): readonly PhoneWallet[];
  /** Adds it, or changes one of the same id. */
  put(wallet: PhoneWallet): void;
  addRequest(request: PhoneRequest): void;
  /** By the approval's id. */
  request(approvalId: string): PhoneRequest | undefined;
  requestNamed(reference: string): PhoneRequest | undefined;
  /** @throws the database's error for a transaction that is on record */
  addWord(word: PhoneWord): void;
  hasWord(signature: string): boolean;
  /** Newest first. */
  words(limit: number): PhoneWord[];
  /** Whether the approval was granted by a phone's word. */
  hasApproved(approvalId: string): boolean;
  /** What the wallet approved after `since`. */
  approvedSince(walletId: string, since: number): Usdc;
}
