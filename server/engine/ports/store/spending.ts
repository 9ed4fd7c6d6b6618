// The sums over transfers in the store.
import type { Usdc } from '../../../money.ts';
import type { LifetimeSpent, Spent } from '../../domain/policy.ts';

export interface SpentOnDay {
  /** Its midnight, UTC, in Unix milliseconds. */
  day: number;
  agentId: string;
  /** Empty for payments that were restored from the chain. */
  serviceId: string;
  amount: Usdc;
  payments: number;
}

/** Sums over some days: largest first, but the days in their order. */
export interface SpentInDays {
  /** An entry for each of the agents that spent most; the others, if any, share one under an empty name. */
  days: Pick<SpentOnDay, 'day' | 'agentId' | 'amount' | 'payments'>[];
  agents: Pick<SpentOnDay, 'agentId' | 'amount' | 'payments'>[];
  services: Pick<SpentOnDay, 'serviceId' | 'amount' | 'payments'>[];
}

/** Of an agent at a service, in a span of time. */
export type SpentIn = Omit<SpentOnDay, 'day'>;

export interface SpendStore {
  /** The agent's sums at `now`, or the whole treasury's when `agentId` is null. */
  at(agentId: string | null, now: number): Spent;
  lifetime(agentId: string): LifetimeSpent;
  lastReservedAt(agentId: string): number | null;
  /** Spending on each of the last days (UTC), by agent and service; oldest first. */
  byDay(days: number, now: number): SpentOnDay[];
  /** The same, summed: fast for any number of agents and services. */
  inDays(days: number, now: number): SpentInDays;
  /** Spending from `from` until before `to`, in Unix milliseconds. An agent may have several rows. */
  between(from: number, to: number, now: number): SpentIn[];
  /** When at least `needed` will have left the window; null when waiting alone does not help. */
  freedAt(agentId: string | null, now: number, needed: Usdc): number | null;
}
