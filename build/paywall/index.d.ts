// Types of agent-treasury-paywall. Amounts are micro-USDC (1 USDC is 1_000_000n), times are Unix milliseconds unless
// their name says otherwise.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What the payer presented and signed. All of it was checked against the chain. */
export interface Payment {
  /** The Solana transaction, base58. */
  txSignature: string;
  /** Decimal USDC. */
  amount: string;
  currency: 'USDC';
  /** The block's time, ISO 8601 in UTC. */
  timestamp: string;
  /** The wallet that was paid. */
  recipient: string;
  paymentId: string;
  /** The wallet that paid. */
  payer: string;
  network: Network;
  /** What the payer took this to be for. */
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
  /** A Solana RPC of that network. */
  rpcUrl: string;
  network: Network;
  /** Where invoices and grants are kept: `createGrantStore`, or one of your own. */
  store: GrantStore;
  /** Your id of what is sold, 1 to 200 characters; goes into the quote. */
  service?: string;
  /**
   * Whether a receipt has to name an invoice of yours, which ties it to method, URL and body. Without one, a payment is
   * good for any request at the same price to the same wallet. `optional` takes both. Default true.
   */
  bind?: boolean | 'optional';
  /** How old a payment may be, by its block's time. Default 600. */
  maxAgeSeconds?: number;
  /** How long an invoice may be paid. Default 1800: a person may have to approve the payment first. */
  invoiceSeconds?: number;
  /** Up to this price a `confirmed` payment is enough, above it has to be `finalized`. Default `1.00`. */
  confirmedUpTo?: string;
  /** How long one request waits for the chain to show its payment. Default 2000. */
  visibleWithinMs?: number;
  /** How long one question to the RPC may take. Default 5000. */
  rpcTimeoutMs?: number;
  /** Default 1 MiB. */
  maxBodyBytes?: number;
  /** The time that blocks are compared with. Default: this machine's clock; on the sandbox the newest block's time. */
  now?: () => number | Promise<number>;
  /** Is told when payments cannot be verified; a pino logger fits. */
  log?: { warn(details: object, message: string): void };
}

/**
 * For Express and for `node:http`. `next()` is called once, when the request is paid for; `next(error)` when something
 * broke, and then nothing was granted. Every other answer has been sent: 402 with a quote, 413, or 503.
 */
export type Paywall = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

/** @throws Error that begins with `paywall: ` and the option at fault */
export declare const paywall: (options: PaywallOptions) => Paywall;

/** For `express.json({ verify: keepRawBody })` where a body parser comes before the paywall. */
export declare const keepRawBody: (
  request: IncomingMessage & { rawBody?: Buffer },
  response: unknown,
  bytes: Buffer,
) => void;

/** A quote as it was given out. */
export interface Invoice {
  id: string;
  method: string;
  /** Path and query as requested. */
  url: string;
  /** Hex SHA-256 of the raw body; that of no bytes when there is none. */
  bodySha256: string;
  amount: bigint;
  recipient: string;
  expiresAt: number;
}

export interface Grant {
  txSignature: string;
  /** Null when the receipt was not bound to one. */
  invoice: string | null;
  paymentId: string;
  payer: string;
  amount: bigint;
  grantedAt: number;
}

export type GrantOutcome = 'granted' | 'transaction_used' | 'invoice_used';

/**
 * What a seller must never forget. With a database of your own, `grant` has to be one atomic, durable step in which
 * uniqueness of `txSignature` and of `invoice` is the database's own constraint, and grants are kept for ever.
 */
export interface GrantStore {
  saveInvoice(invoice: Invoice): void | Promise<void>;
  findInvoice(id: string): Invoice | undefined | Promise<Invoice | undefined>;
  /** A look ahead that saves asking the chain; `grant` alone decides. */
  isUsed(txSignature: string): boolean | Promise<boolean>;
  grant(grant: Grant): GrantOutcome | Promise<GrantOutcome>;
}

/** An open database of better-sqlite3. */
export interface SqliteDatabase {
  prepare(sql: string): unknown;
  pragma(sql: string, options?: { simple?: boolean }): unknown;
  exec(sql: string): unknown;
  close(): unknown;
}

/**
 * Keeps both in SQLite, with full synchronisation. Several processes of one machine may share the file.
 * @throws Error when the database cannot be made to keep what it acknowledged
 */
export declare const createGrantStore: (
  pathOrDatabase: string | SqliteDatabase,
) => GrantStore & { close(): void };
