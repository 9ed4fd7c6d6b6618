// The policy at its edges: the very amount, and the very millisecond.
import { describe, expect, it } from 'vitest';
import { usualPolicy } from '../../server/contract/policy-fields.ts';
import { decide, type Facts } from '../../server/engine/payment/decide.ts';
import { lamports, usdc } from '../../server/money.ts';

const now = 1_800_000_000_000;
const facts = (change: Partial<Facts> = {}, policy: Partial<Facts['policy']> = {}): Facts => ({
  policy: {
    version: 1,
    ...usualPolicy,
    dailyBudget: usdc(1_000_000n),
    maxPerPayment: usdc(500_000n),
    ...policy,
  },
  spent: 0n,
  ceiling: null,
  spentByAll: 0n,
  lastReservedAt: null,
  payeeKnown: true,
  payeeChanged: false,
  available: 10_000_000n,
  fee: lamports(0n),
  feesSpent: 0n,
  feeLimit: null,
  rent: lamports(0n),
  rentSpent: 0n,
  rentLimit: null,
  rentAllowed: true,
  freedAt: () => null,
  ...change,
});
const asked = (amount: bigint, from: Facts): string => {
  const decision = decide({ agentId: 'a', amount: usdc(amount), serviceId: 's', payee: 'p', now }, from);
  return decision.kind === 'deny' ? decision.refusal.code : decision.kind;
};

const cool = (lastReservedAt: number): Facts => facts({ lastReservedAt }, { cooldownSeconds: 60 });

describe('a payment', () => {
  it('is made at the very end of the cooldown, and not a millisecond before', () => {
    expect(asked(1n, cool(now - 60_000))).toBe('allow');
    expect(asked(1n, cool(now - 59_999))).toBe('cooldown');
  });

  it('may be exactly as large as a limit, and not a unit larger', () => {
    expect([asked(500_000n, facts()), asked(500_001n, facts())]).toEqual(['allow', 'max_per_payment']);
    const spent = facts({ spent: 700_000n });
    expect([asked(300_000n, spent), asked(300_001n, spent)]).toEqual(['allow', 'daily_budget']);
    const ceiling = facts({ ceiling: usdc(900_000n), spentByAll: 600_000n });
    expect([asked(300_000n, ceiling), asked(300_001n, ceiling)]).toEqual(['allow', 'owner_ceiling']);
    const wallet = facts({ available: 10n });
    expect([asked(10n, wallet), asked(11n, wallet)]).toEqual(['allow', 'insufficient_balance']);
    const asking = facts({}, { approveAbove: usdc(100n) });
    expect([asked(100n, asking), asked(101n, asking)]).toEqual(['allow', 'hold']);
  });
});
