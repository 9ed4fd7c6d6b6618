// Agents and their API keys. Times are Unix milliseconds.

import type { AgentMarks } from '../../contract/agents/agent-marks.ts';
import type { Usdc } from '../../money.ts';

export const agentStatuses = ['active', 'suspended'] as const;
export type AgentStatus = (typeof agentStatuses)[number];

export interface Agent extends AgentMarks {
  agentId: string;
  walletIndex: number;
  wallet: string;
  displayName: string;
  status: AgentStatus;
  /** Why it is suspended; null when the owner suspended it without a reason. */
  statusReason: string | null;
  createdAt: number;
  archivedAt: number | null;
  groupId: string | null;
  /** The group whose stop suspended it. */
  stoppedWith: string | null;
  /** Whether it may mint API keys for others. */
  mayDelegate: boolean;
  refill: Refill | null;
}

/** When what the wallet can spend falls under `below`, the treasury allocates up to `to`, and `perDay` in 24 hours. */
export interface Refill {
  below: Usdc;
  to: Usdc;
  perDay: Usdc;
}

/** The owner's folder of agents. */
export interface AgentGroup {
  id: string;
  name: string;
  createdAt: number;
  /** Since when its agents are suspended together. */
  stoppedAt: number | null;
  archivedAt: number | null;
}

export interface AgentKey {
  id: string;
  agentId: string;
  hash: string;
  label: string;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
  /** Null: one of the agent's own. */
  delegated: Delegation | null;
}

export interface Delegation {
  /** The API key that minted it; the agent's id when the owner did. */
  parentId: string;
  /** 1 under the agent itself, to 3. */
  level: number;
}
