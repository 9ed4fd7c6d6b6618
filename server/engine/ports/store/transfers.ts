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
  /** A substring of ids, names, description, payee or signature; ASCII case is ignored. */
  text?: string;
  /** Cursors by `seq`, both exclusive. */
  after?: number;
  before?: number;
  limit: number;
}

export interface SpentBy {
  agentId: string;
  /** Empty: of a transfer that was restored from the chain. */
  serviceId: string;
  amount: Usdc;
  payments: number;
  /** Of those, what is not final yet. */
  settling: { amount: Usdc; payments: number };
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
  /** The spending among these rows: payments and pictures that are paid or under way, less refunds. */
  totals(query: Omit<TransferQuery, 'limit'>): SpentBy[];
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
