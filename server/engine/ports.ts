// What the engine needs from outside: the ports that store, chain and vault implement, and how it is called. Everything
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

/** What the chain says of one signature. `null` stands for "this RPC does not know it". */
export interface Sighting {
  slot: number;
  error: TransactionError | null;
  commitment: 'processed' | 'confirmed' | 'finalized';
}

export type ExpiryProof =
  { dead: true; evidence: Readonly<Record<string, unknown>> } | { dead: false; seen?: Sighting; why: string };

/** What of a managed wallet's history our own rows explain. */
export interface Explained {
  /** A row has this transaction's name. */
  byName(signature: string): boolean;
  /** A row has its name, or while that is not known its message. */
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
  /** What the wallet held after it. */
  balance: bigint;
  feeLamports: bigint;
  /** The other side of an incoming transfer, when the transaction names one. */
  counterparty: string | null;
}

export interface HistoryScan {
  /** A signature. */
  after: string | null;
  /** Begins once this slot is final. */
  slot: number;
  /** Reads these, and always the newest. */
  wanted(listed: { signature: string; blockTime: number | null; failed: boolean }): boolean;
}

/** USDC on one Solana network. Every method may throw AppError `chain_unreachable`. */
export interface Chain {
  readonly mint: string;
  /** A recent blockhash, kept ready in the background. */
  lifetime(): Promise<Lifetime>;
  /** The unsigned message of a transfer; pure. */
  build(transfer: Transfer, lifetime: Lifetime): Uint8Array;
  /** Hands bytes to the RPC. Resolves when it took them; the answer is a hint, never a verdict. */
  broadcast(wire: Uint8Array): Promise<void>;
  /** Calls back with what the chain shows once it is `confirmed`; silent when that cannot be had. Returns its end. */
  onConfirmed(signature: string, seen: (sighting: Sighting) => void): () => void;
  /** With history search; `slot` is the answer's own. At most 256 signatures. */
  sightings(signatures: readonly string[]): Promise<{ slot: number; found: (Sighting | null)[] }>;
  /** Height of the newest finalized block. */
  finalizedHeight(): Promise<number>;
  blockTime(slot: number): Promise<number | null>;
  /**
   * Proof of expiry of signed transfers, as design.md section 2 has it, each in its place: what they have in common (the
   * height, the history of a wallet) is read once for all of them. `explained` tells our other debits.
   */
  proveExpired(transfers: readonly Transfer[], explained: Explained): Promise<ExpiryProof[]>;
  /** USDC of each wallet at `confirmed`, with the slot of the answer; null for a missing token account. */
  balances(wallets: readonly string[]): Promise<{ slot: number; units: (Usdc | null)[] }>;
  lamports(wallet: string): Promise<bigint>;
  hasTokenAccount(wallet: string): Promise<boolean>;
  /** Whether this is the address of a key, and not of a program's account; pure. */
  isWallet(address: string): boolean;
  /**
   * Transactions that touched the wallet's USDC account in `fromSlot` or later, at `confirmed`, each with the SHA-256 of
   * its message in hex.
   */
  landed(wallet: string, fromSlot: number): Promise<{ signature: string; messageHash: string }[]>;
  /** The message hash of a transaction at `confirmed`; null when the RPC does not show one of that name. */
  messageHash(signature: string): Promise<string | null>;
  /** Movements of the wallet's USDC account after `until` (a signature), oldest first. */
  moves(wallet: string, until: string | null): Promise<TokenMove[]>;
  /** Whether each wallet's USDC account exists or ever did. */
  used(wallets: readonly string[]): Promise<boolean[]>;
  /** As `moves`, but finalized ones, some at a time, for a history of any length. */
  history(wallet: string, scan: HistoryScan): AsyncIterable<TokenMove[]>;
  rentLamports(): Promise<bigint>;
  feeLamports(transfer: Pick<Transfer, 'kind' | 'wallet' | 'payee'> & { purchase?: Purchase | null }): bigint;
  genesisHash(): Promise<string>;
  chainTime(): Promise<number | null>;
}

/** The keys. Signing re-reads the row; nothing here takes bytes to sign at will. */
export interface Keys {
  locked(): boolean;
  address(index: number): string;
  sign(transferId: string, message: Uint8Array): Pick<Signed, 'wire' | 'signature' | 'messageHash'>;
  signReceipt(walletIndex: number, canonicalJson: string): string;
}

