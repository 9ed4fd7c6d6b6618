// Agents and their API keys. Times are Unix milliseconds.

import type { AgentMarks } from '../../contract/agent-marks.ts';

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
}

export interface AgentKey {
  id: string;
  agentId: string;
  hash: string;
  label: string;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
}
