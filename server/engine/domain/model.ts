// The domain: what a transfer, an agent, a policy, an approval are. Amounts are integers of the asset's smallest unit,
// times are Unix milliseconds.
import type { ErrorCode, ErrorDetails } from '../../errors.ts';
import type { Usdc } from '../../money.ts';

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

/** The protocols in which sellers ask for money. `receipt` is ours. */
export type Dialect = 'receipt' | 'x402-v2' | 'x402-v1' | 'mpp';

/** How long an answer may take, and how large it may be. */
export interface AnswerLimits {
  withinMs: number;
  mostBytes: number;
}

/** What a seller asks for one request, as far as it can be paid: on this network, in USDC. */
export interface Offer {
  dialect: Dialect;
  amount: Usdc;
  payee: string;
  /** Who pays the network's fee and hands the transaction in: somebody of the seller's. Null: we do. */
  feePayer: string | null;
  /** What the seller wants to find in the transaction's memo. */
  memo: string | null;
  /** Of our own protocol: goes into memo and receipt. */
  invoice: string | null;
  /** What has to be given back with the payment, as the seller said it. */
  terms: Readonly<Record<string, unknown>>;
  /** How long the seller may need, and how much it will say, where it announces that. */
  announced?: Partial<AnswerLimits>;
}

/** A payment that follows a seller's 402, beside what every transfer has. */
export interface Purchase {
  dialect: Dialect;
  /** Null: we pay the fee and send the transaction ourselves. */
  feePayer: string | null;
  /** The transaction's memo; null for our own protocol, whose memo names the payment, and where none is wanted. */
  memo: string | null;
  terms: Offer['terms'];
  /** Whether the treasury asks the seller, or an agent that does its own HTTP. */
  carrier: 'treasury' | 'agent';
  method: string;
  url: string;
  /** SHA-256, in hex, over method, URL and body: what was asked. */
  requestHash: string;
  /** The transaction's name on the chain, once it was found there, where the fee payer's signature names it. */
  txSignature: string | null;
  delivery: 'open' | 'delivered' | 'undelivered';
  /** How often and when the payment was shown to the seller, and what it last said. */
  evidence: Readonly<Record<string, unknown>> | null;
}

/** What a seller delivered for a payment, without its body. */
export interface KeptAnswer {
  transferId: string;
  agentId: string;
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Of the body. */
  bytes: number;
  encoding: 'utf8' | 'base64';
  at: number;
  /** Since when the client has it. */
  receivedAt: number | null;
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
  /** What the agent says that it is for: its own words, at most 280 characters. */
  reason: string | null;
  /** The API key that asked for it; null: the owner did. */
  keyId: string | null;
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
  /** Of payments that follow a 402 that the treasury read. */
  purchase: Purchase | null;
}

export type NewTransfer = Omit<
  Transfer,
  | 'seq'
  | 'signed'
  | 'sentAt'
  | 'seenAt'
  | 'seenSlot'
  | 'blockTime'
  | 'endedAt'
  | 'receipt'
  | 'evidence'
  | 'reason'
  | 'keyId'
> &
  Partial<Pick<Transfer, 'reason' | 'keyId'>>;

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
> & {
  /** Of a purchase whose fee payer is the seller's: under which name it was found on the chain. */
  txSignature?: string | null;
};

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

/** "These payees of this service up to X until T": waives approveAbove and newPayees, never a limit. */
export interface StandingGrant {
  id: string;
  agentId: string;
  serviceId: string;
  /** Those that the owner was shown when granting it. */
  payees: readonly string[];
  upTo: Usdc;
  used: Usdc;
  until: number;
  createdAt: number;
  revokedAt: number | null;
  /** Why, when it was not the owner who ended it. */
  endedBecause: string | null;
}

/** A machine that asks to be linked to an agent. It lasts ten minutes. */
export interface Link {
  id: string;
  machine: string;
  /** Shown by the terminal and by the page. */
  code: string;
  /** As the machine wishes it, then as it was completed. */
  agentId: string | null;
  status: 'pending' | 'complete' | 'denied';
  tokenHash: Buffer;
  pollHash: Buffer;
  /** The agent's key is sealed for it; its private half is the poll secret. */
  publicKey: Buffer;
  /** The agent's API key, once complete. */
  sealedKey: Buffer | null;
  createdAt: number;
  expiresAt: number;
}

/** Somebody who may complete links. */
export interface Identity {
  id: string;
  kind: 'wallet' | 'email' | 'provider';
  /** A Solana address; an e-mail address in lower case; what the provider vouches for. */
  subject: string;
  label: string;
  addedAt: number;
  removedAt: number | null;
}

/** How somebody may sign in beside a wallet; the secrets that belong to it are in the vault. */
export interface SignInSettings {
  mailServer: {
    host: string;
    port: number;
    security: 'tls' | 'starttls' | 'none';
    user: string | null;
    from: string;
  } | null;
  provider: { name: string; issuer: string; clientId: string } | null;
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
