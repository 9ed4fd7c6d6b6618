// The types that authors of paid APIs see. Amounts are micro-USDC (1 USDC is 1_000_000n), times are Unix milliseconds unless
// their name says otherwise.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dialect } from '../contract/payments/dialects.ts';
import type { InvoiceStore, Sold } from './store/invoice-store.ts';
import type { Route } from './route.ts';
import type { FacilitatorHeaders, SettleOptions, SettlingStore } from './settle/settling.ts';

export type * from './settle/settling.ts';

/** A granted payment. Every field was checked against the chain. */
export interface Payment {
  /** The protocol that it was made in. */
  dialect: Dialect;
  /** The Solana transaction's signature, base58. */
  txSignature: string;
  /** Decimal USDC. */
  amount: string;
  currency: 'USDC';
  /** The block's time, ISO 8601 in UTC. */
  timestamp: string;
  /** The wallet that received the payment. */
  recipient: string;
  /** In a receipt the payer's id; otherwise the transaction's memo, or its signature when it has none. */
  paymentId: string;
  /** The wallet that paid. */
  payer: string;
  network: Network;
  /** The invoice that was paid; absent for payments that are bound to none. */
  invoice?: string | undefined;
  /** Receipts only: the payer's own name for the service it paid. */
  service?: string;
  /** Receipts only: base64 of the payer's Ed25519 signature. */
  signature?: string;
}

/** A request, as your functions get it behind any framework. */
export interface Asked {
  method: string;
  /** Path and query as requested. */
  url: string;
  /** Null when the header is missing. */
  header(name: string): string | null;
  body: Buffer;
  /** Scheme and host as the client named them. */
  origin: string;
}

/** A request, as `price` gets it: `header` throws for a name that is not in `boundHeaders`. */
export type Priced = Omit<Asked, 'origin'>;

export interface FreeQuota {
  /** How many requests of one payer are free in each period. */
  requests: number;
  /** The length of a period. Default 86400. */
  everySeconds?: number;
  /** The payer that the request proves, such as the owner of its API key; null for none, and then nothing is free. */
  payer: (asked: Asked) => string | null | Promise<string | null>;
}

export type Network = 'sandbox' | 'devnet' | 'mainnet';

declare module 'node:http' {
  interface IncomingMessage {
    /** Set by a paywall when the request was paid for. */
    payment?: Payment;
  }
}

export interface PaywallOptions {
  /** Decimal USDC, such as `0.05`, or a function that returns it for a request. A quote binds when the price changes. */
  price: string | ((asked: Priced) => string | Promise<string>);
  /** Headers that `price` may read; an invoice is bound to their values. Default none. */
  boundHeaders?: string[];
  /** Your wallet, not its token account; the money goes to its associated token account. */
  recipient: string;
  /** A Solana RPC of `network`. */
  rpcUrl: string;
  /** Any text is taken, as from an environment variable, and checked when the paywall is made. */
  network: Network | (string & {});
  /** Stores invoices and grants: `createGrantStore`, or your own. */
  store: GrantStore;
  /** The URL of an x402 facilitator. Without one, and without `settle`, x402 is not offered. */
  facilitator?: string;
  /** Sent with each request to the facilitator, such as its key: the headers, or a function of the URL that makes them. */
  facilitatorHeaders?: FacilitatorHeaders;
  /** Settles payments of x402 and MPP by itself, with no facilitator; it wants a store with all of `SettlingStore`. */
  settle?: SettleOptions;
  /** Scheme and host of your API as buyers name it, for the resource in x402. Default: those of the request. */
  origin?: string;
  /** Requests that are free; it wants a store with `takeFree`. */
  freeQuota?: FreeQuota;
  /** Called once for each granted payment, before the request is served; its error is logged. */
  onPaid?: (payment: Payment) => void | Promise<void>;
  /** Your id for the service, 1 to 200 characters; part of the quote. Services on one store need different ones. */
  service?: string;
  /** What is sold here, for buyers that look for it and for the records of sales. */
  route?: Route;
  /**
   * Whether a receipt must name an invoice of yours, which binds it to method, URL and body. An unbound receipt is
   * valid for any request at the same price to the same wallet. `optional` accepts both. Default true. Payments of MPP
   * and of x402 version 2 are always bound.
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
export interface Paywall {
  (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): Promise<void>;
  /**
   * The same for handlers that take a Request and return a Response. The handler gets the payment, null for a free
   * request, and the further arguments of its framework. Rejects after an internal error, when nothing was granted.
   */
  web<Rest extends unknown[]>(
    handler: (request: Request, payment: Payment | null, ...rest: Rest) => Response | Promise<Response>,
  ): (request: Request, ...rest: Rest) => Promise<Response>;
  /**
   * Sends the USDC of a granted payment back to its payer, or the part of it that `amount` names, at most once for each
   * payment: called again, it finishes what was begun. Wants a store with `findRefund` and `saveRefund`, and SOL for the
   * fee in the wallet that was paid. Rejects with a sentence when the refund cannot be made or seen, and when one of
   * another amount was begun before.
   */
  refund(payment: Payment, signer: Signer, part?: { amount?: string | undefined }): Promise<Refunded>;
}

