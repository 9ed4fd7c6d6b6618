// Transfers in the store.
import type { Usdc } from '../../../money.ts';
import type { Purchase } from '../../domain/purchase.ts';
import type {
  NewTransfer,
  Transfer,
  TransferChange,
  TransferKind,
  TransferState,
} from '../../domain/transfer.ts';

export interface TransferQuery {
  agentId?: string;
  /** Paid with this delegated key, or with one that it delegated. */
  delegate?: { keyId: string; level: number };
  kinds?: readonly TransferKind[];
  /** Hide denials: the history hides them, the activity shows them. */
  withoutDenied?: boolean;
  serviceId?: string;
  states?: readonly TransferState[];
  /** Whether the seller was paid and did not deliver. */
  undelivered?: boolean;
  /** Whether the refusal is of one of these codes. */
  refusedWith?: { codes: readonly string[]; is: boolean };
  /** Words of names and texts, in any ASCII case; or an id, a payee or a signature from its beginning. */
  text?: string;
  /** Agents whose names have that text. */
  named?: readonly string[];
  /** By amount, the largest first, USDC before SOL; otherwise the newest first. */
  byAmount?: boolean;
  /** Those that come behind it by amount. */
  behind?: Pick<Transfer, 'asset' | 'amount' | 'seq'>;
  /** Those that come before it by amount. */
  ahead?: Pick<Transfer, 'asset' | 'amount' | 'seq'>;
  /** Cursors by `seq`, both exclusive. */
  after?: number;
  before?: number;
  limit: number;
}

/** The USDC of transfers that are alike. */
export interface MovedBy {
  kind: TransferKind;
  state: TransferState;
  /** Empty for none, as the others. */
  agentId: string;
  groupId: string;
  /** Empty also for a transfer that was restored from the chain. */
  serviceId: string;
  undelivered: boolean;
  /** Unix milliseconds of the quarter of an hour; 0 where it was not asked for. */
  at: number;
  amount: Usdc;
  /** With refusals that an entry only counts. */
  count: number;
}

export interface TransferStore {
  insert(transfer: NewTransfer): Transfer;
  get(id: string): Transfer | undefined;
  /** Only the state, for calls that wait for it. */
  state(id: string): TransferState | undefined;
  /** Compare-and-set; throws when the row is not in `from`. payment/steps.ts holds the table. */
  move(id: string, from: TransferState, to: TransferState, change: TransferChange): Transfer;
  /** Records what the seller of a purchase did, whatever the transfer's state. */
  deliver(id: string, delivery: Purchase['delivery'], evidence: NonNullable<Purchase['evidence']>): void;
  open(): Transfer[];
  openOf(agentId: string | null): Transfer[];
  bySignature(signature: string): Transfer | undefined;
  list(query: TransferQuery): Transfer[];
  /** Newest first, one at a time, for statements of any size. */
  iterate(query: Omit<TransferQuery, 'limit'>): IterableIterator<Transfer>;
  /** Sums of these rows. @param byQuarter also by the quarter of an hour, of which each zone's days are made */
  totals(query: Omit<TransferQuery, 'limit'>, byQuarter: boolean): MovedBy[];
  /** `seq` of the newest row; 0 when there is none. */
  lastSeq(): number;
  /** Exclusive `seq` bounds of the rows created in a period, in Unix milliseconds, both ends inclusive. */
  between(period: { from?: number; to?: number }): { after: number; before: number };
  countByState(): Record<string, number>;
  /** Lamports that open rows will take: fees, rent, and SOL withdrawals. */
  openLamports(): bigint;
  /** An agent's refills: their sum since then, open or final, with their fees, and how the last of them went. */
  refills(
    agentId: string,
    since: number,
  ): { refilled: Usdc; fees: bigint; lastAt: number | null; failures: number; isOneOpen: boolean };
  /** Whether a transfer that was not refused or void has paid rent for this payee's token account. */
  rentPaid(payee: string): boolean;
  /** Lamports of rent reserved for payments and charges after that time, in Unix milliseconds. */
  rentSince(time: number): bigint;
}
