// The nodes that a payment is charged to, from the one that pays up to the treasury, with their limits and sums.
import { invariant } from '../../errors.ts';
import { addUsdc, subUsdc, usdc, type Usdc } from '../../money.ts';
import {
  scopeOfAll,
  scopeOfGroup,
  scopeOfKey,
  treasuryNode,
  type ChargePath,
  type LimitNode,
  type Limits,
  type Scope,
} from '../domain/limits.ts';
import type { Spent, Store, Transfer } from '../ports.ts';
import type { Calendar } from './calendar.ts';
import type { NodeFacts } from './node-rules.ts';
import { edgeOf, rollingMs, type BudgetWindow, type Moment } from './windows.ts';

export interface Sums {
  store: Pick<Store, 'agents' | 'groups' | 'keys' | 'policies' | 'limits' | 'spend'>;
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

/** What is used of one node's limits, whoever pays. @param now Unix milliseconds */
export const nodeNow = (sums: Sums, node: LimitNode, scope: Scope, now: number): NodeFacts => {
  const { totalSince, ...limits } = sums.store.limits.get(scope);
  const found = { scope, node, limits, totalSince, holdsOwn: true, isLowest: true };
  return factsOf(sums, { now, isClaimed: false, own: null }, found);
};

interface Node {
  scope: Scope;
  node: LimitNode;
  limits: Limits;
  totalSince: number;
  /** False for a group that the agent joined since the reservation. */
  holdsOwn: boolean;
}

const nodesOf = (store: Sums['store'], { agentId, keyPath, groupId, own }: Charged): Node[] => {
  const limited = (scope: Scope, node: LimitNode, holdsOwn = true): Node => {
    const { totalSince, ...limits } = store.limits.get(scope);
    return { scope, node, limits, totalSince, holdsOwn };
  };
  const group = (id: string | null) => {
    const name = id === null ? undefined : store.groups.get(id)?.name;
    if (id === null || name === undefined) return [];
    return [limited(scopeOfGroup(id), { kind: 'group', id, name }, own === null || own.groupId === id)];
  };
  const key = (id: string, at: number) =>
    limited(scopeOfKey(at + 1, id), { kind: 'key', id, name: store.keys.get(id)?.label ?? id });
  const { totalSince, ...policy } = store.policies.get(agentId);
  const agent = store.agents.get(agentId);
  const node: LimitNode = { kind: 'agent', id: agentId, name: agent?.displayName ?? agentId };
  const joined = agent?.groupId ?? null;
  return [
    ...keyPath.map(key).toReversed(),
    { scope: agentId, node, limits: policy, totalSince, holdsOwn: true },
    ...group(groupId),
    ...(joined === groupId ? [] : group(joined)),
    limited(scopeOfAll, treasuryNode),
  ];
};

const factsOf = (
  { store: { spend }, calendar }: Sums,
  { isClaimed, now, own }: Pick<Charged, 'isClaimed' | 'now' | 'own'>,
  { scope, node, limits, totalSince, holdsOwn, isLowest }: Node & { isLowest: boolean },
): NodeFacts => {
  const moment: Moment = { now, month: calendar.monthAt(now), totalSince };
  const reservedAt = holdsOwn ? (own?.reservedAt ?? null) : null;
  const held = own !== null && reservedAt !== null ? own.amount : usdc(0n);
  let read: Spent | undefined;
  const ofDay = (): Spent => (read ??= spend.at(scope, now));
  const finalIn = (window: BudgetWindow): Usdc =>
    window === 'day' ? ofDay().final : usdc(spend.above(scope, window, edgeOf(window, moment), now));
  const cooled = limits.cooldownSeconds ?? 0;
  return {
    node,
    isLowest,
    limits,
    isClaimed,
    lastReservedAt: cooled === 0 || reservedAt !== null ? null : spend.lastReservedAt(scope),
    opensAt: () => (limits.activeHours === null ? null : calendar.opensAt(limits.activeHours, now)),
    fees: () => ofDay().fees,
    spent(window) {
      const spent = subUsdc(addUsdc(ofDay().open, finalIn(window)), held);
      invariant(spent >= 0n, 'spent sums are never negative');
      return spent;
    },
    freedAt(window, needed) {
      // More than all final rows together: nothing says when open ones will leave.
      if (window === 'total' || needed > finalIn(window)) return null;
      return window === 'month' ? moment.month.to : spend.freedAt(scope, now, needed, rollingMs[window]);
    },
    payments(window) {
      const edge = edgeOf(window, moment);
      const counted = Number(spend.above(scope, window, edge, now));
      return reservedAt !== null && reservedAt > edge ? counted - 1 : counted;
    },
    fewerAt(window, leaving) {
      const last = spend.paymentLeaves(scope, edgeOf(window, moment), leaving);
      return last === null ? null : last + rollingMs[window];
    },
  };
};
