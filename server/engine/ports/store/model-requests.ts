// Requests to language models in the store.
import type {
  AmountMark,
  ModelInvoice,
  ModelRequest,
  ModelRequestEnd,
  ModelRequestTerms,
} from '../../domain/model-request.ts';
import type { Refusal } from '../../domain/transfer.ts';
import type { Usdc } from '../../../money.ts';
import type { Span } from './books.ts';

/** The cost of requests of one kind: an agent's, to a model of a supplier, on a day. */
export interface ModelUsage {
  /** Midnight (UTC) of its day, in Unix milliseconds. */
  day: number;
  agentId: string;
  serviceId: string;
  model: string;
  mark: AmountMark;
  requests: number;
  amount: Usdc;
  input: number;
  cachedInput: number;
  output: number;
}

export interface ModelRequestStore {
  /** Held, or with a refusal denied. A correction counts at the time that it names. @param at Unix milliseconds */
  insert(
    terms: ModelRequestTerms &
      Pick<ModelRequest, 'id' | 'policyVersion' | 'grantId'> &
      Partial<Pick<ModelRequest, 'corrects' | 'idempotencyKey' | 'reservedAt'>>,
    refusal: Refusal | null,
    at: number,
  ): ModelRequest;
  get(id: string): ModelRequest | undefined;
  /** By the idempotency key of its client. */
  named(agentId: string, idempotencyKey: string): ModelRequest | undefined;
  /**
   * Compare-and-set: null when it is not held. A settled request counts at the time of its reservation.
   * @param at Unix milliseconds
   */
  end(id: string, end: ModelRequestEnd, at: number): ModelRequest | null;
  /** Those that are held, oldest first. */
  held(agentId?: string): ModelRequest[];
  /** Newest first. */
  list(query: {
    agentId?: string;
    keyId?: string;
    before?: number | undefined;
    limit: number;
  }): ModelRequest[];
  /** Of those that are settled and count in a span, with or without their corrections, which are no requests. */
  usage(query: { agentId?: string; keyId?: string; isUncorrected?: boolean } & Span): ModelUsage[];
  /** When the first counts at or after this time; null: none does. */
  countedFrom(from: number): number | null;
  /** Oldest first, as the invoices are. */
  corrections(): ModelRequest[];
  invoices(): ModelInvoice[];
  addInvoice(invoice: ModelInvoice): void;
}
