// The engine's ports: the interfaces that store, chain, vault and others implement, and the calls that it accepts. Code
// outside the engine takes its types from here.
import type { RouteName } from '../contract/routes.ts';
import type { Accepted, Body, Params, Query, Reply } from '../contract/schemas.ts';
import type { Usdc } from '../money.ts';
import type {
  AnswerLimits,
  Approval,
  Deposit,
  Dialect,
  Freeze,
  Lifetime,
  Offer,
  Purchase,
  Signed,
  Transfer,
} from './domain/model.ts';
import type { Resolution, StoredImage } from './pictures/model-catalog.ts';
import type { JournalHead } from './store-port.ts';

export type * from './domain/model.ts';
export type * from './pictures/model-catalog.ts';
export type * from './store-port.ts';

export type TransactionError = Readonly<Record<string, unknown>> | string;

/** The chain's status of one signature. Null in place of it means that this RPC does not know the signature. */
export interface Sighting {
  slot: number;
  error: TransactionError | null;
  commitment: 'processed' | 'confirmed' | 'finalized';
}

export type ExpiryProof =
  { dead: true; evidence: Readonly<Record<string, unknown>> } | { dead: false; seen?: Sighting; why: string };

/** Tells which part of a managed wallet's history our own rows explain. */
export interface Explained {
  /** A row has this transaction's signature. */
  byName(signature: string): boolean;
  /** A row has its signature or, while that is unknown, its message. */
  move(move: TokenMove): boolean;
}

export interface TokenMove {
  signature: string;
  slot: number;
  blockTime: number | null;
  failed: boolean;
  messageHash: string;
  /** Change of the wallet's own USDC account, in micro-USDC. */
  change: bigint;
  /** That account's balance afterwards, in micro-USDC. */
  balance: bigint;
  feeLamports: bigint;
  /** The other side of an incoming transfer, when the transaction names one. */
  counterparty: string | null;
}

export interface HistoryScan {
  /** The cursor: a signature; null: from the first transaction on. */
  after: string | null;
  /** The scan begins once this slot is final. */
  slot: number;
  /** Selects the transactions to read; the newest is always read. */
  wanted(listed: { signature: string; blockTime: number | null; failed: boolean }): boolean;
}

/** USDC on one Solana network. Every method may throw AppError `chain_unreachable`. */
export interface Chain {
  readonly mint: string;
  /** A recent blockhash, kept ready in the background. */
  lifetime(): Promise<Lifetime>;
  /** The unsigned message of a transfer; pure. */
  build(transfer: Transfer, lifetime: Lifetime): Uint8Array;
  /** Sends the bytes to the RPC. Resolves when it accepts them, which is a hint and proves nothing. */
  broadcast(wire: Uint8Array): Promise<void>;
  /** Calls back once the chain shows it at `confirmed`; silent if that cannot be had. Returns the unsubscription. */
  onConfirmed(signature: string, seen: (sighting: Sighting) => void): () => void;
  /** Looks up at most 256 signatures, searching history. `slot` is the slot of the answer. */
  sightings(signatures: readonly string[]): Promise<{ slot: number; found: (Sighting | null)[] }>;
  /** Height of the newest finalized block. */
  finalizedHeight(): Promise<number>;
  /** Unix milliseconds; null when the RPC does not have it. */
  blockTime(slot: number): Promise<number | null>;
  /**
   * Proof of expiry of signed transfers, in their order; build/docs/architecture.md states the evidence it takes.
   * Shared evidence (the height, the history of a wallet) is read once for all. `explained` tells our other debits.
   */
  proveExpired(transfers: readonly Transfer[], explained: Explained): Promise<ExpiryProof[]>;
  /** USDC of each wallet at `confirmed`, with the slot of the answer; null for a missing token account. */
  balances(wallets: readonly string[]): Promise<{ slot: number; units: (Usdc | null)[] }>;
  lamports(wallet: string): Promise<bigint>;
  hasTokenAccount(wallet: string): Promise<boolean>;
  /** Whether the address is that of a signing key, not of a program's account; pure. */
  isWallet(address: string): boolean;
  /**
   * Transactions that touched the wallet's USDC account in `fromSlot` or later, at `confirmed`, each with the SHA-256
   * of its message in hex.
   */
  landed(wallet: string, fromSlot: number): Promise<{ signature: string; messageHash: string }[]>;
  /** The message hash of a transaction at `confirmed`; null when the RPC does not know the signature. */
  messageHash(signature: string): Promise<string | null>;
  /** Transactions of the wallet's USDC account after `until` (a signature), oldest first. */
  moves(wallet: string, until: string | null): Promise<TokenMove[]>;
  /** Whether each wallet's USDC account exists or ever did. */
  used(wallets: readonly string[]): Promise<boolean[]>;
  /** Like `moves`, but only finalized ones and in batches, for a history of any length. */
  history(wallet: string, scan: HistoryScan): AsyncIterable<TokenMove[]>;
  rentLamports(): Promise<bigint>;
  feeLamports(transfer: Pick<Transfer, 'kind' | 'wallet' | 'payee'> & { purchase?: Purchase | null }): bigint;
  genesisHash(): Promise<string>;
  /** The time of a recent block in Unix milliseconds; null when the RPC does not have it. */
  chainTime(): Promise<number | null>;
}

