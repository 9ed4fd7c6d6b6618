// What the engine is made of and what it needs from outside: the domain's types, and the ports that store,
// chain and vault implement. Amounts are integers of the asset's smallest unit, times are Unix milliseconds.
import type { RouteName } from '../contract/routes.ts';
import type { Accepted, Body, Params, Query, Reply } from '../contract/schemas.ts';
import type { ErrorCode, ErrorDetails } from '../errors.ts';
import type { Usdc } from '../money.ts';

export type Network = 'sandbox' | 'devnet' | 'mainnet';
export type Asset = 'USDC' | 'SOL';
export type TransferKind = 'payment' | 'charge' | 'allocation' | 'recall' | 'withdrawal' | 'refund';

export type TransferState =
  | 'awaiting_approval'
  | 'denied'
  | 'reserved'
  | 'signed'
  | 'sent'
  | 'seen'
  | 'unknown'
  | 'final'
  | 'failed'
  | 'dead'
  | 'cancelled';

/** How long a message can land: it is in no block higher than `lastValidHeight`. Slot and height are one answer's. */
export interface Lifetime {
  blockhash: string;
  lastValidHeight: number;
  slot: number;
  height: number;
}

export interface Signed {
  messageHash: string;
  signature: string;
  wire: Uint8Array;
  lifetime: Lifetime;
  at: number;
}

export interface Refusal {
  code: ErrorCode;
  message: string;
  details: ErrorDetails;
}

/** One movement of money that we sign. `kind` says which; only payments and charges meet the policy. */
export interface Transfer {
  seq: number;
  id: string;
  kind: TransferKind;
  agentId: string | null;
  walletIndex: number;
  wallet: string;
  payee: string;
  asset: Asset;
  amount: bigint;
  serviceId: string | null;
  serviceName: string;
  description: string;
  invoice: string | null;
  state: TransferState;
  refusal: Refusal | null;
  policyVersion: number;
  approvalId: string | null;
  grantId: string | null;
  feeLamports: bigint;
  rentLamports: bigint;
  createdAt: number;
  reservedAt: number | null;
  signed: Signed | null;
  sentAt: number | null;
  seenAt: number | null;
  seenSlot: number | null;
  blockTime: number | null;
  endedAt: number | null;
  receipt: string | null;
  evidence: string | null;
}

export type NewTransfer = Omit<
  Transfer,
  'seq' | 'signed' | 'sentAt' | 'seenAt' | 'seenSlot' | 'blockTime' | 'endedAt' | 'receipt' | 'evidence'
>;

/** The columns that a step may write; everything else of a row never changes. */
export type TransferChange = Partial<
  Pick<
    Transfer,
    | 'refusal'
    | 'policyVersion'
    | 'grantId'
    | 'feeLamports'
    | 'rentLamports'
    | 'reservedAt'
    | 'signed'
    | 'sentAt'
    | 'seenAt'
    | 'seenSlot'
    | 'blockTime'
    | 'endedAt'
    | 'receipt'
    | 'evidence'
  >
>;

export type AgentStatus = 'active' | 'suspended';

export interface Agent {
  agentId: string;
  walletIndex: number;
  wallet: string;
  displayName: string;
  status: AgentStatus;
  /** Why it is suspended, when it was not the owner's or its own wish. */
  statusReason: string | null;
  createdAt: number;
  archivedAt: number | null;
}

export interface Policy {
  dailyBudget: Usdc;
  maxPerPayment: Usdc;
  cooldownSeconds: number;
  allowedServices: readonly string[];
  approveAbove: Usdc | null;
  newPayees: 'allow' | 'approve';
  approvalMinutes: number;
}
export interface PolicyInForce extends Policy {
  version: number;
}

/** What the policy counts: open rows however old, and final rows of the last 24 hours. */
export interface Spent {
  open: bigint;
  final: bigint;
  fees: bigint;
}
export interface LifetimeSpent {
  spent: bigint;
  payments: number;
}

export interface AgentKey {
  id: string;
  agentId: string;
  hash: string;
  label: string;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
}

export type ApprovalKind = 'payment' | 'policy' | 'allocate' | 'deploy' | 'resume';
export type ApprovalStatus = 'pending' | 'granted' | 'denied' | 'expired' | 'cancelled';

export interface Approval {
  id: string;
  agentId: string;
  keyId: string | null;
  kind: ApprovalKind;
  /** Exactly what the owner is shown; `hash` is the SHA-256 of its canonical JSON. */
  shown: Readonly<Record<string, unknown>>;
  hash: string;
  policyVersion: number;
  transferId: string | null;
  status: ApprovalStatus;
  createdAt: number;
  expiresAt: number;
  decidedAt: number | null;
  result: Readonly<Record<string, unknown>> | null;
}

/** "This service up to X until T": waives approveAbove and newPayees, never a limit. */
export interface StandingGrant {
  id: string;
  agentId: string;
  serviceId: string;
  upTo: Usdc;
  used: Usdc;
  until: number;
  createdAt: number;
  revokedAt: number | null;
}

