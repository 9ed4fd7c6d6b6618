// All durable state, as the engine needs it; store/ implements it.
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
  /** Hide denials (the history); the activity shows them. */
  withoutDenied?: boolean;
  serviceId?: string;
  states?: readonly TransferState[];
  /** Found anywhere in ids, names, description, payee or signature, whatever its case (of ASCII). */
  text?: string;
  /** Rows after this one and before that one, by `seq`. */
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
  /** Empty for what was restored from the chain. */
  serviceId: string;
  amount: bigint;
  payments: number;
}

/** Of some days: largest first, but the days in their order. */
export interface SpentInDays {
  /** The agents that spent most each by itself; the others, if there are any, together under an empty name. */
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
  /**
   * The same for what the chain or the seller would tell again after a power cut: it decides nothing, may be told to
   * anybody, and is on disk with the next commit, at the latest 20 ms later.
   */
  lazily<T>(work: () => T): T;
  close(): void;
  /**
   * Writes a copy of the whole database, as it stands at one commit, to a new file of this user's alone; payments go on
   * meanwhile. When it resolves the copy was read back, found whole, and is on disk under this name.
   * @throws AppError `conflict` that says why there is none; what the file system throws
   */
  copyTo(file: string): Promise<{ bytes: number; head: JournalHead }>;
  newestTime(): number;
  transfers: {
    insert(transfer: NewTransfer): Transfer;
    get(id: string): Transfer | undefined;
    /** Only the state: for those who wait for it. */
    state(id: string): TransferState | undefined;
    /** Compare-and-set; throws when the row is not in `from` or the step is not in the table of transitions. */
    move(id: string, from: TransferState, to: TransferState, change: TransferChange): Transfer;
    open(): Transfer[];
    openOf(agentId: string | null): Transfer[];
    bySignature(signature: string): Transfer | undefined;
    list(query: TransferQuery): Transfer[];
    /** Newest first, one at a time, for statements of any size. */
    iterate(query: Omit<TransferQuery, 'limit'>): IterableIterator<Transfer>;
    /** The newest row's place; 0 when there is none. */
    lastSeq(): number;
    /** The rows that lie between these two were created in a period: Unix milliseconds, both ends inclusive. */
    between(period: { from?: number; to?: number }): { after: number; before: number };
    /** How many rows are in each state. */
    countByState(): Record<string, number>;
    /** Lamports that open rows will take: fees, rent, and SOL that is on its way out. */
    openLamports(): bigint;
    rentPaid(payee: string): boolean;
    rentSince(time: number): bigint;
  };
  purchases: {
    /** What became of a payment at its seller; in a transaction of its own or of a step. */
    deliver(
      transferId: string,
      delivery: Purchase['delivery'],
      evidence: NonNullable<Purchase['evidence']>,
    ): void;
  };
  /** What sellers delivered, and where it stands; the bodies are files. */
  answers: {
    keep(answer: KeptAnswer): void;
    get(transferId: string): KeptAnswer | undefined;
    /** The client has it. False when it had it before, or nothing is kept. */
    receive(transferId: string, now: number): boolean;
    /** Bytes of all that is kept for the agent. */
    sum(agentId: string): number;
    /** Of the agent, those that the client has; oldest first. */
    received(agentId: string, limit: number): KeptAnswer[];
    /** Kept before that time. */
    before(time: number, limit: number): KeptAnswer[];
    /** In the order of their ids, after this one. */
    after(transferId: string, limit: number): KeptAnswer[];
    remove(transferId: string): void;
    /** Of version 0.1, which kept bodies in the database; undefined once all have moved. */
    oldest01(): { answer: KeptAnswer; bytes: Buffer } | undefined;
    /** Removes what `oldest01` showed, so that no page of the database holds it any more. */
    forget01(transferId: string): void;
  };
  spend: {
    /** The agent's sums at `now`, or the whole treasury's when `agentId` is null. */
    at(agentId: string | null, now: number): Spent;
    lifetime(agentId: string): LifetimeSpent;
    lastReservedAt(agentId: string): number | null;
    /** What was paid on each of the last days (UTC), by agent and service; oldest first. */
    byDay(days: number, now: number): SpentOnDay[];
    /** The same, summed: quick however many agents and services there are. */
    inDays(days: number, now: number): SpentInDays;
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
    /** A look at one key, however many there are. */
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
    /** One in force that names this payee and has this much left; of several the one that ends first. */
    usable(
      wanted: Record<'agentId' | 'serviceId' | 'payee', string> & { amount: bigint; now: number },
    ): StandingGrant | undefined;
    draw(id: string, amount: bigint): void;
    /** @param because why, when it is not the owner's wish; false when it had ended before */
    end(id: string, now: number, because?: string): boolean;
  };
  payees: {
    known(agentId: string, payee: string): boolean;
    /** Since when, in Unix milliseconds. */
    knownSince(agentId: string, payee: string): number | null;
    remember(agentId: string, payee: string, now: number): void;
  };
  idempotency: {
    find(scope: string, key: string): Remembered | undefined;
    /** Once for ever, unless the transfer that the key names was cancelled. */
    remember(scope: string, key: string, what: Remembered, now: number): void;
  };
  /** Refusals that have no row of their own. */
  refusals: {
    /** One more for which this denied transfer stands. */
    count(transferId: string, now: number): void;
    counted(transferId: string): number;
    /** The key stays refused for ever, as this transfer was. */
    keep(agentId: string, refused: RefusedKey & { transferId: string }): void;
    /** How many of the agent's are kept. */
    keysOf(agentId: string): number;
    find(refused: RefusedKey): Remembered | undefined;
  };
  /** What clients asked for that want to go on with it. */
  wishes: {
    insert(wish: { transferId: string; hash: string; createdAt: number }): void;
    /** Transfers of this wish that were asked for at or after `since` and not answered to the end; oldest first. */
    open(hash: string, since: number): string[];
    /** The client has its answer. False when it had it before, or wished for nothing. */
    receive(transferId: string, now: number): boolean;
  };
  wallets: {
    add(wallet: Pick<Wallet, 'address' | 'index' | 'agentId'>): void;
    get(address: string): Wallet | undefined;
    list(): Wallet[];
    /** Where the movements stand; take it before asking the chain for a reading. */
    mark(): number;
    /** A reading from the chain; ignored when it may be older than a movement that is known. */
    read(address: string, balance: Usdc, slot: number, now: number, mark: number): void;
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
    /** Listed from now on. `addedByOwner` stays what it was unless it is said. */
    upsert(service: Service, options?: { addedByOwner?: boolean }): void;
    /** No longer listed, and with no payee: nobody pays it. */
    remove(id: string): void;
    /** Best first; what was asked for with typing errors or in part is found too. Empty: the most useful first. */
    search(query: ServiceQuery): { results: ListedService[]; total: number };
    listed(id: string): ListedService | undefined;
    /**
     * The listed entry to which a URL belongs: of the same origin, and its path stands before the URL's in whole
     * segments. One that is vouched for is taken before one that is not; of those the longest.
     */
    at(origin: string, pathname: string): Service | undefined;
    /** Enters a call that was made to it. */
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
     * Takes an item of the source's list into the catalog, in its pass that goes on. Payees of an entry that is there stay
     * pinned. `taken`: the owner or the product has an entry of that id or at that place, or took it out.
     */
    enter(id: string, item: ListedItem): 'added' | 'changed' | 'same' | 'taken';
    /**
     * Forgets up to `limit` of what the source lists: what its last pass has not met, or `all`. What no source lists
     * any more is marked. Returns how many were forgotten, and how many of them are marked.
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
    /** Queued, generating, or with a refund that is owed; oldest first. */
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
    /** Newest first; what has expired may still be among them. */
    list(): Link[];
    /** Compare-and-set: null when it was decided before. */
    decide(
      id: string,
      decision: { status: 'complete'; agentId: string; sealedKey: Buffer } | { status: 'denied' },
    ): Link | null;
    /** Deletes what expired before. */
    forget(before: number): void;
    /** Deletes one that waits: it gave way to another. */
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
    /** Posts, against the outside, what the wallet's account lacks to `units`. */
    open(wallet: string, units: bigint): void;
  };
  journal: {
    head(): JournalHead;
    hashAt(seq: number): Buffer | undefined;
    /** Checks up to `limit` entries that follow, and the rows that they speak of. */
    verifyAfter(from: JournalHead, limit: number): JournalBreak | { reached: JournalHead };
    /** Checks every row that says what may be paid: agents, policies, keys, grants, services, the freeze. */
    verifyRules(): JournalBreak | null;
    /**
     * Checks all of that and every row, and that none was added or removed without an entry: a few milliseconds between
     * two yields, and what is written meanwhile as well.
     */
    verifyAll(): Generator<void, JournalBreak | null>;
  };
}