/** The signing keys. Signing re-reads the transfer's row; no method signs arbitrary bytes. */
export interface Keys {
  locked(): boolean;
  address(index: number): string;
  sign(transferId: string, message: Uint8Array): Pick<Signed, 'wire' | 'signature' | 'messageHash'>;
  signReceipt(walletIndex: number, canonicalJson: string): string;
}

/** Keeps a stop in a file beside the database, for when the database takes no commit. */
export interface StopMarker {
  /** The stop in force, including one that could not be written or cannot be read. Null when there is none. */
  get(): Freeze | null;
  /** Takes effect in this process at once. When it returns, the stop is on disk. @throws the disk's error */
  set(stop: Freeze): void;
  /** @throws the disk's error; the stop then stays in force */
  clear(): void;
}

/** The journal's head at the last checkpoint, sealed in the vault, where an editor of the database cannot reach it. */
export interface Seals {
  /** False while the vault is locked. */
  available(): boolean;
  last(): JournalHead | null;
  seal(head: JournalHead): void;
}

export interface Receipts {
  issue(transfer: Transfer, blockTime: number): string;
}

/** An image model of the registry that ships with the product. */
export interface Model {
  id: string;
  displayName: string;
  providerId: string;
  /** The provider's name. */
  provider: string;
  description: string;
  /** Decimal USDC for each resolution that it offers. */
  pricing: Readonly<Partial<Record<Resolution, string>>>;
  /** The prices before any change by the owner. */
  shippedPricing: Readonly<Partial<Record<Resolution, string>>>;
  enabled: boolean;
}

/** A picture as its provider sent it, not yet decoded. */
interface Drawing {
  bytes: Uint8Array;
}

/** Image models behind one interface. */
export interface ImageProviders {
  models(): readonly Model[];
  /** Its provider has an API key, or the sandbox draws instead. */
  usable(model: Model): boolean;
  /** The number of concurrent requests to its provider. */
  atOnce(model: Model): number;
  /** Whether a second request for one task makes, and costs, no second picture. */
  repeatable(model: Model): boolean;
  /**
   * Asks the provider once. @throws AppError `generation_failed` with a sentence for the agent, which holds nothing of
   * the owner's API key
   */
  draw(
    model: Model,
    request: { taskId: string; prompt: string; resolution: Resolution },
    signal: AbortSignal,
  ): Promise<Drawing>;
}

/** Storage for pictures. */
export interface Pictures {
  /**
   * Stores the picture only after decoding it, so that a stored picture is whole.
   * @throws AppError `generation_failed` when the bytes are no picture
   */
  keep(taskId: string, bytes: Uint8Array): Promise<StoredImage>;
  /** A stored picture, decoded again; null when there is none. */
  find(taskId: string): Promise<StoredImage | null>;
  read(taskId: string, image: StoredImage): Promise<Buffer>;
  /** At most 512 pixels wide and high. */
  small(
    taskId: string,
    image: StoredImage,
  ): Promise<{ bytes: Buffer; mediaType: string; width: number; height: number }>;
}

export interface SellerRequest {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}
export interface SellerAnswer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Empty when the body went to a sink: see `Goods`. */
  bytes: Buffer;
}

/** Takes a body in chunks; the seller waits while a chunk is written. */
export interface BodySink {
  write(chunk: Buffer): Promise<void>;
}
/** For answers with a status below 400: they may be larger and slower than a 402, and are not held in memory. */
export interface Goods extends AnswerLimits {
  /** Time until the answer begins; absent: as short as for a 402. */
  headWithinMs?: number;
  into: BodySink;
}

/** A complete body: in memory while it is small, otherwise in a file. */
export interface AnswerBody {
  readonly bytes: number;
  /** Its representation in JSON. */
  readonly encoding: 'utf8' | 'base64';
  /** Chunks of some kilobytes, read on demand. @throws when the file is gone */
  read(): AsyncIterable<Buffer>;
}
/** A seller's answer, with its body in memory or in a file. */
export interface DeliveredAnswer extends Pick<SellerAnswer, 'status' | 'headers'> {
  body: AnswerBody;
}
export interface AnswerDraft extends BodySink {
  /** The body that was written. */
  body(): AnswerBody;
  /** Resolves once the body would survive a power cut under its name. */
  keep(): Promise<void>;
  /** Removes the file. */
  discard(): Promise<void>;
}
/**
 * Bodies of sellers' answers, in files that only this user can read. File names are payment ids or our own, never a
 * seller's. Writing throws AppError `disk_low` when the disk takes no more.
 */
export interface AnswerFiles {
  draft(name: string): AnswerDraft;
  body(name: string, known: Pick<AnswerBody, 'bytes' | 'encoding'>): AnswerBody;
  /** Sizes in bytes, by name. */
  list(): Promise<Map<string, number>>;
  remove(name: string): Promise<void>;
}