/** Signs a transaction's message with the key of the wallet that was paid: 64 bytes, Ed25519. */
export type Signer = (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;

export interface Refunded {
  /** The transaction that pays it back, base58. */
  txSignature: string;
  /** Decimal USDC. */
  amount: string;
  /** `sent`: the chain does not show it yet; call `refund` again to be sure. */
  status: 'confirmed' | 'sent';
}

/** An issued quote. */
export interface Invoice {
  /** At most 64 characters. */
  id: string;
  method: string;
  /** Path and query as requested; `sha256:` and the hex SHA-256 of them when they are longer than 200 characters. */
  url: string;
  /** Hex SHA-256 of the raw body; with `service`, `origin` or `boundHeaders`, of their values too. */
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
  /** What was sold, and how: the route is `GET /path` as it was declared. The paywall gives it with every grant. */
  sale?: Sold & { recipient: string; network: Network; dialect: Dialect };
}

export type GrantOutcome = 'granted' | 'transaction_used' | 'invoice_used';

/**
 * The seller's permanent records. In a database of your own, `grant` must be one atomic, durable step, with unique
 * constraints of the database itself on `txSignature` and on `invoice`. Keep grants for ever.
 */
export interface GrantStore extends InvoiceStore, Partial<SettlingStore> {
  saveInvoice(invoice: Invoice): void | Promise<void>;
  findInvoice(id: string): Invoice | undefined | Promise<Invoice | undefined>;
  /** An optimization that saves an RPC request; only `grant` decides. */
  isUsed(txSignature: string): boolean | Promise<boolean>;
  grant(grant: Grant): GrantOutcome | Promise<GrantOutcome>;
  /** Wanted for x402: an invoice that was granted is not settled a second time. */
  isInvoiceUsed?(invoice: string): boolean | Promise<boolean>;
  /**
   * Wanted for x402: what `saveSettled` kept under this message, so that a restart does not lose a settled payment, and no
   * other process serves it to another request.
   */
  findSettled?(message: string): string | undefined | Promise<string | undefined>;
  /** Keeps it durably, unless something is kept under this message: the first stands. */
  saveSettled?(settled: SettledPayment): void | Promise<void>;
  /** Required by `freeQuota`. Atomically counts the request; returns false once `most` have been counted. */
  takeFree?(free: FreeRequest): boolean | Promise<boolean>;
  /** Wanted for `refund`: the refund of a payment. */
  findRefund?(txSignature: string): Refund | undefined | Promise<Refund | undefined>;
  /**
   * Wanted for `refund`: keeps the refund, with all of its fields, atomically and durably, as the first of its payment,
   * or in place of the one that `insteadOf` names by its `refundSignature`. False when another one stands.
   */
  saveRefund?(refund: Refund, insteadOf: string | null): boolean | Promise<boolean>;
}

/** A signed refund. It is kept before it is sent. */
export interface Refund {
  /** The payment's transaction. */
  txSignature: string;
  refundSignature: string;
  /** Base64 of the signed transaction. */
  wire: string;
  /** The block height after which it can no longer land. */
  lastValidBlockHeight: number;
  /** True once the chain has shown it; no other is signed then. */
  landed?: boolean;
}

export interface SettledPayment {
  /** A base64 SHA-256: of the message that the payer signed; or of it and a mark, for the request that it was shown for. */
  message: string;
  /** The transaction's signature; or a base64 SHA-256 of message and request. */
  txSignature: string;
  /** It may be forgotten then. */
  until: number;
}

export interface FreeRequest {
  payer: string;
  /** The end of the period that is counted; it may be forgotten then. */
  until: number;
  most: number;
}

/** An open better-sqlite3 database. */
export interface SqliteDatabase {
  prepare(sql: string): unknown;
  pragma(sql: string, options?: { simple?: boolean }): unknown;
  exec(sql: string): unknown;
  close(): unknown;
}
