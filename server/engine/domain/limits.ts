// Where limits hang: on the agent that pays, and on the treasury over all agents. A payment has to fit under every node
// of its path.
import type { Policy } from './policy.ts';

export const nodeKinds = ['agent', 'treasury'] as const;

export interface LimitNode {
  kind: (typeof nodeKinds)[number];
  /** The agent's id; `treasury` for the treasury. */
  id: string;
}

/** The fields of a policy that limit what is paid, rather than ask the owner. */
export const limitFields = [
  'dailyBudget',
  'weeklyBudget',
  'monthlyBudget',
  'totalBudget',
  'maxPerPayment',
  'cooldownSeconds',
  'allowedServices',
  'paymentsPerHour',
  'paymentsPerDay',
  'activeHours',
  'expiresAt',
] as const satisfies readonly (keyof Policy)[];

/** The limits of a node; null sets none. */
export type Limits = { readonly [F in (typeof limitFields)[number]]: Policy[F] | null };

export const noLimits = Object.fromEntries(limitFields.map((field) => [field, null])) as Limits;

export const treasuryNode: LimitNode = { kind: 'treasury', id: 'treasury' };
