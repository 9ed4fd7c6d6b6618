// The port to all durable state; store/ implements it.
import type {
  TransferKind,
  TransferState,
  Transfer,
  NewTransfer,
  TransferChange,
  Agent,
  Policy,
  PolicyInForce,
  Spent,
  LifetimeSpent,
  AgentKey,
  ApprovalStatus,
  Approval,
  StandingGrant,
  Deposit,
  Wallet,
  Freeze,
  Identity,
  KeptAnswer,
  Link,
  Purchase,
  Remembered,
  SignInSettings,
} from './domain/model.ts';
import type {
  CatalogSource,
  Service,
  ListedService,
  ModelChange,
  NewTask,
  Task,
  TaskState,
} from './pictures/model-catalog.ts';
import type { Usdc } from '../money.ts';

export interface TransferQuery {
  agentId?: string;
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

export interface ServiceQuery {
  text: string;
  source?: Service['source'];
  limit: number;
}

/** An item of a source's list, as an entry of the catalog. */
export interface ListedItem {
  entry: Service;
  /** When the source last changed it, in Unix milliseconds; 0 when it does not say. */
  updatedAt: number;
}

export type TaskChange = Partial<Pick<Task, 'startedAt' | 'endedAt' | 'image' | 'failure' | 'refund'>>;

export interface SpentOnDay {
  /** Its midnight, UTC, in Unix milliseconds. */
  day: number;
  agentId: string;
  /** Empty for payments that were restored from the chain. */
  serviceId: string;
  amount: bigint;
  payments: number;
}

/** Sums over some days: largest first, but the days in their order. */
export interface SpentInDays {
  /** An entry for each of the agents that spent most; the others, if any, share one under an empty name. */
  days: Pick<SpentOnDay, 'day' | 'agentId' | 'amount' | 'payments'>[];
  agents: Pick<SpentOnDay, 'agentId' | 'amount' | 'payments'>[];
  services: Pick<SpentOnDay, 'serviceId' | 'amount' | 'payments'>[];
}

export interface RefusedKey {
  scope: string;
  key: string;
  route: string;
  bodyHash: string;
}

/** A position in the journal: an entry's number and its hash, which covers all entries before it. */
export interface JournalHead {
  seq: number;
  hash: Buffer;
}
export interface JournalBreak {
  broken: string;
}

/** All durable state. Every method but `copyTo` is synchronous; `atomically` joins several in one durable commit. */
export interface Store {
  atomically<T>(work: () => T): T;
  /**
   * Group commit: one commit for all such work in this turn of the event loop. No decision of `work` may leave the
   * process before `durable` has resolved; it rejects with AppError `halted` when the disk failed.
   */
  grouped<T>(work: () => T): { result: T; durable: Promise<void> };
  /**
   * Deferred commit, for facts that can be read again from the chain or the seller after a power cut; never for a
   * decision. The facts may leave the process at once. They are on disk with the next commit, at most 20 ms later.
   */
  lazily<T>(work: () => T): T;
  /**
   * Runs `work` and undoes all that it wrote. Nothing reaches the disk, unless other work waits for its commit. Not
   * inside another transaction.
   */
  undone<T>(work: () => T): T;
  close(): void;
  /**
   * Copies the whole database, as of one commit, to a new file that only this user can read, while payments go on. When
   * it resolves, the copy was read back, found whole, and is on disk under this name.
   * @throws AppError `conflict` that says why there is none; errors of the file system
   */
  copyTo(file: string): Promise<{ bytes: number; head: JournalHead }>;
  /** When the newest transfer was created, in Unix milliseconds; 0 when there is none. */
  newestTime(): number;
  transfers: {
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
    /** `seq` of the newest row; 0 when there is none. */
    lastSeq(): number;
    /** Exclusive `seq` bounds of the rows created in a period, in Unix milliseconds, both ends inclusive. */
    between(period: { from?: number; to?: number }): { after: number; before: number };
    countByState(): Record<string, number>;
    /** Lamports that open rows will take: fees, rent, and SOL withdrawals. */
    openLamports(): bigint;
    /** Whether a transfer that was not refused or void has paid rent for this payee's token account. */
    rentPaid(payee: string): boolean;
    /** Lamports of rent reserved for payments and charges after that time, in Unix milliseconds. */
    rentSince(time: number): bigint;
  };
  /** The sellers' answers that are kept; their bodies are files. */
  answers: {
    keep(answer: KeptAnswer): void;
    get(transferId: string): KeptAnswer | undefined;
    /** The client acknowledged it. False when it had done so before, or nothing is kept. */
    receive(transferId: string, now: number): boolean;
    /** Total bytes kept for the agent. */
    sum(agentId: string): number;
    /** The agent's acknowledged answers, oldest first. */
    received(agentId: string, limit: number): KeptAnswer[];
    /** Answers kept before that time, in Unix milliseconds. */
    before(time: number, limit: number): KeptAnswer[];
    /** Answers after this cursor, ordered by id. */
    after(transferId: string, limit: number): KeptAnswer[];
    remove(transferId: string): void;
    /** The oldest answer of version 0.1, which kept bodies in the database; undefined once all have moved. */
    oldest01(): { answer: KeptAnswer; bytes: Buffer } | undefined;
    /** Removes the answer that `oldest01` gave, so that no page of the database holds it any more. */
    forget01(transferId: string): void;
  };
  spend: {
    /** The agent's sums at `now`, or the whole treasury's when `agentId` is null. */
    at(agentId: string | null, now: number): Spent;
    lifetime(agentId: string): LifetimeSpent;
    lastReservedAt(agentId: string): number | null;
    /** Spending on each of the last days (UTC), by agent and service; oldest first. */
    byDay(days: number, now: number): SpentOnDay[];
    /** The same, summed: fast for any number of agents and services. */
    inDays(days: number, now: number): SpentInDays;
    /** When at least `needed` micro-USDC will have left the window; null when waiting alone does not help. */
    freedAt(agentId: string | null, now: number, needed: bigint): number | null;
  };
  agents: {
    /** Assigns the next free wallet index, unless the agent has one. */
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
    /** Reads one API key, however many there are. */
    byFingerprint(fingerprint: string): AgentKey | undefined;
    list(agentId: string): AgentKey[];
    isRevoked(id: string): boolean;
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
    get(id: string): StandingGrant | undefined;
    /** A standing approval in force that names this payee and has this much left; of several, the first to end. */
    usable(
      wanted: Record<'agentId' | 'serviceId' | 'payee', string> & { amount: bigint; now: number },
    ): StandingGrant | undefined;
    draw(id: string, amount: bigint): void;
    /** False when it had ended before. @param because the reason, when the owner did not end it */
    end(id: string, now: number, because?: string): boolean;
  };
  payees: {
    known(agentId: string, payee: string): boolean;
    /** In Unix milliseconds. */
    knownSince(agentId: string, payee: string): number | null;
    remember(agentId: string, payee: string, now: number): void;
  };
  idempotency: {
    find(scope: string, key: string): Remembered | undefined;
    /** Permanent, unless the transfer of the idempotency key was cancelled. */
    remember(scope: string, key: string, what: Remembered, now: number): void;
  };
  /** Refusals that have no row of their own. */
  refusals: {
    /** Counts one more refusal under this denied transfer. */
    count(transferId: string, now: number): void;
    counted(transferId: string): number;
    /** The idempotency key stays refused for ever, with this transfer's refusal. */
    keep(agentId: string, refused: RefusedKey & { transferId: string }): void;
    /** The number of the agent's idempotency keys that are kept. */
    keysOf(agentId: string): number;
    find(refused: RefusedKey): Remembered | undefined;
  };
  /** Requests of clients that can resume them: see payment/continuation.ts. */
  wishes: {
    insert(wish: { transferId: string; hash: string; createdAt: number }): void;
    /** Transfers of this wish, requested at or after `since`, whose answer the client lacks; oldest first. */
    open(hash: string, since: number): string[];
    /** The client acknowledged its answer. False when it had done so before, or made no wish. */
    receive(transferId: string, now: number): boolean;
  };
  wallets: {
    add(wallet: Pick<Wallet, 'address' | 'index' | 'agentId'>): void;
    get(address: string): Wallet | undefined;
    list(): Wallet[];
    /** Marks the transfers recorded so far; take it before requesting a balance from the chain. */
    mark(): number;
    /** Enters a balance from the chain; ignored when it may predate a transfer that we recorded. */
    read(address: string, reading: { balance: Usdc; slot: number; now: number; mark: number }): void;
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
    /** Lists it. `addedByOwner` keeps its value unless it is given. */
    upsert(service: Service, options?: { addedByOwner?: boolean }): void;
    /** Delists it and clears its payees, so that nobody pays it. */
    remove(id: string): void;
    /** Best match first; tolerates typing errors and partial words. Empty text: the most useful first. */
    search(query: ServiceQuery): { results: ListedService[]; total: number };
    listed(id: string): ListedService | undefined;
    /**
     * The listed entry that covers a URL: same origin, and its path is a prefix of the URL's in whole segments. An
     * entry that is vouched for wins over one that is not; after that, the longest path.
     */
    at(origin: string, pathname: string): Service | undefined;
    /** Records the outcome of a call to it. */
    observed(id: string, call: { at: number; ok: boolean; latencyMs: number }): void;
    /** Pins these payees, as the owner was shown them. */
    pin(id: string, payees: readonly string[]): void;
  };
  sources: {
    list(): CatalogSource[];
    get(id: string): CatalogSource | undefined;
    add(source: Pick<CatalogSource, 'id' | 'url' | 'name' | 'addedAt' | 'counts'>): void;
    update(
      id: string,
      change: Partial<
        Pick<CatalogSource, 'pass' | 'offset' | 'counts' | 'lastRunAt' | 'nextRunAt' | 'error'>
      >,
    ): void;
    /** Only when it lists nothing. */
    remove(id: string): void;
    /**
     * Imports an item of the source's list in the current pass. An existing entry keeps its pinned payees. `taken`: the
     * owner or the product has an entry of that id or URL, or removed it.
     */
    enter(id: string, item: ListedItem): 'added' | 'changed' | 'same' | 'taken';
    /**
     * Forgets up to `limit` items of the source: those that its last pass did not meet, or `all`. Entries that no
     * source lists any more are marked. Returns how many were forgotten, and how many of them are marked.
     */
    forget(
      id: string,
      options: { all?: boolean; now: number; limit: number },
    ): { forgotten: number; vanished: number };
  };
  tasks: {
    insert(task: NewTask): Task;
    get(id: string): Task | undefined;
    byCharge(chargeId: string): Task | undefined;
    /** Newest first. */
    list(query: { agentId?: string; state?: TaskState; before?: number; limit: number }): Task[];
    /** Queued, generating, or with an owed refund; oldest first. */
    unsettled(): Task[];
    /** Compare-and-set: null when it is in another state. */
    move(id: string, from: TaskState, to: TaskState, change: TaskChange): Task | null;
    /** Compare-and-set on an owed refund: null when it is no longer owed, or another transfer pays it. */
    refund(id: string, from: Pick<Task, 'refundId'>, change: Pick<Task, 'refund' | 'refundId'>): Task | null;
  };
  models: {
    changes(): ReadonlyMap<string, ModelChange>;
    change(modelId: string, change: ModelChange): void;
  };
  links: {
    insert(link: Link): void;
    get(id: string): Link | undefined;
    byToken(tokenHash: Buffer): Link | undefined;
    /** Newest first; may include expired ones. */
    list(): Link[];
    /** Compare-and-set: null when it was decided before. */
    decide(
      id: string,
      decision: { status: 'complete'; agentId: string; sealedKey: Buffer } | { status: 'denied' },
    ): Link | null;
    /** Deletes those that expired before that time, in Unix milliseconds. */
    forget(before: number): void;
    /** Deletes a pending one to make room for another. */
    drop(id: string): void;
  };
  identities: {
    /** Those that were not removed, oldest first. */
    list(): Identity[];
    get(id: string): Identity | undefined;
    add(identity: Identity): void;
    remove(id: string, now: number): Identity;
  };
  signIn: {
    get(): SignInSettings;
    set(settings: SignInSettings): void;
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
    /** Posts the difference that brings the wallet's account to `units` micro-USDC, against the outside. */
    open(wallet: string, units: bigint): void;
  };
  journal: {
    head(): JournalHead;
    hashAt(seq: number): Buffer | undefined;
    /** Checks up to `limit` of the entries that follow, and the rows that they cover. */
    verifyAfter(from: JournalHead, limit: number): JournalBreak | { reached: JournalHead };
    /** Checks every row that governs payments: agents, policies, API keys, standing approvals, services, the freeze. */
    verifyRules(): JournalBreak | null;
    /**
     * Checks all of that and every row, that none was added or removed without an entry, and rows written meanwhile.
     * Yields every few milliseconds.
     */
    verifyAll(): Generator<void, JournalBreak | null>;
  };
}
