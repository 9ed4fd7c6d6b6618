// The port to all durable state; store/ implements it.
import type { AgentStore, BoostStore, GroupStore, KeyStore, LimitStore, PolicyStore } from './agents.ts';
import type { AnswerStore } from './answers.ts';
import type { ApprovalStore, GrantStore, PayeeStore } from './approvals.ts';
import type { BookStore } from './books.ts';
import type { ServiceRuleStore, ServiceStore, SourceStore } from './catalog.ts';
import type { JournalHead, JournalStore } from './journal.ts';
import type { ColdStore } from './cold.ts';
import type { IdentityStore, LinkStore, PublicAddressStore, SignInStore } from './links.ts';
import type { ModelRequestStore } from './model-requests.ts';
import type { LanguageModelStore, ModelSupplierStore } from './models.ts';
import type { NoticeStore } from './notices.ts';
import type { PhoneStore } from './phones.ts';
import type { ModelStore, TaskStore } from './pictures.ts';
import type { IdempotencyStore, RefusalStore, SellerSignInStore, WishStore } from './requests.ts';
import type { SpendStore } from './spending.ts';
import type { FreezeStore } from './stops.ts';
import type { TransferStore } from './transfers.ts';
import type { WatchStore } from './watch.ts';
import type { DepositStore, LedgerStore, WalletStore } from './wallets.ts';

export interface MetaStore {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
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
  /** When the newest transfer or model request was created, in Unix milliseconds; 0 when there is none. */
  newestTime(): number;
  transfers: TransferStore;
  modelRequests: ModelRequestStore;
  answers: AnswerStore;
  spend: SpendStore;
  agents: AgentStore;
  groups: GroupStore;
  policies: PolicyStore;
  limits: LimitStore;
  boosts: BoostStore;
  keys: KeyStore;
  approvals: ApprovalStore;
  grants: GrantStore;
  payees: PayeeStore;
  idempotency: IdempotencyStore;
  refusals: RefusalStore;
  wishes: WishStore;
  sellerSignIns: SellerSignInStore;
  watch: WatchStore;
  wallets: WalletStore;
  cold: ColdStore;
  deposits: DepositStore;
  services: ServiceStore;
  serviceRules: ServiceRuleStore;
  sources: SourceStore;
  tasks: TaskStore;
  models: ModelStore;
  modelSuppliers: ModelSupplierStore;
  languageModels: LanguageModelStore;
  links: LinkStore;
  identities: IdentityStore;
  signIn: SignInStore;
  publicAddress: PublicAddressStore;
  notices: NoticeStore;
  phones: PhoneStore;
  freeze: FreezeStore;
  meta: MetaStore;
  ledger: LedgerStore;
  books: BookStore;
  journal: JournalStore;
}
