// The nodes that carry limits, and the path from the one that pays up to the treasury. A payment has to fit under every
// node of its path.
import type { Usdc } from '../../money.ts';
import { limitFields, type HeldLimits } from '../../contract/limits/policy-fields.ts';

export const nodeKinds = ['key', 'agent', 'group', 'treasury'] as const;

export interface LimitNode {
  kind: (typeof nodeKinds)[number];
  /** The id of the API key, the agent or the group; `treasury` for the treasury. */
  id: string;
  /** As the owner knows it. */
  name: string;
}

export const treasuryNode: LimitNode = { kind: 'treasury', id: 'treasury', name: 'All agents' };

/** The nodes that a payment is charged to beside its agent and the treasury. A row keeps those of its reservation. */
export interface ChargePath {
  /** Delegated API keys: the agent's child first, and last the one that pays. */
  keyPath: readonly string[];
  groupId: string | null;
}

export const ownPath: ChargePath = { keyPath: [], groupId: null };

/** The name under which the sums of a node are kept: an agent's id as it is, and an empty text for the treasury. */
export type Scope = string;

export const scopeOfAll: Scope = '';
/** @param level of a delegated API key: 1 to 3 */
export const scopeOfKey = (level: number, keyId: string): Scope => `key${level}:${keyId}`;
export const scopeOfGroup = (groupId: string): Scope => `group:${groupId}`;

/** The part of a node's sums that one service has. Ids of nodes hold no `@`. */
export const scopeOfService = (scope: Scope, serviceId: string): Scope => `${scope}@${serviceId}`;

/** The node, and the service for a part of its sums. */
export const partsOfScope = (scope: Scope): { node: Scope; serviceId: string | null } => {
  const at = scope.indexOf('@');
  return at < 0
    ? { node: scope, serviceId: null }
    : { node: scope.slice(0, at), serviceId: scope.slice(at + 1) };
};

/** From the paying node up to the treasury. */
export const scopesOf = ({ agentId, keyPath, groupId }: ChargePath & { agentId: string | null }): Scope[] => [
  ...keyPath.map((keyId, at) => scopeOfKey(at + 1, keyId)).toReversed(),
  ...(agentId === null ? [] : [agentId]),
  ...(groupId === null ? [] : [scopeOfGroup(groupId)]),
  scopeOfAll,
];

/** The limits of a node; null sets none. */
export type Limits = HeldLimits;

export interface LimitsInForce extends Limits {
  /** 0 until somebody sets one. */
  version: number;
  /** Unix milliseconds: since when the total budget counts. */
  totalSince: number;
}

/** Since when a total budget counts that is set now, in Unix milliseconds: a change of its amount does not begin it anew. */
export const totalSinceOf = (
  before: Pick<LimitsInForce, 'totalBudget' | 'totalSince'> | undefined,
  now: number,
): number => (before === undefined || before.totalBudget === null ? now : before.totalSince);

/** The day, the week and the month of one node, raised together until a time. */
export interface Boost {
  id: string;
  scope: Scope;
  amount: Usdc;
  /** Unix milliseconds. */
  until: number;
  createdAt: number;
}

export const noLimits = Object.fromEntries(limitFields.map((field) => [field, null])) as Limits;
