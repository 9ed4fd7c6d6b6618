// A payment, and the facts by which the limits of a node judge it.
import type { Usdc } from '../../money.ts';
import type { Boost, LimitNode, Limits, Refusal } from '../ports.ts';
import type { BudgetWindow, RateWindow, ServiceWindow } from './windows.ts';

export interface LimitedPayment {
  amount: Usdc;
  serviceId: string;
  /** Set for a request to a language model, which is no payment in number. */
  model?: string;
  /** Unix milliseconds. */
  now: number;
}

/** The sums of a node, or of a node at one service. */
export interface WindowSums<Window> {
  /** Open rows, plus the final rows of the window. */
  spent(window: Window): Usdc;
  /** When at least `needed` will have left the window; null when waiting alone does not help. */
  freedAt(window: Window, needed: Usdc): number | null;
}

export interface NodeFacts extends WindowSums<BudgetWindow> {
  node: LimitNode;
  /** The node that pays. It may know its limits and sums, and nothing of the nodes above it. */
  isLowest: boolean;
  /** With the boost in force. */
  limits: Limits;
  boost: Boost | null;
  /** Unix milliseconds; null when nothing was reserved, or when it does not matter. */
  lastReservedAt: number | null;
  /** Only the agent's claim ties the payee to the service: it brought the offer, and the catalog pins no payee. */
  isClaimed: boolean;
  atService(serviceId: string): WindowSums<ServiceWindow>;
  /** The number of payments reserved in the window, but for those that are void. */
  payments(window: RateWindow): number;
  /** When so many of them will have left; null when there are fewer. */
  fewerAt(window: RateWindow, leaving: number): number | null;
  /** The number of requests to language models of the last hour, but for those that were released. */
  modelRequests(): number;
  /** Lamports of network fees, open or paid in 24 hours. */
  fees(): bigint;
  /** When the hours next begin, in Unix milliseconds; null within them, and without any. */
  opensAt(): number | null;
}

export type Rule = (payment: LimitedPayment, facts: NodeFacts) => Refusal | null;
