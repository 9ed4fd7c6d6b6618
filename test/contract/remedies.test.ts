// The owner's explanation of a refusal; and each of its remedies makes the refused payment possible.
import { describe, expect, it } from 'vitest';
import { labelOf } from '../../server/contract/refusals/remedy.ts';
import { changeOf } from '../../server/contract/refusals/remedy-changes.ts';
import { tellOwner } from '../../server/contract/refusals/to-owner.ts';
import type { Remedy } from '../../server/contract/refusals/remedy.ts';
import type { NodeFacts } from '../../server/engine/limits/node-facts.ts';
import { decide } from '../../server/engine/payment/decision/decide.ts';
import { policyMoved } from '../../server/engine/payment/owner/rejudge.ts';
import {
  accountNeededSince,
  chainUnreachable,
  interrupted,
  noLongerCovered,
  payeeChangedSince,
  paymentFailed,
} from '../../server/engine/payment/decision/refusals.ts';
import type { Refusal } from '../../server/engine/ports.ts';
import { lamports, parseUsdc, usdc, type Usdc } from '../../server/money.ts';
import { allowed, factsFrom, type FlatFacts } from '../harness/engine/facts.ts';

const now = 1_800_000_000_000;
const amountOf = (text: string): Usdc => {
  const amount = parseUsdc(text);
  if (amount === null) throw new Error(`${text} is no amount`);
  return amount;
};

const facts: FlatFacts = { ...allowed, fee: lamports(5n) };
const request = { agentId: 'scout', amount: usdc(1_234_567n), serviceId: 'weather', payee: 'p', now };

const told = (from: FlatFacts) => {
  const decision = decide(request, factsFrom(from));
  if (decision.kind !== 'deny') throw new Error('it is not refused');
  const { code, message, details } = decision.refusal;
  const service = { id: 'weather', name: 'Weather' };
  return { code, ...tellOwner({ agentName: 'Scout', service, failure: { code, message, details } }) };
};

const boosted = (from: FlatFacts, by: Usdc): FlatFacts => {
  const raised = (limit: Usdc | null) => (limit === null ? null : usdc(limit + by));
  const { dailyBudget, weeklyBudget, monthlyBudget } = from.policy;
  return {
    ...from,
    ceiling: raised(from.ceiling),
    policy: {
      ...from.policy,
      dailyBudget: usdc(dailyBudget + by),
      weeklyBudget: raised(weeklyBudget),
      monthlyBudget: raised(monthlyBudget),
    },
  };
};

/** The facts once the owner has applied a remedy. */
const after = (from: FlatFacts, remedy: Remedy): FlatFacts => {
  const { policy } = from;
  switch (remedy.kind) {
    case 'raise_limit':
      return { ...from, policy: { ...policy, [remedy.field]: amountOf(remedy.to) } };
    case 'lift':
      return { ...from, opensAt: null, policy: { ...policy, [remedy.field]: null } };
    case 'raise_service_limit': {
      const limit = policy.serviceLimits?.[remedy.serviceId];
      const raised = { ...limit, [remedy.field]: amountOf(remedy.to) };
      return { ...from, policy: { ...policy, serviceLimits: { [remedy.serviceId]: raised } } };
    }
    case 'raise_rate':
      return { ...from, policy: { ...policy, [remedy.field]: remedy.to } };
    case 'raise_ceiling':
      return { ...from, ceiling: amountOf(remedy.to) };
    case 'allow_service':
      return {
        ...from,
        policy: { ...policy, allowedServices: [...policy.allowedServices, remedy.serviceId] },
      };
    case 'boost':
      return boosted(from, amountOf(remedy.amount));
    case 'unblock_service':
      return { ...from, blockedBy: null };
    case 'give':
      return { ...from, available: usdc(from.available + amountOf(remedy.amount)) };
    default:
      throw new Error(`${remedy.kind} changes no fact of a decision`);
  }
};

