// The types that authors of paid APIs see. Amounts are micro-USDC (1 USDC is 1_000_000n), times are Unix milliseconds unless
// their name says otherwise.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The payment as its payer signed it. Every field was checked against the chain. */
export interface Payment {
  /** The Solana transaction's signature, base58. */
  txSignature: string;
  /** Decimal USDC. */
  amount: string;
  currency: 'USDC';
  /** The block's time, ISO 8601 in UTC. */
  timestamp: string;
  /** The wallet that received the payment. */
  recipient: string;
  paymentId: string;
  /** The wallet that paid. */
  payer: string;
  network: Network;
  /** The payer's own name for the service it paid. */
  service: string;
  invoice?: string | undefined;
  /** Base64 of the payer's Ed25519 signature. */
  signature: string;
}

export type Network = 'sandbox' | 'devnet' | 'mainnet';

export interface PaywallOptions {
  /** Decimal USDC, such as `0.05`. */
  price: string;
  /** Your wallet, not its token account; the money goes to its associated token account. */
  recipient: string;
  /** A Solana RPC of `network`. */
  rpcUrl: string;
  network: Network;
  /** Stores invoices and grants: `createGrantStore`, or your own. */
  store: GrantStore;
  /** Your id for the service, 1 to 200 characters; part of the quote. */
  service?: string;
  /**
   * Whether a receipt must name an invoice of yours, which binds it to method, URL and body. An unbound receipt is
   * valid for any request at the same price to the same wallet. `optional` accepts both. Default true.
   */
  bind?: boolean | 'optional';
  /** The maximum age of a payment, by its block's time. Default 600. */
  maxAgeSeconds?: number;
  /** How long an invoice can be paid. Default 1800, since a person may have to approve the payment first. */
  invoiceSeconds?: number;
  /** Up to this price a `confirmed` payment is enough; above it, the payment has to be `finalized`. Default `1.00`. */
  confirmedUpTo?: string;
  /** How long a request waits until the chain shows its payment. Default 2000. */
  visibleWithinMs?: number;
  /** Timeout of one RPC request. Default 5000. */
  rpcTimeoutMs?: number;
  /** Default 1 MiB. */
  maxBodyBytes?: number;
  /** The clock that block times are compared with. Default: this machine's; on the sandbox, the newest block's time. */
  now?: () => number | Promise<number>;
  /** Called when payments cannot be verified; a pino logger fits. */
  log?: { warn(details: object, message: string): void };
}

/**
 * Middleware for Express and `node:http`. It calls `next()` once, when the request is paid for, or `next(error)` after
 * an internal error, when nothing was granted. Otherwise it has sent the answer: 402 with a quote, 413, or 503.
 */
export type Paywall = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

/** An issued quote. */
export interface Invoice {
  id: string;
  method: string;
  /** Path and query as requested. */
  url: string;
  /** Hex SHA-256 of the raw body, or of zero bytes without one. */
  bodySha256: string;
  amount: bigint;
  recipient: string;
  expiresAt: number;
}

export interface Grant {
  txSignature: string;
  /** Null when the receipt was not bound to an invoice. */
  invoice: string | null;
  paymentId: string;
  payer: string;
  amount: bigint;
  grantedAt: number;
}

export type GrantOutcome = 'granted' | 'transaction_used' | 'invoice_used';

/**
 * The seller's permanent records. In a database of your own, `grant` must be one atomic, durable step, with unique
 * constraints of the database itself on `txSignature` and on `invoice`. Keep grants for ever.
 */
export interface GrantStore {
  saveInvoice(invoice: Invoice): void | Promise<void>;
  findInvoice(id: string): Invoice | undefined | Promise<Invoice | undefined>;
  /** An optimisation that saves an RPC request; only `grant` decides. */
  isUsed(txSignature: string): boolean | Promise<boolean>;
  grant(grant: Grant): GrantOutcome | Promise<GrantOutcome>;
}

/** An open better-sqlite3 database. */
export interface SqliteDatabase {
  prepare(sql: string): unknown;
  pragma(sql: string, options?: { simple?: boolean }): unknown;
  exec(sql: string): unknown;
  close(): unknown;
}
