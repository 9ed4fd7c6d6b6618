// The policy at its edges: the exact amount, and the exact millisecond.
import { describe, expect, it } from 'vitest';
import { decide, type Facts, type Consent } from '../../server/engine/payment/decision/decide.ts';
import { refusalAtGrant } from '../../server/engine/payment/owner/approval.ts';
import type { Policy } from '../../server/engine/ports.ts';
import { lamports, usdc } from '../../server/money.ts';
import { allowed, factsFrom, type FlatFacts } from '../harness/engine/facts.ts';

const now = 1_800_000_000_000;
const facts = (change: Partial<FlatFacts> = {}, policy: Partial<Policy> = {}): Facts =>
  factsFrom({
    ...allowed,
    ...change,
    policy: {
      ...allowed.policy,
      dailyBudget: usdc(1_000_000n),
      maxPerPayment: usdc(500_000n),
      ...policy,
    },
  });
const asked = (amount: bigint, from: Facts): string => {
  const decision = decide({ agentId: 'a', amount: usdc(amount), serviceId: 's', payee: 'p', now }, from);
  return decision.kind === 'deny' ? decision.refusal.code : decision.kind;
};

const cool = (lastReservedAt: number): Facts => facts({ lastReservedAt }, { cooldownSeconds: 60 });

describe('a payment', () => {
  it('is made until the very end of a policy, and not at it', () => {
    expect([asked(1n, facts({}, { expiresAt: now + 1 })), asked(1n, facts({}, { expiresAt: now }))]).toEqual([
      'allow',
      'expired',
    ]);
  });

  it('is the last that a number of payments allows, and the next is not made', () => {
    const rated = (payments: number) => asked(1n, facts({ payments }, { paymentsPerHour: 3 }));
    expect([rated(2), rated(3), rated(4)]).toEqual(['allow', 'payment_rate', 'payment_rate']);
    expect(asked(1n, facts({}, { paymentsPerDay: 0 }))).toBe('payment_rate');
  });

  it('is made at the very end of the cooldown, and not a millisecond before', () => {
    expect(asked(1n, cool(now - 60_000))).toBe('allow');
    expect(asked(1n, cool(now - 59_999))).toBe('cooldown');
  });

  it('may be exactly as large as a limit, and not a unit larger', () => {
    expect([asked(500_000n, facts()), asked(500_001n, facts())]).toEqual(['allow', 'max_per_payment']);
    const spent = facts({ spent: usdc(700_000n) });
    expect([asked(300_000n, spent), asked(300_001n, spent)]).toEqual(['allow', 'daily_budget']);
    const ceiling = facts({ ceiling: usdc(900_000n), spentByAll: usdc(600_000n) });
    expect([asked(300_000n, ceiling), asked(300_001n, ceiling)]).toEqual(['allow', 'owner_ceiling']);
    for (const [field, code] of [
      ['weeklyBudget', 'weekly_budget'],
      ['monthlyBudget', 'monthly_budget'],
      ['totalBudget', 'total_budget'],
    ] as const) {
      const wider = facts(
        { spent: usdc(700_000n) },
        { dailyBudget: usdc(9_000_000n), [field]: usdc(1_000_000n) },
      );
      expect([asked(300_000n, wider), asked(300_001n, wider)]).toEqual(['allow', code]);
    }
    const wallet = facts({ available: usdc(10n) });
    expect([asked(10n, wallet), asked(11n, wallet)]).toEqual(['allow', 'insufficient_balance']);
    const asking = facts({}, { approveAbove: usdc(100n) });
    expect([asked(100n, asking), asked(101n, asking)]).toEqual(['allow', 'hold']);
  });
});

// Each rule refuses alone when all others allow. The order of the rows is the order of the rules: with the facts of a
// row and of any later one, the earlier rule answers.
const rules: readonly [
  code: string,
  change: Partial<FlatFacts>,
  policy: Partial<Policy>,
  waivedBy: readonly Consent[],
][] = [
  ['service_blocked', { blockedBy: 'maps' }, {}, []],
  ['expired', {}, { expiresAt: now }, []],
  ['service_not_allowed', {}, { allowedServices: ['another'] }, []],
  ['max_per_payment', {}, { maxPerPayment: usdc(99n) }, []],
  ['cooldown', { lastReservedAt: now }, { cooldownSeconds: 60 }, ['approval']],
  ['payment_rate', { payments: 3 }, { paymentsPerHour: 3 }, []],
  ['payment_rate', { payments: 9 }, { paymentsPerDay: 9 }, []],
  ['outside_hours', { opensAt: now + 1 }, { activeHours: { days: [1], from: '08:00', to: '09:00' } }, []],
  ['daily_budget', { spent: usdc(999_901n) }, {}, []],
  ['weekly_budget', {}, { weeklyBudget: usdc(99n) }, []],
  ['monthly_budget', {}, { monthlyBudget: usdc(99n) }, []],
  ['total_budget', {}, { totalBudget: usdc(99n) }, []],
  ['owner_ceiling', { ceiling: usdc(1_000n), spentByAll: usdc(901n) }, {}, []],
  ['insufficient_balance', { available: usdc(99n) }, {}, []],
  ['fee_limit', { fee: lamports(5n), feesSpent: 6n, feeLimit: 10n }, {}, []],
  ['rent_limit', { rent: lamports(5n), rentSpent: 6n, rentLimit: 10n }, {}, []],
];
const consents: readonly Consent[] = ['none', 'owner', 'approval'];
const decided = (from: Facts, consent: Consent): string => {
  const request = { agentId: 'a', amount: usdc(100n), serviceId: 's', payee: 'p', now };
  const decision = decide(request, from, consent);
  if (decision.kind === 'deny') return decision.refusal.code;
  return decision.kind === 'hold' ? decision.because : 'allow';
};

