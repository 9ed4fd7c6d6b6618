// Agents, their policies and their API keys in the store.
import type { AgentMarks } from '../../../contract/agent-marks.ts';
import type { Usdc } from '../../../money.ts';
import type { Agent, AgentKey } from '../../domain/agent.ts';
import type { Policy, PolicyInForce } from '../../domain/policy.ts';

export interface AgentStore {
  /** Assigns the next free wallet index, unless the agent has one. */
  insert(
    agent: Omit<Agent, 'walletIndex' | 'wallet' | keyof AgentMarks> & Partial<Pick<Agent, 'walletIndex'>>,
    address: (index: number) => string,
  ): Agent;
  get(agentId: string): Agent | undefined;
  list(): Agent[];
  update(
    agentId: string,
    change: Partial<Pick<Agent, 'displayName' | 'status' | 'statusReason' | 'archivedAt' | keyof AgentMarks>>,
  ): Agent;
}

export interface PolicyStore {
  get(agentId: string): PolicyInForce;
  /** A total budget counts from `now` on, unless one was in force before. */
  set(agentId: string, policy: Policy, now: number): PolicyInForce;
  /** The latest time since which a total budget in force counts, in Unix milliseconds; 0 when there is none. */
  newestSince(): number;
  ceiling(): Usdc | null;
  setCeiling(dailyBudget: Usdc | null, now: number): void;
  /** The owner's time zone, by its IANA name; null until one is set. */
  zone(): string | null;
  setZone(zone: string, now: number): void;
}

export interface KeyStore {
  insert(key: AgentKey): void;
  byHash(hash: string): AgentKey | undefined;
  /** Reads one API key, however many there are. */
  byFingerprint(fingerprint: string): AgentKey | undefined;
  list(agentId: string): AgentKey[];
  isRevoked(id: string): boolean;
  end(id: string, change: { expiresAt?: number; revokedAt?: number }): void;
}
