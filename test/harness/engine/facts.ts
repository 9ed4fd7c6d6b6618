// The facts of a decision in a flat form: an agent and its policy, under the owner's ceiling. All rules allow them.
import { usualPolicy } from '../../../server/contract/limits/policy-fields.ts';
import { noLimits, treasuryNode } from '../../../server/engine/domain/limits.ts';
import type { NodeFacts } from '../../../server/engine/limits/node-facts.ts';
import { elseAllowed, type Facts } from '../../../server/engine/payment/decision/decide.ts';
import type { Policy } from '../../../server/engine/ports.ts';
import { usdc, type Usdc } from '../../../server/money.ts';

export interface FlatFacts extends Omit<Facts, 'path' | 'policy'> {
  policy: Policy;
  /** Of the agent, in any window. */
  spent: Usdc;
  lastReservedAt: number | null;
  ceiling: Usdc | null;
  spentByAll: Usdc;
  isClaimed: boolean;
  /** Of the agent, in any window. */
  payments: number;
  opensAt: number | null;
  freedAt(needed: Usdc): number | null;
}

export const allowed: FlatFacts = {
  policy: { ...usualPolicy, dailyBudget: usdc(5_000_000n), maxPerPayment: usdc(2_000_000n) },
  spent: usdc(0n),
  lastReservedAt: null,
  ceiling: null,
  spentByAll: usdc(0n),
  isClaimed: false,
  payments: 0,
  opensAt: null,
  freedAt: () => null,
  ...elseAllowed,
  payeeKnown: true,
  available: usdc(10_000_000n),
};

export const factsFrom = (flat: FlatFacts): Facts => {
  const { spent, lastReservedAt, ceiling, spentByAll, isClaimed, payments, opensAt, freedAt, ...rest } = flat;
  const agent: NodeFacts = {
    node: { kind: 'agent', id: 'scout', name: 'Scout' },
    isLowest: true,
    boost: null,
    limits: rest.policy,
    spent: () => spent,
    lastReservedAt,
    isClaimed,
    freedAt: (_, needed) => freedAt(needed),
    payments: () => payments,
    modelRequests: () => 0,
    fewerAt: () => null,
    atService: () => ({ spent: () => spent, freedAt: (_, needed) => freedAt(needed) }),
    fees: () => 0n,
    opensAt: () => opensAt,
  };
  const treasury: NodeFacts = {
    ...agent,
    node: treasuryNode,
    isLowest: false,
    limits: { ...noLimits, dailyBudget: ceiling },
    spent: () => spentByAll,
    atService: () => ({ spent: () => spentByAll, freedAt: () => null }),
    lastReservedAt: null,
  };
  return { ...rest, path: [agent, treasury] };
};
