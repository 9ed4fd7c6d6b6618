// The cold treasury in the store.
import type { ColdAccount, ColdReading, ColdTreasury } from '../../domain/cold.ts';

export interface ColdStore {
  /** Null when the owner has none. */
  get(): ColdTreasury | null;
  /** Every account that ever was the cold treasury's; `get` is one of them. */
  accounts(): ColdAccount[];
  account(address: string): ColdAccount | null;
  /** Adds an account that is not known yet. */
  follow(account: Pick<ColdAccount, 'address' | 'scannedTo'>): void;
  /** Takes the place of another, which is followed as before. */
  choose(cold: Pick<ColdTreasury, 'address' | 'since' | 'scannedTo'>): void;
  forget(): void;
  /** @param at Unix milliseconds; null: allocations draw on it again */
  stop(at: number | null): void;
  /** @param until Unix milliseconds */
  pause(address: string, until: number): void;
  /** Marks the draws recorded so far; take it before asking the chain. */
  mark(): number;
  /** Enters what the chain showed; ignored when it is older than another reading, may predate a draw that we recorded, and for an unknown address. */
  read(address: string, reading: ColdReading & { mark: number }): void;
  /** A reading of this slot showed what is known already, and is not stored. */
  unchanged(address: string, slot: number): void;
  /** Forgets slots beyond this one, which came from a wrong answer: they order no reading any more. */
  forgetBeyond(slot: number): void;
  /** The owner was notified that little is left. */
  told(address: string): void;
  scanned(address: string, signature: string): void;
}