const { policy } = facts;
const agentOf = (from: FlatFacts): NodeFacts => {
  const [agent] = factsFrom(from).path;
  if (agent === undefined) throw new Error('a path begins with an agent');
  return agent;
};
const refusedBy: readonly [code: string, from: FlatFacts, sentence: string, label: string | null][] = [
  [
    'max_per_payment',
    { ...facts, policy: { ...policy, maxPerPayment: usdc(250_000n) } },
    'Scout may spend at most 0.25 USDC in one payment. This one was for 1.234567 USDC.',
    'Allow up to 1.234567 USDC per payment',
  ],
  [
    'daily_budget',
    { ...facts, spent: usdc(4_900_000n) },
    'Scout had spent 4.90 of its 5.00 USDC for 24 hours. Another 1.234567 USDC did not fit.',
    'Raise the daily budget to 6.134567 USDC',
  ],
  [
    'weekly_budget',
    { ...facts, spent: usdc(900_000n), policy: { ...policy, weeklyBudget: usdc(2_000_000n) } },
    'Scout had spent 0.90 of its 2.00 USDC for 7 days. Another 1.234567 USDC did not fit.',
    'Raise the weekly budget to 2.134567 USDC',
  ],
  [
    'monthly_budget',
    { ...facts, spent: usdc(900_000n), policy: { ...policy, monthlyBudget: usdc(2_000_000n) } },
    'Scout had spent 0.90 of its 2.00 USDC for the month. Another 1.234567 USDC did not fit.',
    'Raise the monthly budget to 2.134567 USDC',
  ],
  [
    'total_budget',
    { ...facts, spent: usdc(900_000n), policy: { ...policy, totalBudget: usdc(2_000_000n) } },
    'Scout had spent 0.90 of its 2.00 USDC in total. Another 1.234567 USDC did not fit.',
    'Raise the total budget to 2.134567 USDC',
  ],
  [
    'payment_rate',
    { ...facts, payments: 12, policy: { ...policy, paymentsPerHour: 12 } },
    'Scout had made 12 payments in an hour, and you allow 12.',
    'Allow 13 payments in an hour',
  ],
  [
    'payment_rate',
    { ...facts, payments: 40, policy: { ...policy, paymentsPerDay: 30 } },
    'Scout had made 40 payments in 24 hours, and you allow 30.',
    'Allow 41 payments in 24 hours',
  ],
  [
    'service_limit',
    {
      ...facts,
      spent: usdc(900_000n),
      policy: { ...policy, serviceLimits: { weather: { monthlyBudget: usdc(2_000_000n) } } },
    },
    'Scout had spent 0.90 of its 2.00 USDC for the month at Weather. Another 1.234567 USDC did not fit.',
    'Raise the monthly budget at this service to 2.134567 USDC',
  ],
  [
    'service_limit',
    { ...facts, policy: { ...policy, serviceLimits: { weather: { maxPerPayment: usdc(1_000_000n) } } } },
    'Scout may spend at most 1.00 USDC in one payment to Weather. This one was for 1.234567 USDC.',
    'Allow up to 1.234567 USDC per payment to this service',
  ],
  [
    'service_limit',
    { ...facts, disguises: { node: agentOf(facts), serviceId: 'maps' } },
    'The seller of maps, which you limit, was to be paid under another name.',
    null,
  ],
  [
    'outside_hours',
    {
      ...facts,
      opensAt: now + 1,
      policy: { ...policy, activeHours: { days: [1, 2, 3, 4, 5], from: '08:00', to: '19:00' } },
    },
    'Scout may pay only in these hours: Mon-Fri 08:00-19:00.',
    'Let it pay at any hour',
  ],
  [
    'expired',
    { ...facts, policy: { ...policy, expiresAt: now - 60_000 } },
    'You let Scout pay until 2027-01-15 07:59 UTC.',
    'Let it pay without an end',
  ],
  [
    'owner_ceiling',
    { ...facts, ceiling: usdc(1_000_000n), spentByAll: usdc(7_935_005n) },
    'All agents together had spent 7.935005 of your daily limit for all agents, 1.00 USDC. Another 1.234567 USDC did not fit.',
    'Raise your daily limit for all agents to 9.169572 USDC',
  ],
  [
    'service_not_allowed',
    { ...facts, policy: { ...policy, allowedServices: ['maps'] } },
    'Scout may pay only the services that you chose, and Weather is not among them.',
    'Allow this service',
  ],
  [
    'service_not_allowed',
    { ...facts, isClaimed: true, policy: { ...policy, allowedServices: ['maps'] } },
    'Scout may pay only the services that you chose, and Weather is not among them. The name is the agent’s own word: it brought this offer itself, and no payee is pinned for it.',
    null,
  ],
  [
    'service_blocked',
    { ...facts, blockedBy: 'weather' },
    'You blocked Weather for all agents.',
    'Unblock it for all agents',
  ],
  [
    'service_blocked',
    { ...facts, blockedBy: 'https://weather.example' },
    'You blocked https://weather.example for all agents, and Weather is the same seller under another name.',
    'Unblock it for all agents',
  ],
  [
    'insufficient_balance',
    { ...facts, available: usdc(1_000_000n) },
    'Scout had 1.00 USDC left to spend, and this payment was for 1.234567 USDC.',
    'Give it 0.234567 USDC',
  ],
  [
    'cooldown',
    { ...facts, lastReservedAt: now, policy: { ...policy, cooldownSeconds: 60 } },
    'Scout has to wait 60 seconds between two payments.',
    null,
  ],
  [
    'fee_limit',
    { ...facts, feeLimit: 4n },
    'Scout has used up the network fees that one agent may use in 24 hours.',
    null,
  ],
  [
    'rent_limit',
    { ...facts, rent: lamports(5n), rentLimit: 4n },
    'The seller has no USDC account yet, and enough accounts were opened for today. It can be paid tomorrow.',
    null,
  ],
];

