// The domain types: transfer, agent, policy, approval. Amounts are integers of the asset's smallest unit, times are
// Unix milliseconds.
import type { HeldPolicy } from '../../contract/policy-fields.ts';
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

/** Until when a message can land: in no block above `lastValidHeight`. Slot and height come from one RPC answer. */
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

/** A seller's price for one request, in a form that we can pay: on this network, in USDC. */
export interface Offer {
  dialect: Dialect;
  amount: Usdc;
  payee: string;
  /** The facilitator that pays the network fee and submits the transaction. Null: we do. */
  feePayer: string | null;
  /** The memo that the seller requires in the transaction. */
  memo: string | null;
  /** Our own protocol only: the seller's reference, for memo and receipt. */
  invoice: string | null;
  /** Echoed with the payment, exactly as the seller sent it. */
  terms: Readonly<Record<string, unknown>>;
  /** The time and size of the answer, if the seller announces them. */
  announced?: Partial<AnswerLimits>;
}

/** The additional fields of a payment that follows a seller's 402. */
export interface Purchase {
  dialect: Dialect;
  /** Null: we pay the fee and send the transaction ourselves. */
  feePayer: string | null;
  /** The transaction's memo; null for our own protocol, whose memo names the payment, and where none is needed. */
  memo: string | null;
  terms: Offer['terms'];
  /** Whether the treasury requests the seller's URL, or the agent does so with its own HTTP. */
  carrier: 'treasury' | 'agent';
  method: string;
  url: string;
  /** SHA-256, in hex, over the request: method, URL and body. */
  requestHash: string;
  /** Via a facilitator: the fee payer's signature, which identifies the transaction, once it was found on the chain. */
  txSignature: string | null;
  delivery: 'open' | 'delivered' | 'undelivered';
  /** How often and when the payment was shown to the seller, and the seller's last answer. */
  evidence: Readonly<Record<string, unknown>> | null;
}

/** A seller's answer to a payment, without its body. */
export interface KeptAnswer {
  transferId: string;
  agentId: string;
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Length of the body. */
  bytes: number;
  encoding: 'utf8' | 'base64';
  at: number;
  /** When the client acknowledged it. */
  receivedAt: number | null;
}

/** Any movement of money that we sign. Only the kinds `payment` and `charge` are subject to the policy. */
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
  /** The purpose as the agent states it: untrusted text, at most 280 characters. */
  reason: string | null;
  /** The API key that requested it; null: the owner did. */
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
  /** Set for payments that follow a 402 that the treasury read. */
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

/** The columns that a step may write; the rest of a row never changes. */
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
  /** Via a facilitator: the signature under which the transaction was found on the chain. */
  txSignature?: string | null;
};

export type AgentStatus = 'active' | 'suspended';

export interface Agent {
  agentId: string;
  walletIndex: number;
  wallet: string;
  displayName: string;
  status: AgentStatus;
  /** Why it is suspended; null when the owner suspended it without a reason. */
  statusReason: string | null;
  createdAt: number;
  archivedAt: number | null;
}

export type Policy = HeldPolicy;
export interface PolicyInForce extends Policy {
  version: number;
}

/** The sums that the policy counts: open rows, however old, and final rows of the last 24 hours. `fees` in lamports. */
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

/** A standing approval: "these payees of this service up to X until T". Waives approveAbove and newPayees, no limit. */
export interface StandingGrant {
  id: string;
  agentId: string;
  serviceId: string;
  /** The payees that the owner was shown when granting it. */
  payees: readonly string[];
  upTo: Usdc;
  used: Usdc;
  until: number;
  createdAt: number;
  revokedAt: number | null;
  /** Why it ended, unless the owner ended it. */
  endedBecause: string | null;
}

/** A machine's request to be linked to an agent. It expires after ten minutes. */
export interface Link {
  id: string;
  machine: string;
  /** Shown by the terminal and by the page. */
  code: string;
  /** The agent that the machine asks for, then the one it was linked to. */
  agentId: string | null;
  status: 'pending' | 'complete' | 'denied';
  tokenHash: Buffer;
  pollHash: Buffer;
  /** The agent's API key is sealed to it; its private key is the poll secret. */
  publicKey: Buffer;
  /** The agent's API key, once complete. */
  sealedKey: Buffer | null;
  createdAt: number;
  expiresAt: number;
}

/** A person who may complete links. */
export interface Identity {
  id: string;
  kind: 'wallet' | 'email' | 'provider';
  /** By kind: a Solana address, an e-mail address in lower case, or the identity that the provider vouches for. */
  subject: string;
  label: string;
  addedAt: number;
  removedAt: number | null;
}

/** The ways to sign in besides a wallet. Their secrets are in the vault. */
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

/** A managed wallet as last read from the chain. `pending` is the part of `balance` that open rows will still take. */
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
