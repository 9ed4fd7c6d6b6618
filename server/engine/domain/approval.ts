// The owner's word: approvals and standing approvals. Times are Unix milliseconds.
import type { Usdc } from '../../money.ts';

export const approvalKinds = ['payment', 'policy', 'allocate', 'deploy', 'resume', 'standing'] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

export const approvalStatuses = ['pending', 'granted', 'denied', 'expired', 'cancelled'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

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
  /** When the owner’s denial takes effect. Until then it can be undone, and nothing else can be decided. */
  denyAt: number | null;
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
