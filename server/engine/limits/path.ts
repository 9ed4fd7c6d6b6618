// The nodes that a payment is charged to, from the agent up to the treasury, with their limits and sums.
import { invariant } from '../../errors.ts';
import { subUsdc, usdc, type Usdc } from '../../money.ts';
import { noLimits, treasuryNode, type Limits, type LimitNode } from '../domain/limits.ts';
import type { Store } from '../ports.ts';
import type { Calendar } from './calendar.ts';
import type { NodeFacts } from './node-rules.ts';
import { edgeOf, rollingMs, type BudgetWindow, type Moment } from './windows.ts';

export interface Sums {
  store: Pick<Store, 'policies' | 'spend'>;
  calendar: Calendar;
}

interface Charged {
  agentId: string;
  isClaimed: boolean;
  /** Unix milliseconds. */
  now: number;
  /** The payment's own row, once it is reserved: its reservation does not count against it. */
  own: { amount: Usdc; reservedAt: number | null } | null;
}

/** Read it in the transaction that acts on the decision. */
export const pathOf = (sums: Sums, charged: Charged): NodeFacts[] => {
  const { policies } = sums.store;
  const { totalSince, ...policy } = policies.get(charged.agentId);
  const agent: Node = {
    scope: charged.agentId,
    node: { kind: 'agent', id: charged.agentId },
    limits: policy,
    totalSince,
  };
  const treasury: Node = {
    scope: null,
    node: treasuryNode,
    limits: { ...noLimits, dailyBudget: policies.ceiling() },
    totalSince: 0,
  };
  return [factsOf(sums, charged, agent), factsOf(sums, charged, treasury)];
};

interface Node {
  /** Of the sums: an agent's id, or null for all agents. */
  scope: string | null;
  node: LimitNode;
  limits: Limits;
  totalSince: number;
}

const factsOf = (
  { store: { spend }, calendar }: Sums,
  { isClaimed, now, own }: Charged,
  { scope, node, limits, totalSince }: Node,
): NodeFacts => {
  const moment: Moment = { now, month: calendar.monthAt(now), totalSince };
  const reservedAt = own?.reservedAt ?? null;
  const held = own !== null && reservedAt !== null ? own.amount : usdc(0n);
  const finalIn = (window: BudgetWindow): Usdc =>
    window === 'day'
      ? spend.at(scope, now).final
      : usdc(spend.above(scope, window, edgeOf(window, moment), now));
  const cooled = limits.cooldownSeconds ?? 0;
  return {
    node,
    limits,
    isClaimed,
    lastReservedAt: cooled === 0 || reservedAt !== null ? null : spend.lastReservedAt(scope),
    opensAt: () => (limits.activeHours === null ? null : calendar.opensAt(limits.activeHours, now)),
    spent(window) {
      const { open } = spend.at(scope, now);
      const spent = subUsdc(usdc(open + finalIn(window)), held);
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
