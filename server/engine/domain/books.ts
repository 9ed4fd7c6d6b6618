// Books: what the owner's bookkeeping records of each movement of money. Times are Unix milliseconds.
import type { Usdc } from '../../money.ts';
import type { Amount, TransferKind } from './transfer.ts';

/** A transfer that has left its trace on the chain: final, or failed with a fee. */
export type BookedTransfer = Amount & {
  seq: number;
  id: string;
  kind: TransferKind;
  isFailed: boolean;
  agentId: string | null;
  groupId: string | null;
  /** The owner of the account that paid: a wallet of ours or, for a draw, the cold treasury. */
  payer: string;
  isDraw: boolean;
  payee: string;
  splits: readonly { payee: string; amount: Usdc }[];
  serviceId: string | null;
  serviceName: string;
  /** Of a purchase: the URL that was paid for. */
  url: string | null;
  description: string;
  feeLamports: bigint;
  rentLamports: bigint;
  txSignature: string | null;
  /** The time of its block; of a failed one, when we saw the failure. */
  at: number;
};

/**
 * The balance of a wallet when its records began, beyond what they hold: after a restore from the chain alone. Records of SOL
 * also begin with one where an earlier version kept none.
 */
export interface Opening {
  /** Null: the treasury's SOL. */
  wallet: string | null;
  /** Micro-USDC, or lamports; negative: older payments are missing. */
  amount: bigint;
  at: number;
}

/** Conditions that all have to hold; at least one is set. */
export interface RuleMatch {
  payee: string | null;
  serviceId: string | null;
  /** Of the URL that was paid for, as in `https://api.example.com`. */
  origin: string | null;
  agentId: string | null;
  groupId: string | null;
}

/** The first rule that matches gives an entry its account and cost center. */
export interface BookRule extends RuleMatch {
  id: string;
  /** As in `Expenses:Research`. */
  account: string;
  costCentre: string | null;
}

/** A sale by the records of a seller: a final deposit of this transaction, wallet and amount is one. */
export interface BookSale {
  txSignature: string;
  /** A wallet of ours. */
  recipient: string;
  amount: Usdc;
  /** What was sold, as in `GET /report`; empty: the seller does not say. */
  name: string;
}

/** A month whose journal, chain and file were compared. */
export interface BookMonth {
  /** YYYY-MM. */
  month: string;
  /** The time zone by which it was closed; it keeps it. */
  zone: string;
  from: number;
  to: number;
  closedAt: number;
  entries: number;
  /** Merkle root of its lines, in hex. */
  root: string;
  /** In words, each about one line; empty: none. */
  differences: readonly string[];
  /** When it was found that its lines are no longer those that were closed; null: they are. */
  changedAt: number | null;
}