/** Keeps a stop beside the database, for when that takes no commit. */
export interface StopMarker {
  /** The stop that holds: also one that could not be written, or that nobody can read. Null when there is none. */
  get(): Freeze | null;
  /** Holds in this process at once. When it returns the stop is on disk. @throws what the disk said */
  set(stop: Freeze): void;
  /** @throws what the disk said; then the stop goes on */
  clear(): void;
}

/** Where the journal stood at the last checkpoint, sealed where the database's editor cannot reach. */
export interface Seals {
  /** False while the vault is locked. */
  available(): boolean;
  last(): JournalHead | null;
  seal(head: JournalHead): void;
}

export interface Receipts {
  issue(transfer: Transfer, blockTime: number): string;
}

/** A model of the registry that ships with the product. */
export interface Model {
  id: string;
  displayName: string;
  providerId: string;
  /** The provider's name. */
  provider: string;
  description: string;
  /** Decimal USDC for each resolution that it knows. */
  pricing: Readonly<Partial<Record<Resolution, string>>>;
  /** Before the owner changed anything. */
  shippedPricing: Readonly<Partial<Record<Resolution, string>>>;
  enabled: boolean;
}

/** A picture as its provider gave it; nobody has looked at it yet. */
export interface Drawing {
  bytes: Uint8Array;
}

/** Image models behind one interface. */
export interface ImageProviders {
  models(): readonly Model[];
  /** It has a key, or the sandbox draws in its stead. */
  usable(model: Model): boolean;
  /** How many pictures its provider is asked for at the same time. */
  atOnce(model: Model): number;
  /** Asking twice for one task makes, and costs, one picture. */
  repeatable(model: Model): boolean;
  /**
   * Asks the provider, once. @throws AppError `generation_failed` with a sentence for the agent; nothing of the owner's
   * key is in it
   */
  draw(
    model: Model,
    request: { taskId: string; prompt: string; resolution: Resolution },
    signal: AbortSignal,
  ): Promise<Drawing>;
}

/** Where pictures are kept. */
export interface Pictures {
  /**
   * Decodes the picture, and only then keeps it: what is there is whole.
   * @throws AppError `generation_failed` for what is no picture
   */
  keep(taskId: string, bytes: Uint8Array): Promise<StoredImage>;
  /** One that was kept before, decoded again; null when there is none. */
  find(taskId: string): Promise<StoredImage | null>;
  read(taskId: string, image: StoredImage): Promise<Buffer>;
  /** At most 512 points wide and high. */
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
  /** Empty where the body went somewhere else: see `Goods`. */
  bytes: Buffer;
}

/** Takes a body piece by piece; the seller waits while a piece is taken. */
export interface BodySink {
  write(chunk: Buffer): Promise<void>;
}
/** For answers below 400: they may be larger and slower than what a 402 may be, and are not held in memory. */
export interface Goods extends AnswerLimits {
  /** Until the answer begins, where that is not as short as for a 402. */
  headWithinMs?: number;
  into: BodySink;
}

/** A body that is whole: in memory while it is small, otherwise in a file. */
export interface AnswerBody {
  readonly bytes: number;
  /** How it is written in JSON. */
  readonly encoding: 'utf8' | 'base64';
  /** Pieces of some kilobytes, each read when it is asked for. @throws when the file is gone */
  read(): AsyncIterable<Buffer>;
}
/** What a seller answered, with its body wherever that is. */
export interface DeliveredAnswer extends Pick<SellerAnswer, 'status' | 'headers'> {
  body: AnswerBody;
}
export interface AnswerDraft extends BodySink {
  /** What was written. */
  body(): AnswerBody;
  /** Resolves once the body, under its name, would outlast a power cut. */
  keep(): Promise<void>;
  /** Afterwards there is no file. */
  discard(): Promise<void>;
}
/**
 * Bodies of sellers' answers, as files of this user's alone. Names are payment ids and our own, never a seller's.
 * Writing throws AppError `disk_low` where the disk takes no more.
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
/** The header that pays. */
export interface Credential {
  name: string;
  value: string;
}

