// Requests as the inbox reads them: their kind, the fields that a policy would loosen, and the end of a standing
// approval.
import { describe, expect, it } from 'vitest';
import { changesOf } from '../../renderer/screens/approvals/policy-changes.ts';
import { requestOf, wordsOf } from '../../renderer/screens/approvals/request.ts';
import { untilOf } from '../../renderer/screens/approvals/until.ts';

const policy = {
  dailyBudget: '5.00',
  maxPerPayment: '1.00',
  cooldownSeconds: 60,
  allowedServices: ['a', 'b'],
  approveAbove: '0.50',
  newPayees: 'approve',
  approvalMinutes: 15,
};
const loosens = (change: object, from: object = {}): boolean[] =>
  changesOf({ ...policy, ...from }, { ...policy, ...from, ...change }).map((one) => one.loosens);

describe('a requested policy', () => {
  it('shows only the fields that would change', () => {
    expect(changesOf(policy, policy)).toEqual([]);
    expect(changesOf(policy, { ...policy, dailyBudget: '9.00' })).toEqual([
      {
        label: 'Daily budget',
        before: { kind: 'amount', amount: '5.00' },
        after: { kind: 'amount', amount: '9.00' },
        loosens: true,
        raises: [],
      },
    ]);
  });

  it.each<[string, object, object?]>([
    ['a higher budget', { dailyBudget: '5.000001' }],
    ['a higher limit for one payment', { maxPerPayment: '10.00' }],
    ['a shorter pause', { cooldownSeconds: 0 }],
    ['a further service', { allowedServices: ['a', 'c'] }],
    ['every service', { allowedServices: [] }],
    ['asking above more', { approveAbove: '0.60' }],
    ['never asking', { approveAbove: null }],
    ['paying new payees', { newPayees: 'allow' }],
    ['a longer time to answer', { approvalMinutes: 60 }],
    ['an amount that nobody can read', { dailyBudget: 'lots' }],
  ])('marks %s as allowing more', (_, change, from) => {
    expect(loosens(change, from)).toEqual([true]);
  });

  it.each<[string, object, object?]>([
    ['a lower budget, though its digits sort higher', { dailyBudget: '9.00' }, { dailyBudget: '10.00' }],
    ['a longer pause', { cooldownSeconds: 61 }],
    ['fewer services', { allowedServices: ['a'] }],
    ['some services instead of every one', { allowedServices: ['a'] }, { allowedServices: [] }],
    ['asking where it never asked', { approveAbove: '100.00' }, { approveAbove: null }],
    ['asking before new payees', { newPayees: 'approve' }, { newPayees: 'allow' }],
  ])('does not mark %s', (_, change, from) => {
    expect(loosens(change, from)).toEqual([false]);
  });
});

const payee = (payeeIsNew: unknown): unknown => {
  const request = requestOf({ kind: 'payment', shown: { payeeIsNew } });
  return request.kind === 'payment' && request.recipients[0]?.payeeIsNew;
};

const payeesOf = (shown: object): unknown => {
  const request = requestOf({ kind: 'payment', shown: { payee: 'one', ...shown } });
  return request.kind === 'payment' && request.payees;
};

describe('a request', () => {
  it('counts a payee as new unless the treasury says that it is not', () => {
    expect([payee(true), payee(undefined), payee('no'), payee(false)]).toEqual([true, true, true, false]);
  });

  it('names the payees of a standing approval: the shown ones, or else the payment’s', () => {
    expect(payeesOf({ payees: ['one', 'two'] })).toEqual(['one', 'two']);
    for (const payees of [undefined, [], 'two', [2]]) expect(payeesOf({ payees })).toEqual(['one']);
  });

  it('carries the agent’s own words, and takes nothing else for them', () => {
    expect(wordsOf({ shown: { reason: 'why', description: 'what' } })).toEqual({
      reason: 'why',
      description: 'what',
    });
    expect(wordsOf({ shown: { reason: ['why'] } })).toEqual({ reason: '', description: '' });
  });

  it('takes only text for text', () => {
    const request = requestOf({ kind: 'deploy', shown: { newAgentId: { toString: 'x' }, displayName: 7 } });
    expect(request).toMatchObject({ newAgentId: '', displayName: '' });
  });
});

describe('the end of a standing approval', () => {
  const now = Date.parse('2026-03-04T05:06:07.000Z');
  it('is the chosen number of hours ahead', () => {
    expect(untilOf('24', '', now)).toBe('2026-03-05T05:06:07.000Z');
  });

  it('is the end of a chosen day on this machine’s clock', () => {
    const until = new Date(untilOf('date', '2026-03-09', now) ?? 0);
    expect([until.getDate(), until.getHours(), until.getMinutes()]).toEqual([9, 23, 59]);
  });

  it('is null for a past or an invalid day', () => {
    expect(untilOf('date', '2026-03-02', now)).toBeNull();
    expect(untilOf('date', '', now)).toBeNull();
  });
});
