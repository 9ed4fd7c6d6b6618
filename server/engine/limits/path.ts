// The nodes that a payment is charged to, from the one that pays up to the treasury, with their limits and sums.
import { invariant } from '../../errors.ts';
import { addUsdc, subUsdc, usdc, type Usdc } from '../../money.ts';
import {
  scopeOfAll,
  scopeOfGroup,
  scopeOfService,
  scopesOf,
  treasuryNode,
  type ChargePath,
  type LimitNode,
  type Limits,
  type Scope,
} from '../domain/limits.ts';
import type { Boost, Spent, Store, Transfer } from '../ports.ts';
import type { Calendar } from './calendar.ts';
import type { NodeFacts } from './node-facts.ts';
import {
  boostedWindows,
  budgetFields,
  edgeOf,
  rollingMs,
  serviceMeters,
  type BudgetWindow,
  type Moment,
  type ServiceWindow,
} from './windows.ts';

export interface Sums {
  store: Pick<Store, 'agents' | 'boosts' | 'groups' | 'keys' | 'policies' | 'limits' | 'spend'>;
  calendar: Calendar;
}

interface Charged extends ChargePath {
  agentId: string;
  isClaimed: boolean;
  /** Unix milliseconds. */
  now: number;
  /** The payment's own row, once it is reserved: its reservation does not count against it. */
  own: (Pick<Transfer, 'groupId' | 'reservedAt'> & { amount: Usdc }) | null;
}

/** Read it in the transaction that acts on the decision. */
export const pathOf = (sums: Sums, charged: Charged): NodeFacts[] =>
  nodesOf(sums.store, charged).map((node, at) => factsOf(sums, charged, { ...node, isLowest: at === 0 }));

/** The use of one node's limits, by every payer. @param now Unix milliseconds */
export const nodeNow = (sums: Sums, scope: Scope, now: number): NodeFacts => {
  const found = { ...inForce(sums.store, scope, now), holdsOwn: true, isLowest: true };
  return factsOf(sums, { now, isClaimed: false, own: null }, found);
};

/** The node whose sums are kept under this name. */
export const nodeOf = ({ agents, groups, keys }: Named, scope: Scope): LimitNode => {
  if (scope === scopeOfAll) return treasuryNode;
  const [kind, id] = scope.split(':', 2);
  if (id === undefined) return { kind: 'agent', id: scope, name: agents.get(scope)?.displayName ?? scope };
  if (kind === 'group') return { kind, id, name: groups.get(id)?.name ?? id };
  return { kind: 'key', id, name: keys.get(id)?.label ?? id };
};

type Named = Pick<Store, 'agents' | 'groups' | 'keys'>;

interface Node {
  scope: Scope;
  node: LimitNode;
  limits: Limits;
  totalSince: number;
  boost: Boost | null;
  /** False for a group that the agent joined since the reservation. */
  holdsOwn: boolean;
}

/** The limits in force, with its boost if there is one. @param now Unix milliseconds */
export const inForce = (
  store: Named & Pick<Store, 'boosts' | 'policies' | 'limits'>,
  scope: Scope,
  now: number,
): Omit<Node, 'holdsOwn'> => {
  const node = nodeOf(store, scope);
  const { totalSince, ...limits } =
    node.kind === 'agent' ? store.policies.get(scope) : store.limits.get(scope);
  const boost = store.boosts.of(scope, now);
  return { scope, node, limits: boosted(limits, boost), totalSince, boost };
};

const boosted = (limits: Limits, boost: Boost | null): Limits => {
  if (boost === null) return limits;
  const raised = boostedWindows.flatMap((window) => {
    const limit = limits[budgetFields[window]];
    return limit === null ? [] : [[budgetFields[window], addUsdc(limit, boost.amount)]];
  });
  return { ...limits, ...Object.fromEntries(raised) };
};

const nodesOf = (store: Sums['store'], { agentId, keyPath, groupId, own, now }: Charged): Node[] => {
  const joined = store.agents.get(agentId)?.groupId ?? null;
  const scopes = scopesOf({ agentId, keyPath, groupId });
  // The group that the agent is in now binds it too, next to that of the reservation.
  if (joined !== null && joined !== groupId) scopes.splice(-1, 0, scopeOfGroup(joined));
  return scopes.map((scope) => ({
    ...inForce(store, scope, now),
    holdsOwn: own === null || joined === null || joined === groupId || scope !== scopeOfGroup(joined),
  }));
};

const factsOf = (
  { store: { spend }, calendar }: Sums,
  { isClaimed, now, own }: Pick<Charged, 'isClaimed' | 'now' | 'own'>,
  { scope, node, limits, totalSince, boost, holdsOwn, isLowest }: Node & { isLowest: boolean },
): NodeFacts => {
  const moment: Moment = { now, month: calendar.monthAt(now), totalSince };
  const reservedAt = holdsOwn ? (own?.reservedAt ?? null) : null;
  const held = own !== null && reservedAt !== null ? own.amount : usdc(0n);
  const spending = (reserved: bigint, final: bigint): Usdc => {
    const spent = subUsdc(usdc(reserved + final), held);
    invariant(spent >= 0n, 'spent sums are never negative');
    return spent;
  };
  // More than all final rows together: nothing says when open ones will leave.
  const freedAt = (of: Scope, window: BudgetWindow, final: bigint, needed: Usdc): number | null => {
    if (window === 'total' || needed > final) return null;
    return window === 'month' ? moment.month.to : spend.freedAt(of, now, needed, rollingMs[window]);
  };
  let read: Spent | undefined;
  const ofDay = (): Spent => (read ??= spend.at(scope, now));
  const finalIn = (window: BudgetWindow): bigint =>
    window === 'day' ? ofDay().final : spend.above(scope, window, edgeOf(window, moment), now);
  const cooled = limits.cooldownSeconds ?? 0;
  return {
    node,
    isLowest,
    limits,
    boost,
    isClaimed,
    lastReservedAt: cooled === 0 || reservedAt !== null ? null : spend.lastReservedAt(scope),
    opensAt: () => (limits.activeHours === null ? null : calendar.opensAt(limits.activeHours, now)),
    fees: () => ofDay().fees,
    spent: (window) => spending(ofDay().open, finalIn(window)),
    freedAt: (window, needed) => freedAt(scope, window, finalIn(window), needed),
    atService(serviceId) {
      const part = scopeOfService(scope, serviceId);
      const finalAt = (window: ServiceWindow): bigint =>
        spend.above(part, serviceMeters[window], edgeOf(window, moment), now);
      return {
        spent: (window) => spending(spend.reservedAt(part), finalAt(window)),
        freedAt: (window, needed) => freedAt(part, window, finalAt(window), needed),
      };
    },
    payments(window) {
      const edge = edgeOf(window, moment);
      const counted = Number(spend.above(scope, window, edge, now));
      return reservedAt !== null && reservedAt > edge ? counted - 1 : counted;
    },
    modelRequests: () =>
      spend.modelRequests(scope, now - rollingMs.hour) -
      (reservedAt !== null && reservedAt > now - rollingMs.hour ? 1 : 0),
    fewerAt(window, leaving) {
      const last = spend.paymentLeaves(scope, edgeOf(window, moment), leaving);
      return last === null ? null : last + rollingMs[window];
    },
  };
};