/** The disk that holds the records. */
export interface Disk {
  freeBytes(): number;
}
/** The HTTP header that carries a payment. */
export interface Credential {
  name: string;
  value: string;
}

/** Paid APIs: requests them, reads their offers, presents payments. It has no access to policies and signing keys. */
export interface Sellers {
  /**
   * Sends the request once; follows no redirect. Without `goods`, every answer is limited to 10 s and 1 MiB.
   * @param beforeSending runs in the turn of the event loop in which the bytes leave; if it throws, nothing has left
   * @throws AppError `bad_request` for an address that is off limits, `not_available` when no usable answer came,
   *   `answer_too_large` and `answer_too_slow` beyond the limits of `goods`, and any error of `goods.into`
   */
  ask(
    request: SellerRequest,
    options?: {
      payment?: { credential: Credential; beforeSending: () => void };
      goods?: Goods;
      signal?: AbortSignal;
    },
  ): Promise<SellerAnswer>;
  /** The offers of a 402 that we can pay; never empty. @throws AppError `not_available` that says why there is none */
  offers(answer: SellerAnswer): readonly Offer[];
  /**
   * An offer that an agent read itself: an entry of x402's `accepts`, and the extensions that came with it.
   * @throws AppError `bad_request` that names the field
   */
  offerOf(entry: unknown, resource: string, extensions?: Readonly<Record<string, unknown>> | null): Offer;
  /** The header that carries the payment: the signed bytes, the receipt, or the transaction's signature. */
  credential(
    purchase: Pick<Purchase, 'dialect' | 'feePayer' | 'terms'>,
    proof: { paymentId: string; wire: Uint8Array; txSignature: string | null; receipt: string | null },
  ): Credential;
  /** The seller's claim about the settlement: a hint, never a proof. */
  settlement(
    dialect: Dialect,
    answer: SellerAnswer,
  ): { success: boolean | null; txSignature: string | null; error: string | null };
  /** The seller does not see the payment yet and wants the same one presented again. */
  wantsRetry(answer: SellerAnswer): boolean;
}

export type EngineEvent =
  | { type: 'transfer'; transfer: Transfer }
  | { type: 'approval'; approval: Approval }
  | { type: 'agent'; agentId: string }
  | { type: 'ceiling' }
  | { type: 'deposit'; deposit: Deposit }
  | { type: 'balance'; wallet: string }
  /** Spent and reserved money passed 80 % of the daily budget. */
  | { type: 'budget'; agentId: string; spent: Usdc; dailyBudget: Usdc }
  | { type: 'freeze'; frozen: boolean; reason: string | null }
  | { type: 'login'; login: Reply<'grantLogin'> }
  | { type: 'link'; link: Reply<'denyLink'> }
  | { type: 'task'; task: Reply<'getTask'> }
  | { type: 'catalog'; source: Reply<'addSource'> }
  | { type: 'lock'; locked: boolean }
  | { type: 'halted'; reason: string }
  | { type: 'warning'; code: string; message: string };

/** In milliseconds; only `wall` counts from 1970. */
export interface Clock {
  wall(): number;
  monotonic(): number;
}

// Calls to the engine, over HTTP and IPC: by route name, with parsed input, by an agent or the owner.

export type Caller =
  | { role: 'owner' }
  | { role: 'agent'; agentId: string; keyId: string }
  /** Signed in on the page of one link session. */
  | { role: 'identity'; identityId: string; linkId: string }
  /** The caller of a public route. A bearer token is not authenticated yet; at most, it is known to this host. */
  | { role: 'nobody'; bearer: string | null; known: KnownCaller | null };
/** A terminal that can read the data folder, or a browser in which the owner signed in. */
export type KnownCaller = 'terminal' | 'browser';

export interface Call<N extends RouteName> {
  caller: Caller;
  params: Params<N>;
  query: Query<N>;
  body: Body<N>;
  /** The Idempotency-Key, if one was sent. */
  key: string | null;
  /** How long the caller wants to wait; null: the usual time of the route. */
  waitMs: number | null;
  /** `Prefer: continue=N`: resume a request that was never answered; the caller's Nth equal call at this moment. */
  continues?: number | null;
  /** Aborted when the caller has its answer or has disconnected. */
  gone?: AbortSignal;
}

/** A seller's answer on its way to the caller, too large to be held in one piece. */
export interface Streamed {
  kind: 'streamed';
  head: Omit<Reply<'fetch'>, 'body' | 'encoding'>;
  body: AnswerBody;
  /** Call it once: when the body was read, or never will be. */
  release(): void;
}

/** `done`, or `accepted`: not done yet, or it needs the owner's approval. Refusals are thrown as AppError. */
export type Answer<N extends RouteName> =
  | { kind: 'done'; body: Reply<N> }
  | { kind: 'accepted'; body: Accepted<N> }
  | (N extends 'fetch' ? Streamed : never);

export type Operation<N extends RouteName> = (call: Call<N>) => Answer<N> | Promise<Answer<N>>;
