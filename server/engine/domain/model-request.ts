// A request to a language model with the owner's own key. The provider bills the owner and nothing moves on the chain, but
// the request counts in the same limits as a payment: with its bound while it is open, and then with its amount.
import type { Usdc } from '../../money.ts';
import type { ChargePath } from './limits.ts';
import type { Refusal } from './transfer.ts';

/**
 * `held`: it may have left, from the moment that its row is on disk. `settled`: it has its amount. `released`: it never
 * left, or the supplier refused it before any model ran.
 */
export const modelRequestStates = ['denied', 'held', 'settled', 'released'] as const;
export type ModelRequestState = (typeof modelRequestStates)[number];

/** How its amount is known: from the supplier's usage, from what arrived of a cut answer, or as its bound. */
export const amountMarks = ['exact', 'estimated', 'unknown'] as const;
export type AmountMark = (typeof amountMarks)[number];

/** Tokens as the supplier counts them. */
export interface TokenCounts {
  /** All input, cached tokens included. */
  input: number;
  /** The part of it that was read from a cache. */
  cachedInput: number;
  /** The part of it that was written into a cache. */
  cacheWrite: number;
  /** All output, reasoning included. */
  output: number;
  reasoning: number;
}

/** The facts of a request before it is decided on. */
export interface ModelRequestTerms extends ChargePath {
  agentId: string;
  /** The API key that asks. */
  keyId: string;
  serviceId: string;
  /** As the supplier names it. */
  model: string;
  wire: string;
  /** The most that it can cost. */
  bound: Usdc;
  /** The prices that it is settled with, as they were when it was decided on. */
  prices: Readonly<Record<string, unknown>>;
}

export interface ModelRequest extends ModelRequestTerms {
  seq: number;
  id: string;
  state: ModelRequestState;
  refusal: Refusal | null;
  policyVersion: number;
  /** The standing approval that it draws on. */
  grantId: string | null;
  /** The client's own: a second request with it is not sent. */
  idempotencyKey: string | null;
  amount: Usdc | null;
  mark: AmountMark | null;
  usage: TokenCounts | null;
  answeredModel: string | null;
  /** The supplier's own id of the request. */
  supplierRequest: string | null;
  /** HTTP status of the supplier's answer. */
  status: number | null;
  /** Unix milliseconds, as are all times. */
  createdAt: number;
  reservedAt: number | null;
  endedAt: number | null;
  /** Of the owner's correction: the request whose time it counts at. */
  corrects: string | null;
}

/** A supplier's invoice for a month (YYYY-MM), as the owner entered it. A further row corrects it. */
export interface ModelInvoice {
  id: string;
  serviceId: string;
  month: string;
  /** Below zero: less than an earlier one said. */
  amount: Usdc;
  /** The part of the liability that it clears. */
  cleared: Usdc;
  createdAt: number;
}

/** The facts that an answer reported, whatever its end. */
export type AnswerFacts = Partial<
  Pick<ModelRequest, 'usage' | 'answeredModel' | 'supplierRequest' | 'status'>
>;

/** Released only with the knowledge that no model ran for it. */
export type ModelRequestEnd = AnswerFacts &
  ({ state: 'settled'; amount: Usdc; mark: AmountMark } | { state: 'released'; refusal: Refusal });