/** Paid APIs: asking them, reading what they want, and showing them that it was paid. It knows no policy and no key. */
export interface Sellers {
  /**
   * Sends the request once; follows no redirect. Without `goods` every answer is at most 10 s and 1 MiB.
   * @param beforeSending runs in the turn of the event loop in which the bytes leave; what it throws, nothing has left
   * @throws AppError `bad_request` for a place where nothing is asked, `not_available` when no usable answer came,
   *   `answer_too_large` and `answer_too_slow` beyond the limits of `goods`, and what `goods.into` throws
   */
  ask(
    request: SellerRequest,
    options?: {
      payment?: { credential: Credential; beforeSending: () => void };
      goods?: Goods;
      signal?: AbortSignal;
    },
  ): Promise<SellerAnswer>;
  /** What a 402 asks for, as far as we can pay it; never empty. @throws AppError `not_available` that says why not */
  offers(answer: SellerAnswer): readonly Offer[];
  /**
   * An offer that an agent read itself: an entry of x402's `accepts`, and the extensions that came with it.
   * @throws AppError `bad_request` that names the field
   */
  offerOf(entry: unknown, resource: string, extensions?: Readonly<Record<string, unknown>> | null): Offer;
  /** The header that pays: made of the signed bytes, or of the receipt, or of the transaction's name. */
  credential(
    purchase: Pick<Purchase, 'dialect' | 'feePayer' | 'terms'>,
    proof: { paymentId: string; wire: Uint8Array; txSignature: string | null; receipt: string | null },
  ): Credential;
  /** What the seller says became of the money: a hint, and never a verdict. */
  settlement(
    dialect: Dialect,
    answer: SellerAnswer,
  ): { success: boolean | null; txSignature: string | null; error: string | null };
  /** The seller does not see the payment yet, and wants to be shown the same one again. */
  wantsRetry(answer: SellerAnswer): boolean;
}

export type EngineEvent =
  | { type: 'transfer'; transfer: Transfer }
  | { type: 'approval'; approval: Approval }
  | { type: 'agent'; agentId: string }
  | { type: 'ceiling' }
  | { type: 'deposit'; deposit: Deposit }
  | { type: 'balance'; wallet: string }
  /** What is spent or reserved passed 80 % of the daily budget. */
  | { type: 'budget'; agentId: string; spent: Usdc; dailyBudget: Usdc }
  | { type: 'freeze'; frozen: boolean; reason: string | null }
  | { type: 'login'; login: Reply<'grantLogin'> }
  | { type: 'link'; link: Reply<'denyLink'> }
  | { type: 'task'; task: Reply<'getTask'> }
  | { type: 'catalog'; source: Reply<'addSource'> }
  | { type: 'lock'; locked: boolean }
  | { type: 'halted'; reason: string }
  | { type: 'warning'; code: string; message: string };

export interface Clock {
  wall(): number;
  monotonic(): number;
}

// How the engine is called: by route name, with parsed input, by an agent or the owner. HTTP and IPC both do.

export type Caller =
  | { role: 'owner' }
  | { role: 'agent'; agentId: string; keyId: string }
  /** Signed in at the page of one link session. */
  | { role: 'identity'; identityId: string; linkId: string }
  /** Of a public route. The bearer token, if one was sent, says nothing yet of who sent it, but that this host knows it. */
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
  /** How long the caller wants to wait; null: what is usual for the route. */
  waitMs: number | null;
  /** `Prefer: continue=N`: the caller goes on with what it has no answer of yet; it is its Nth such call at this moment. */
  continues?: number | null;
  /** Aborted when the caller has its answer, or has gone. */
  gone?: AbortSignal;
}

/** What a seller delivered, on its way to the caller: too large to be held in one piece. */
export interface Streamed {
  kind: 'streamed';
  head: Omit<Reply<'fetch'>, 'body' | 'encoding'>;
  body: AnswerBody;
  /** To be called once when the body was read, or never will be. */
  release(): void;
}

/** `done`, or `accepted`: not done yet, or it needs the owner's word. Refusals are thrown as AppError. */
export type Answer<N extends RouteName> =
  | { kind: 'done'; body: Reply<N> }
  | { kind: 'accepted'; body: Accepted<N> }
  | (N extends 'fetch' ? Streamed : never);

export type Operation<N extends RouteName> = (call: Call<N>) => Answer<N> | Promise<Answer<N>>;
