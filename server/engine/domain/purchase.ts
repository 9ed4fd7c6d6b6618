// Purchases: a seller's offer, the payment's additional fields, and the answer that was bought.
import type { Dialect } from '../../contract/payments/dialects.ts';
import type { Reply } from '../../contract/schemas.ts';
import type { Usdc } from '../../money.ts';

export const carriers = ['treasury', 'agent'] as const;
/** In place of an HTTP method, in the purchases of an agent from an MCP server. */
export const mcpMethod = 'MCP';
export const deliveries = ['open', 'delivered', 'undelivered'] as const;
export const encodings = ['utf8', 'base64'] as const;

/** How long an answer may take, and how large it may be. */
export interface AnswerLimits {
  withinMs: number;
  mostBytes: number;
}

/** A further recipient, and its part of the amount. */
export interface Split {
  payee: string;
  amount: Usdc;
  /** The memo that the seller requires for it. */
  memo: string | null;
}

/** A seller's price for one request, in a form that we can pay: on this network, in USDC. */
export interface Offer {
  dialect: Dialect;
  /** With the parts of all `splits`. */
  amount: Usdc;
  payee: string;
  splits: readonly Split[];
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

/** The demand of a seller, in its own, untrusted words. */
export interface Demand {
  network: string;
  asset: string;
  /** In the smallest unit of the token. */
  price: string;
}

/** The additional fields of a payment that follows a seller's 402. */
export interface Purchase {
  dialect: Dialect;
  /** Null: we pay the fee and send the transaction ourselves. */
  feePayer: string | null;
  /** The transaction's memo; null for our own protocol, whose memo names the payment, and where none is needed. */
  memo: string | null;
  /** Each gets its part of the amount; the payee gets the rest. */
  splits: readonly Split[];
  terms: Offer['terms'];
  /** Whether the treasury requests the seller's URL, or the agent does so with its own HTTP. */
  carrier: (typeof carriers)[number];
  method: string;
  url: string;
  /** SHA-256, in hex, over the request: method, URL and body. */
  requestHash: string;
  /** Via a facilitator: the fee payer's signature, which identifies the transaction, once it was found on the chain. */
  txSignature: string | null;
  delivery: (typeof deliveries)[number];
  /** How often and when the payment was shown to the seller, and the seller's last answer. */
  evidence: Readonly<Record<string, unknown>> | null;
}

/** A statement that a seller signed. It proves what a key said, and neither a payment nor a delivery. */
export interface Statement {
  /** The name of the key, a DID; empty where it names none. */
  signedBy: string;
  /** As the seller sent it: a compact JWS; empty where it is none. */
  signature: string;
  /** The transaction that it names; null: none. */
  transaction: string | null;
  /** Why it does not hold for this payment; null: its key signed it, and it names this payment. */
  why: string | null;
}

/** Null: the seller made none. */
export interface SellersStatements {
  offer: Statement | null;
  receipt: Statement | null;
}

/** The facts of a payment that a seller's statements have to name. */
export interface PaidTerms {
  terms: Offer['terms'];
  url: string;
  /** Micro-USDC. */
  amount: bigint;
  payee: string;
  payer: string;
  /** When it was asked for, in Unix milliseconds. */
  at: number;
}

interface SplitPayment {
  payee: string;
  purchase?: Pick<Purchase, 'splits'> | null | undefined;
}

/** All that a payment goes to: its payee, and those of its splits. */
export const payeesOf = ({ payee, purchase }: SplitPayment): string[] => [
  payee,
  ...(purchase?.splits ?? []).map((split) => split.payee),
];

/** Whether an agent bought it from an MCP server, which the treasury itself does not see. */
export const isMcp = (purchase: Pick<Purchase, 'carrier' | 'method'> | null | undefined): boolean =>
  purchase?.carrier === 'agent' && purchase.method === mcpMethod;

/** A seller's answer to a payment, without its body. */
export interface KeptAnswer {
  transferId: string;
  agentId: string;
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Length of the body. */
  bytes: number;
  encoding: (typeof encodings)[number];
  at: number;
  /** When the client acknowledged it. */
  receivedAt: number | null;
}

/** What a seller’s language model reported for an answer. */
export type SoldUsage = NonNullable<NonNullable<Reply<'getTransfer'>['purchase']>['modelUsage']>;

/** Reads an answer while it arrives. */
export interface Meter {
  read(piece: Uint8Array): void;
  /** Null where the answer reported none. */
  used(): Promise<SoldUsage | null>;
}