describe('a rule', () => {
  it.each(rules)('%s refuses alone, and only the consent that waives it lets the payment pass', (...rule) => {
    const [code, change, policy, waivedBy] = rule;
    for (const consent of consents)
      expect([consent, decided(facts(change, policy), consent)]).toEqual([
        consent,
        waivedBy.includes(consent) ? 'allow' : code,
      ]);
  });

  it('answers before every later rule', () => {
    for (const [at, [code, change, policy]] of rules.entries())
      for (const [, laterChange, laterPolicy] of rules.slice(at + 1))
        expect(decided(facts({ ...laterChange, ...change }, { ...laterPolicy, ...policy }), 'none')).toBe(
          code,
        );
  });

  it('lets an account be opened for a service that the owner confirmed, and asks for any other', () => {
    const rent = { rent: lamports(5n) };
    expect(decided(facts(rent), 'none')).toBe('allow');
    expect(decided(facts({ ...rent, rentLimit: 5n }), 'none')).toBe('allow');
    expect(decided(facts({ rentAllowed: false, rentSpent: 9n, rentLimit: 1n }), 'none')).toBe('allow');
  });
});

describe('a payment that is held for the owner', () => {
  const asking = { approveAbove: usdc(99n) };
  const pinning = { newPayees: 'approve' } as const;
  const changed = { payeeChanged: true };
  const unknown = { payeeKnown: false };
  const opening = { rent: lamports(5n), rentAllowed: false };
  it.each<[string, Partial<FlatFacts>, Partial<Policy>, Record<Consent, string>]>([
    ['a large one', {}, asking, { none: 'approve_above', owner: 'allow', approval: 'allow' }],
    ['one to a new payee', unknown, pinning, { none: 'new_payee', owner: 'allow', approval: 'allow' }],
    ['a new payee that may be paid', unknown, {}, { none: 'allow', owner: 'allow', approval: 'allow' }],
    ['an account to open', opening, {}, { none: 'open_account', owner: 'allow', approval: 'open_account' }],
    // An approval is for the payee that was shown.
    ['a changed payee', changed, {}, { none: 'payee_changed', owner: 'allow', approval: 'payee_changed' }],
    [
      'all of them',
      { ...changed, ...opening, ...unknown },
      { ...asking, ...pinning },
      { none: 'payee_changed', owner: 'allow', approval: 'payee_changed' },
    ],
    [
      'large and new',
      unknown,
      { ...asking, ...pinning },
      { none: 'approve_above', owner: 'allow', approval: 'allow' },
    ],
  ])('%s', (_case, change, policy, expected) => {
    for (const consent of consents)
      expect([consent, decided(facts(change, policy), consent)]).toEqual([consent, expected[consent]]);
  });

  it('names every reason to ask, the first of them first', () => {
    const request = { agentId: 'a', amount: usdc(100n), serviceId: 's', payee: 'p', now };
    const all = facts({ ...changed, ...opening, ...unknown }, { ...asking, ...pinning });
    expect(decide(request, all)).toMatchObject({
      because: 'payee_changed',
      reasons: ['payee_changed', 'open_account', 'approve_above', 'new_payee'],
    });
    expect(decide(request, all, 'approval')).toMatchObject({ reasons: ['payee_changed', 'open_account'] });
  });

  it('is granted for the reasons that the owner was shown, and for no other', () => {
    const request = { agentId: 'a', amount: usdc(100n), serviceId: 's', payee: 'p', now };
    const refusalOf = (change: Partial<FlatFacts>, shown: Record<string, unknown>): unknown =>
      refusalAtGrant(decide(request, facts(change), 'approval'), { shown })?.details['because'] ?? null;
    const account = { opensAccount: '0.00203928 SOL' };
    expect(refusalOf(opening, { because: 'open_account', ...account })).toBe(null);
    expect(refusalOf(opening, { because: 'approve_above', ...account })).toBe(null);
    expect(refusalOf(opening, { because: 'approve_above' })).toBe('open_account');
    expect(refusalOf(changed, { because: 'payee_changed' })).toBe(null);
    expect(refusalOf(changed, { because: 'open_account', ...account })).toBe('payee_changed');
    const both = { ...changed, ...opening };
    expect(refusalOf(both, { because: 'payee_changed' })).toBe('open_account');
    expect(refusalOf(both, { because: 'payee_changed', ...account })).toBe(null);
  });

  it('is refused, and not held, when a limit is in the way', () => {
    for (const [code, change, policy, waivedBy] of rules)
      for (const consent of consents.filter((one) => !waivedBy.includes(one)))
        expect(decided(facts({ ...changed, ...change }, { ...asking, ...policy }), consent)).toBe(code);
  });
});
