// Agents, their policies and their API keys in the store.
import type { AgentMarks } from '../../../contract/agents/agent-marks.ts';
import type { Agent, AgentGroup, AgentKey } from '../../domain/agent.ts';
import type { Boost, Limits, LimitsInForce, Scope } from '../../domain/limits.ts';
import type { Policy, PolicyInForce } from '../../domain/policy.ts';

type Grouped = 'groupId' | 'stoppedWith' | 'mayDelegate' | 'refill';

export interface AgentStore {
  /** Assigns the next free wallet index, unless the agent has one. */
  insert(
    agent: Omit<Agent, 'walletIndex' | 'wallet' | keyof AgentMarks | Grouped> &
      Partial<Pick<Agent, 'walletIndex'>>,
    address: (index: number) => string,
  ): Agent;
  get(agentId: string): Agent | undefined;
  list(): Agent[];
  update(
    agentId: string,
    change: Partial<
      Pick<Agent, 'displayName' | 'status' | 'statusReason' | 'archivedAt' | keyof AgentMarks | Grouped>
    >,
  ): Agent;
}

export interface PolicyStore {
  get(agentId: string): PolicyInForce;
  /** A total budget counts from `now` on, unless one was in force before. */
  set(agentId: string, policy: Policy, now: number): PolicyInForce;
  /** The latest time since which a total budget in force counts, in Unix milliseconds; 0 when there is none. */
  newestSince(): number;
  /** The owner's time zone, by its IANA name; null until one is set. */
  zone(): string | null;
  setZone(zone: string, now: number): void;
}

export interface GroupStore {
  insert(group: AgentGroup): void;
  get(id: string): AgentGroup | undefined;
  /** In the order of their creation. */
  list(): AgentGroup[];
  update(id: string, change: Partial<Omit<AgentGroup, 'id' | 'createdAt'>>): AgentGroup;
}

/** The limits of groups, of delegated API keys and of the treasury. Every version is kept. */
export interface LimitStore {
  /** None at all, version 0, of a node that was never given any. */
  get(scope: Scope): LimitsInForce;
  /** A total budget counts from `now` on, unless one was in force before. */
  set(scope: Scope, limits: Limits, now: number): LimitsInForce;
  /** Of every node that was ever given any. */
  list(): (LimitsInForce & { scope: Scope })[];
  /** As that of policies. */
  newestSince(): number;
}

export interface BoostStore {
  /** The boost in force on a node. @param now Unix milliseconds */
  of(scope: Scope, now: number): Boost | null;
  list(now: number): Boost[];
  /** Ends another one of the same node. */
  set(boost: Boost): void;
  end(scope: Scope, now: number): void;
}

export interface KeyStore {
  insert(key: AgentKey): void;
  byHash(hash: string): AgentKey | undefined;
  /** Reads one API key, however many there are. */
  byFingerprint(fingerprint: string): AgentKey | undefined;
  get(id: string): AgentKey | undefined;
  /** The agent's keys, ended ones and delegated ones included. */
  list(agentId: string): AgentKey[];
  /** The delegated keys that this key minted, or the owner for this agent, ended ones included. */
  children(parentId: string): AgentKey[];
  /** The delegated keys in force, of one agent or of all. @param now Unix milliseconds */
  delegated(agentId: string | null, now: number): AgentKey[];
  /** The keys that one key delegated become those of another. */
  adopt(from: string, to: string): void;
  isRevoked(id: string): boolean;
  end(id: string, change: { expiresAt?: number; revokedAt?: number }): void;
}