export interface Service {
  id: string;
  name: string;
  description: string;
  category: string;
  source: 'svc-native' | 'model-registry' | 'x402-marketplace';
  endpoint: string;
  origin: string;
  /** Pinned payees; `/pay` pays the first. */
  payees: readonly string[];
  pricing: Readonly<Record<string, string>>;
  price: string | null;
  /** The owner confirmed it or it ships with the product: only then do we pay the rent of its token account. */
  vouched: boolean;
}

export interface Deposit {
  seq: number;
  id: string;
  txSignature: string;
  from: string;
  wallet: string;
  amount: Usdc;
  slot: number;
  status: 'confirmed' | 'final' | 'dropped';
  at: number;
}

/** A managed wallet as last read from the chain. `pending` is what open rows will still take out of `balance`. */
export interface Wallet {
  address: string;
  index: number;
  agentId: string | null;
  balance: Usdc;
  pending: Usdc;
  slot: number;
  readAt: number;
  scannedTo: string | null;
}

export interface Freeze {
  since: number;
  reason: string;
}

export interface Remembered {
  route: string;
  bodyHash: string;
  transferId: string | null;
  approvalId: string | null;
}

export interface TransferQuery {
  agentId?: string;
  kinds?: readonly TransferKind[];
  /** Hide denials (the history); the activity shows them. */
  withoutDenied?: boolean;
  from?: number;
  to?: number;
  before?: number;
  limit: number;
}

/** A place in the journal: an entry's number and its hash, which covers all before it. */
export interface JournalHead {
  seq: number;
  hash: Buffer;
}
export interface JournalBreak {
  broken: string;
}

/** All durable state. Every method is synchronous; `atomically` makes one durable transaction of several. */
export interface Store {
  atomically<T>(work: () => T): T;
  /**
   * The same, but the commit comes with the others of this turn of the event loop. Nothing that `work` decided may leave
   * the process before `durable` has resolved; it rejects with AppError `halted` when the disk failed.
   */
  grouped<T>(work: () => T): { result: T; durable: Promise<void> };
  /** Resolves when nothing waits for its commit. */
  settled(): Promise<void>;
  close(): void;
  newestTime(): number;
  transfers: {
    insert(transfer: NewTransfer): Transfer;
    get(id: string): Transfer | undefined;
    /** Compare-and-set; throws when the row is not in `from` or the step is not in the table of transitions. */
    move(id: string, from: TransferState, to: TransferState, change: TransferChange): Transfer;
    open(): Transfer[];
    openOf(agentId: string | null): Transfer[];
    bySignature(signature: string): Transfer | undefined;
    list(query: TransferQuery): Transfer[];
    /** Newest first, one at a time, for statements of any size. */
    iterate(query: Omit<TransferQuery, 'limit'>): IterableIterator<Transfer>;
    /** Fees and rent, in lamports, that open rows have reserved. */
    openLamports(): bigint;
    rentPaid(payee: string): boolean;
    rentSince(time: number): bigint;
  };
  spend: {
    /** The agent's sums at `now`, or the whole treasury's when `agentId` is null. */
    at(agentId: string | null, now: number): Spent;
    lifetime(agentId: string): LifetimeSpent;
    lastReservedAt(agentId: string): number | null;
    /** When at least `needed` will have left the window; null when waiting alone does not help. */
    freedAt(agentId: string | null, now: number, needed: bigint): number | null;
  };
  agents: {
    /** At the next free wallet, unless it says which. */
    insert(
      agent: Omit<Agent, 'walletIndex' | 'wallet'> & Partial<Pick<Agent, 'walletIndex'>>,
      address: (index: number) => string,
    ): Agent;
    get(agentId: string): Agent | undefined;
    list(): Agent[];
    update(
      agentId: string,
      change: Partial<Pick<Agent, 'displayName' | 'status' | 'statusReason' | 'archivedAt'>>,
    ): Agent;
  };
  policies: {
    get(agentId: string): PolicyInForce;
    set(agentId: string, policy: Policy, now: number): PolicyInForce;
    ceiling(): Usdc | null;
    setCeiling(dailyBudget: Usdc | null, now: number): void;
  };
  keys: {
    insert(key: AgentKey): void;
    byHash(hash: string): AgentKey | undefined;
    list(agentId: string): AgentKey[];
    end(id: string, change: { expiresAt?: number; revokedAt?: number }): void;
  };
  approvals: {
    insert(approval: Approval): void;
    get(id: string): Approval | undefined;
    pending(agentId?: string): Approval[];
    list(limit: number): Approval[];
    /** Compare-and-set from pending; false when it was decided before. */
    decide(
      id: string,
      status: Exclude<ApprovalStatus, 'pending'>,
      now: number,
      result?: Approval['result'],
    ): boolean;
  };
  grants: {
    insert(grant: StandingGrant): void;
    list(): StandingGrant[];
    usable(agentId: string, serviceId: string, amount: bigint, now: number): StandingGrant | undefined;
    draw(id: string, amount: bigint): void;
    revoke(id: string, now: number): boolean;
  };
  payees: {
    known(agentId: string, payee: string): boolean;
    remember(agentId: string, payee: string, now: number): void;
  };
  idempotency: {
    find(scope: string, key: string): Remembered | undefined;
    remember(scope: string, key: string, what: Remembered, now: number): void;
    forgetTransfer(transferId: string): void;
  };
  wallets: {
    add(wallet: Pick<Wallet, 'address' | 'index' | 'agentId'>): void;
    get(address: string): Wallet | undefined;
    list(): Wallet[];
    /** A reading from the chain; ignored when older than what is known. */
    read(address: string, balance: Usdc, slot: number, now: number): void;
    scanned(address: string, signature: string): void;
  };
  deposits: {
    insert(deposit: Omit<Deposit, 'seq'>): boolean;
    list(before: number | null, limit: number): Deposit[];
    unsettled(): Deposit[];
    settle(id: string, status: 'final' | 'dropped'): void;
  };
  services: {
    get(id: string): Service | undefined;
    upsert(service: Service): void;
    search(query: string, limit: number): { results: Service[]; total: number };
  };
  freeze: {
    get(): Freeze | null;
    set(freeze: Freeze | null): void;
  };
  meta: {
    get(name: string): string | undefined;
    set(name: string, value: string): void;
  };
  ledger: {
    /** Posted balance of each account; they sum to zero. */
    balances(): Map<string, bigint>;
    /** Posts, against the outside, what the wallet's account lacks to `units`. */
    open(wallet: string, units: bigint): void;
  };
  journal: {
    head(): JournalHead;
    hashAt(seq: number): Buffer | undefined;
    /** Checks up to `limit` entries that follow, and the rows that they speak of. */
    verifyAfter(from: JournalHead, limit: number): JournalBreak | { reached: JournalHead };
    /** Checks that no protected row was added or removed without an entry; reads every table once. */
    verifyCounts(): JournalBreak | null;
  };
}

