// Policies, the sums that they count, and the freeze that stops everything.
import type { HeldPolicy } from '../../contract/limits/policy-fields.ts';
import type { Usdc } from '../../money.ts';

export type Policy = HeldPolicy;

export interface PolicyInForce extends Policy {
  version: number;
  /** Unix milliseconds: since when the total budget counts. */
  totalSince: number;
}

/** The sums that the policy counts: open rows, however old, and final rows of the last 24 hours. `fees` in lamports. */
export interface Spent {
  open: Usdc;
  final: Usdc;
  fees: bigint;
}

export interface LifetimeSpent {
  spent: Usdc;
  payments: number;
  /** To language models. */
  requests: number;
}

export interface Freeze {
  since: number;
  reason: string;
}
