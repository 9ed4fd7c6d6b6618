// The ports to everything that only the vault can do; vault/ implements them.
import type { SignInFields, SignInProof } from '../domain/seller-sign-in.ts';
import type { Signed, Transfer } from '../domain/transfer.ts';
import type { JournalHead } from './store/journal.ts';

/** The signing keys. Signing re-reads the transfer's row; no method signs arbitrary bytes. */
export interface Keys {
  locked(): boolean;
  address(index: number): string;
  /** Whether the address can be derived from the root: on our path, or where other wallets look for their accounts. */
  owns(address: string): Promise<boolean>;
  /** The index of the wallet of ours that has the address, where it is below `end`; null: no wallet below it has. */
  indexOf(address: string, end: number): Promise<number | null>;
  sign(transferId: string, message: Uint8Array): Pick<Signed, 'wire' | 'signature' | 'messageHash'>;
  signReceipt(walletIndex: number, canonicalJson: string): string;
  /** A wallet's proof to a seller: its address, and its signature in base58 over a text that the vault composes. */
  signSignIn(walletIndex: number, fields: SignInFields): SignInProof;
}

/** Facts that a rolled-back or edited database must not hide, kept in the vault: the journal's head at the last checkpoint. */
export interface Seals {
  /** False while the vault is locked. */
  available(): boolean;
  last(): JournalHead | null;
  seal(head: JournalHead): void;
  /** The addresses of every cold wallet ever chosen, the last one last; kept here for a rolled-back copy. */
  coldWallets(): string[];
  /** On disk when it returns. @throws AppError `locked` */
  addColdWallet(address: string): void;
}

export interface Receipts {
  issue(transfer: Transfer, blockTime: number): string;
}
