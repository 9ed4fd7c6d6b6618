// The port to paid APIs; x402/ implements it.
import type { Dialect } from '../../contract/payments/dialects.ts';
import type { AnswerLimits, Offer, PaidTerms, Purchase, SellersStatements } from '../domain/purchase.ts';
import type { SignInChallenge, SignInFields, SignInProof } from '../domain/seller-sign-in.ts';

export interface SellerRequest {
  url: string;
  /**
   * Path and query as the client spelled them, for a request that is passed on as it came; `url` has them normalized.
   * Absent: those of `url`.
   */
  target?: string;
  method: string;
  headers: Readonly<Record<string, string | string[]>>;
  body: string | Uint8Array | null;
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
  /** Called once, before the first chunk. */
  begin?(head: Pick<SellerAnswer, 'status' | 'headers'>): void;
  write(chunk: Buffer): Promise<void>;
}

/** For answers with a status below 400: they may be larger and slower than a 402, and are not held in memory. */
export interface Goods extends AnswerLimits {
  /** Time until the answer begins; absent: as short as for a 402. */
  headWithinMs?: number;
  /** `withinMs` is then the time between two chunks, without that of the sink, and not that of the whole answer. */
  isStream?: boolean;
  into: BodySink;
}

/** The HTTP header that carries a payment. */
export interface Credential {
  name: string;
  value: string;
}

/** The member of a repeated request's `_meta` that pays an MCP server. */
export interface McpProof {
  key: string;
  value: Readonly<Record<string, unknown>>;
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
  /**
   * The offers of a 402 that we can pay; never empty.
   * @param url what was asked for: the resource, where the seller does not name it
   * @throws AppError `not_available` that says why there is none. Where the seller asks for another token or network, the
   *   first such Demand is its `details.wanted`
   */
  offers(answer: SellerAnswer, url: string): readonly Offer[];
  /**
   * An offer that an agent read itself: an entry of x402's `accepts`, and the extensions that came with it.
   * @throws AppError `bad_request` that names the field
   */
  offerOf(entry: unknown, resource: string, extensions?: Readonly<Record<string, unknown>> | null): Offer;
  /** The sign-in that a 402 offers to a wallet that bought before; null where it offers none that we would sign. */
  signIn(answer: SellerAnswer, request: SellerRequest): SignInChallenge | null;
  /** The headers that carry its proof. */
  signInHeaders(fields: SignInFields, proof: SignInProof): Readonly<Record<string, string>>;
  /**
   * The offers in an MCP server's demand that we can pay; never empty. @param resource the server, for a demand that does
   * not say what it is for. @throws AppError `not_available` that says why there is none
   */
  demanded(demand: Readonly<Record<string, unknown>>, resource: string): readonly Offer[];
  /** The header that carries the payment: the signed bytes, the receipt, or the transaction's signature. */
  credential(
    purchase: Pick<Purchase, 'dialect' | 'feePayer' | 'terms'>,
    proof: { paymentId: string; wire: Uint8Array; txSignature: string | null; receipt: string | null },
  ): Credential;
  /** The same for an MCP server. @throws an invariant for our own protocol, which no MCP server speaks */
  mcpProof(...payment: Parameters<Sellers['credential']>): McpProof;
  /** The seller's claim about the settlement: a hint, never a proof. */
  settlement(
    dialect: Dialect,
    answer: SellerAnswer,
  ): { success: boolean | null; txSignature: string | null; error: string | null };
  /** What the seller signed about this payment, in its offer and in this answer, and whether it holds. */
  statements(paid: PaidTerms, answer: SellerAnswer): SellersStatements;
  /** The seller does not see the payment yet and wants the same one presented again. */
  wantsRetry(answer: SellerAnswer): boolean;
}
