// The journal as bookkeeping reads it, with the owner's rules and the months that are closed.
import type { BookedTransfer, BookMonth, BookRule, BookSale, Opening } from '../../domain/books.ts';
import type { Asset } from '../../domain/transfer.ts';
import type { Deposit } from '../../domain/wallet.ts';

/** Unix milliseconds: the first of the period, and the first after it. */
export interface Span {
  from: number;
  to: number;
}

export interface BookStore {
  /** Final transfers in the order of their blocks, one at a time, for a history of any length. */
  final(span: Span): IterableIterator<BookedTransfer>;
  /** Those that failed on the chain and cost a fee, in the order in which we saw that. */
  failed(span: Span): IterableIterator<BookedTransfer>;
  /** Final deposits in the order of their blocks. */
  deposits(span: Span): IterableIterator<Deposit>;
  /** In order of time. */
  openings(): Opening[];
  /** The records of the treasury's SOL begin. @param opening in lamports, and Unix milliseconds */
  openSol(opening: Pick<Opening, 'amount' | 'at'>): void;
  /** A transaction's final deposit to this wallet. */
  depositOf(txSignature: string, wallet: string, asset?: Asset): Deposit | undefined;
  /** How many withdrawals send this transaction's deposit back, and have landed or may still land. */
  sentBack(txSignature: string): number;
  /** The id of one of these; null: there is none. */
  sentBackBy(txSignature: string): string | null;
  /** How many transfers and deposits a span holds. */
  count(span: Span): number;
  /** How many words from phones came in a span. Each was to bring some lamports. */
  words(span: Span): number;
  /** When the first of them landed, or the first request to a model counts; null: there is none. */
  firstAt(): number | null;
  /**
   * Transfers and deposits that may still land before this time, or whose end we do not know: by state, as
   * `{ sent: 2, deposit: 1 }`.
   */
  unsettled(before: number): Record<string, number>;
  /** When the oldest of all such transfers was reserved, or such a deposit landed; null: there is none. */
  unsettledSince(): number | null;
  /** In the order in which they are tried. */
  rules(): BookRule[];
  /** Adds a rule, or replaces the one with its id. @param rank its place among the rules, from 0 */
  setRule(rule: BookRule, rank: number, now: number): void;
  endRule(id: string, now: number): void;
  /** False when a sale of this transaction is kept already: the first stands. */
  addSale(sale: BookSale, now: number): boolean;
  /** The name of what was sold for a final deposit; null: it is no sale. */
  saleOf(depositId: string): string | null;
  /** The name of the sale that a withdrawal sends back; null: it sends none back. */
  refundedSaleOf(withdrawalId: string): string | null;
  /** Oldest first. */
  months(): BookMonth[];
  setMonth(month: BookMonth): void;
  /** Whether the owner wants the books anchored once a day. */
  isAnchoring(): boolean;
  setAnchoring(isOn: boolean, now: number): void;
}
