// The sums over transfers in the store.
import type { Usdc } from '../../../money.ts';
import type { Scope } from '../../domain/limits.ts';
import type { LifetimeSpent, Spent } from '../../domain/policy.ts';

/** Of an agent at a service, in a span of time: payments, pictures and requests to language models. */
export interface SpentIn {
  agentId: string;
  /** Empty for payments that were restored from the chain. */
  serviceId: string;
  amount: Usdc;
  payments: number;
  /** To language models. */
  requests: number;
}

/**
 * Budgets beyond a day's, and numbers of payments in an hour and a day. Of a node at one service: what is reserved, the
 * spending in 24 hours, and in a month.
 */
export type MeterName = 'week' | 'month' | 'total' | 'hour' | 'day' | 'reserved' | 'spent-day';

export interface MeterKey {
  /** Of a node, or of a node at a service. */
  scope: Scope;
  name: MeterName;
}

export interface SpendStore {
  /** Compares all sums with the rows, which the journal protects while it does not protect the sums, and corrects them. */
  recount(): void;
  /** The sums of a node at `now`; null, here and below, stands for the treasury over all agents. */
  at(scope: Scope | null, now: number): Spent;
  lifetime(agentId: string): LifetimeSpent;
  lastReservedAt(scope: Scope | null): number | null;
  /** An agent's spending on each of the last days (UTC; `day` is its midnight in Unix milliseconds), oldest first. */
  agentByDay(agentId: string, days: number, now: number): { day: number; amount: Usdc }[];
  /** Spending from `from` until before `to`, in Unix milliseconds. An agent may have several rows. */
  between(from: number, to: number, now: number): SpentIn[];
  /** When at least `needed` will have left the window; null when waiting alone does not help, or many rows would tell. */
  freedAt(scope: Scope | null, now: number, needed: Usdc, windowMs: number): number | null;
  /** Final money, or the number of payments reserved, later than `edge` (Unix milliseconds), as known at `now`. */
  above(scope: Scope | null, name: MeterName, edge: number, now: number): bigint;
  /** Micro-USDC that a node has reserved at a service. @param scope as `scopeOfService` names it */
  reservedAt(scope: Scope): bigint;
  /** Begins to keep that sum, one slice of the past for each step. Without it `above` scans history. */
  meter(key: MeterKey, edge: number): Iterable<void>;
  /** Begins to keep that sum where nothing was spent yet, without a look at the rows. */
  meterFromZero(key: MeterKey, edge: number): void;
  /** Keeps no other sums of the node, and of the node at services. */
  meterOnly(scope: Scope, kept: readonly MeterKey[]): void;
  /** Requests to language models that were reserved later than `after` (Unix milliseconds) and not released. */
  modelRequests(scope: Scope | null, after: number): number;
  /** When so many of the payments later than `edge` will have left, if none comes: the reservation of the last of them. */
  paymentLeaves(scope: Scope | null, edge: number, leaving: number): number | null;
}