/** Offered first: it raises every budget in the way until midnight. */
const boosts: Readonly<Record<string, string>> = {
  daily_budget: 'Allow 1.134567 USDC more today',
  weekly_budget: 'Allow 0.134567 USDC more today',
  monthly_budget: 'Allow 0.134567 USDC more today',
  owner_ceiling: 'Allow 8.169572 USDC more today',
};

/** Refusals that no change of a limit lifts, as the agent is told, and as the owner is. */
const failures: readonly [told: Refusal, said: string][] = [
  [
    interrupted,
    'The treasury was interrupted before it signed this payment. Nothing was spent. Scout can try again.',
  ],
  [
    paymentFailed('The chain refused this payment. Only its network fee was spent.'),
    'The chain refused this payment. Only its network fee was spent. Scout can try again.',
  ],
  [chainUnreachable, 'The Solana network could not be reached. Nothing was spent. Scout can try again.'],
  [
    noLongerCovered('approve_above'),
    'The policy changed meanwhile, and this payment now needs your approval. Nothing was spent. Scout can ask again.',
  ],
  [
    payeeChangedSince,
    'The catalog changed meanwhile: the service names other payees now. Nothing was spent. Scout can ask again.',
  ],
  [
    accountNeededSince,
    'The payee has no USDC account now, and opening one needs your approval. Nothing was spent. Scout can ask again.',
  ],
  // One that waited for the owner, also when it waited for an account.
  [
    { ...policyMoved, details: { approvalId: 'apr_1' } },
    'A stop or a change of the rules declined it before you decided. Scout can ask again.',
  ],
  [
    { ...accountNeededSince, details: { because: 'open_account', approvalId: 'apr_1' } },
    'A stop or a change of the rules declined it before you decided. Scout can ask again.',
  ],
];

describe('a refusal', () => {
  it.each(refusedBy)(
    'by %s is explained to the owner, with the change that lets the next try pass',
    (...row) => {
      const [code, from, sentence, label] = row;
      const found = told(from);
      expect([found.code, found.sentence]).toEqual([code, sentence]);
      const boost = boosts[code];
      const labels = [boost, label].filter((one) => one != null);
      expect(found.remedies.map((one) => labelOf(one))).toEqual(labels);
      for (const remedy of found.remedies)
        expect(decide(request, factsFrom(after(from, remedy))).kind).toBe('allow');
    },
  );

  it.each(failures.map(([refusal, said]) => [refusal.message, said, refusal] as const))(
    'that tells the agent “%s” says to the owner “%s”',
    (message, said, { code, details }) => {
      const failure = { code, message, details: { ...details } };
      expect(tellOwner({ agentName: 'Scout', service: null, failure }).sentence).toBe(said);
    },
  );

  it('without an explanation of its own is shown by its message', () => {
    const failure = { code: 'internal', message: 'The disk is full.', details: {} };
    expect(tellOwner({ agentName: 'Scout', service: null, failure })).toEqual({
      sentence: 'The disk is full.',
      remedies: [],
    });
  });
});

it('a raised limit at a service sends nothing of other services, whose limits may have changed meanwhile', async () => {
  const asked: unknown[] = [];
  const serviceLimits = {
    weather: { dailyBudget: '1.00', maxPerPayment: '0.50' },
    maps: { dailyBudget: '1.00' },
  };
  const ask = (name: string, input: { body?: unknown }) => {
    asked.push([name, input.body]);
    return Promise.resolve({ policy: { serviceLimits } });
  };
  const change = await changeOf(
    { ask } as unknown as Parameters<typeof changeOf>[0],
    { agentId: 'scout', transferId: 'pay_1' },
    { kind: 'raise_service_limit', serviceId: 'weather', field: 'dailyBudget', to: '2.00' },
  );
  await change?.run();
  const raised = { weather: { dailyBudget: '2.00', maxPerPayment: '0.50' } };
  expect(asked.at(-1)).toEqual(['setPolicy', { serviceLimits: raised }]);
});
