// Wallets, deposits and the ledger in the store.
import type { Usdc } from '../../../money.ts';
import type { Amount } from '../../domain/transfer.ts';
import type { Deposit, Wallet } from '../../domain/wallet.ts';

/** `now` in Unix milliseconds; `mark`: of the moment at which it was asked for. */
interface BalanceReading {
  balance: Usdc;
  slot: number;
  now: number;
  mark: number;
}

export interface WalletStore {
  add(wallet: Pick<Wallet, 'address' | 'index' | 'agentId'>): void;
  get(address: string): Wallet | undefined;
  list(): Wallet[];
  /** Marks the transfers recorded so far; take it before requesting a balance from the chain. */
  mark(): number;
  /**
   * Enters a balance from the chain. False: it was ignored, since it is older than another reading, or may predate a transfer
   * that we recorded.
   */
  read(address: string, reading: BalanceReading): boolean;
  /**
   * Enters the balance after a move of the wallet's history, beside the row of that move: an older balance than the last
   * one read is right here, since the moves after it follow.
   */
  readPast(address: string, reading: BalanceReading): boolean;
  /** A reading of this slot showed what is known already, and is not stored. */
  unchanged(address: string, slot: number): void;
  /** Forgets slots beyond this one, which came from a wrong answer: they order no reading any more. */
  forgetBeyond(slot: number): void;
  scanned(address: string, signature: string): void;
}

export type NewDeposit = Amount & Omit<Deposit, 'seq' | keyof Amount>;

export interface DepositStore {
  /** False: it was entered before. */
  insert(deposit: NewDeposit): boolean;
  /** Newest first. @param least leaves out those of USDC of less */
  list(before: number | null, limit: number, least?: Usdc): Deposit[];
  /** Oldest first. */
  unsettled(): Deposit[];
  /** Of the last thousand deposits, those after `since` (Unix milliseconds) that were dropped, oldest first. */
  dropped(since: number): Deposit[];
  /** A deposit that was dropped can still become final. */
  settle(id: string, status: 'final' | 'dropped'): void;
}

export interface LedgerStore {
  /** Posted balance of each account; they sum to zero. */
  balances(): Map<string, bigint>;
  /** Posts the difference that brings the wallet's account to `held`, against the outside. */
  open(wallet: string, held: Usdc): void;
}