export type TransactionError = Readonly<Record<string, unknown>> | string;

/** What the chain says of one signature. `null` stands for "this RPC does not know it". */
export interface Sighting {
  slot: number;
  error: TransactionError | null;
  commitment: 'processed' | 'confirmed' | 'finalized';
}

export type Death =
  { dead: true; evidence: Readonly<Record<string, unknown>> } | { dead: false; seen?: Sighting; why: string };

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
  /** Proof of death of a signed transfer, as design.md section 2 has it; `explained` tells our other debits. */
  proveDeath(transfer: Transfer, explained: (move: TokenMove) => boolean): Promise<Death>;
  /** USDC of each wallet at `confirmed`, with the slot of the answer; null for a missing token account. */
  balances(wallets: readonly string[]): Promise<{ slot: number; units: (Usdc | null)[] }>;
  lamports(wallet: string): Promise<bigint>;
  hasTokenAccount(wallet: string): Promise<boolean>;
  /** Whether this is the address of a key, and not of a program's account; pure. */
  isWallet(address: string): boolean;
  /** Movements of the wallet's USDC account after `until` (a signature), oldest first. */
  moves(wallet: string, until: string | null): Promise<TokenMove[]>;
  /** Whether each wallet's USDC account exists or ever did. */
  used(wallets: readonly string[]): Promise<boolean[]>;
  /** As `moves`, but finalized ones, some at a time, for a history of any length. */
  history(wallet: string, scan: HistoryScan): AsyncIterable<TokenMove[]>;
  rentLamports(): Promise<bigint>;
  feeLamports(transfer: Pick<Transfer, 'kind' | 'wallet' | 'payee'>): bigint;
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

export type EngineEvent =
  | { type: 'transfer'; transfer: Transfer }
  | { type: 'approval'; approval: Approval }
  | { type: 'agent'; agentId: string }
  | { type: 'deposit'; deposit: Deposit }
  | { type: 'balance'; wallet: string }
  | { type: 'freeze'; frozen: boolean; reason: string | null }
  | { type: 'halted'; reason: string }
  | { type: 'warning'; code: string; message: string };

export interface Clock {
  wall(): number;
  monotonic(): number;
}

// How the engine is called: by route name, with parsed input, by an agent or the owner. HTTP and IPC both do.

export type Caller =
  { role: 'owner' } | { role: 'agent'; agentId: string; keyId: string } | { role: 'nobody' };

export interface Call<N extends RouteName> {
  caller: Caller;
  params: Params<N>;
  query: Query<N>;
  body: Body<N>;
  /** The Idempotency-Key, if one was sent. */
  key: string | null;
  /** How long the caller wants to wait; null: what is usual for the route. */
  waitMs: number | null;
}

/** `done`, or `accepted`: not done yet, or it needs the owner's word. Refusals are thrown as AppError. */
export type Answer<N extends RouteName> =
  { kind: 'done'; body: Reply<N> } | { kind: 'accepted'; body: Accepted<N> };

export type Operation<N extends RouteName> = (call: Call<N>) => Answer<N> | Promise<Answer<N>>;
