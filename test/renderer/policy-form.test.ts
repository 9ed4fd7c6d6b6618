import { describe, expect, it } from 'vitest';
import { changesOf, policyForm, type PolicyValues } from '../../renderer/screens/agents/policy-form.ts';
import { tellPolicy, usualPolicy } from '../../server/contract/policy-fields.ts';
import type { Policy } from '../../renderer/screens/agents/policy-sentence.ts';

const { errorsOf, followed, toldOf: policyOf, valuesOf } = policyForm;

const policy: Policy = {
  ...tellPolicy(usualPolicy),
  dailyBudget: '5.00',
  maxPerPayment: '1.00',
  cooldownSeconds: 5_400,
  allowedServices: ['weather'],
  approveAbove: '0.50',
  newPayees: 'approve',
  approvalMinutes: 15,
};

const values = valuesOf(policy);

describe('the form of a policy', () => {
  it.each([0, 1, 90, 600, 5_400, 3_600, 86_400, 2_592_000])(
    'returns an unchanged policy, with a cooldown of %i s',
    (cooldownSeconds) => {
      const before = { ...policy, cooldownSeconds };
      expect(policyOf(valuesOf(before))).toEqual(before);
      expect(changesOf(before, policyOf(valuesOf(before)) ?? policy)).toEqual({});
    },
  );

  it('shows a cooldown in the largest unit that divides it', () => {
    expect(valuesOf(policy)).toMatchObject({
      cooldownSeconds: { count: '90', unit: 'minutes' },
    });
    expect(valuesOf({ ...policy, cooldownSeconds: 172_800 })).toMatchObject({
      cooldownSeconds: { count: '2', unit: 'days' },
    });
  });

  it('drops the amount to ask above when asking is off', () => {
    expect(
      policyOf({ ...values, approveAbove: { ...values.approveAbove, isSet: false } })?.approveAbove,
    ).toBeNull();
  });

  it.each([
    ['dailyBudget', { dailyBudget: '1,5' }],
    ['dailyBudget', { dailyBudget: '' }],
    ['maxPerPayment', { maxPerPayment: '-1' }],
    ['approveAbove.value', { approveAbove: { isSet: true, value: 'much' } }],
    ['cooldownSeconds.count', { cooldownSeconds: { count: '1.5', unit: 'minutes' } }],
    ['cooldownSeconds.count', { cooldownSeconds: { count: '43201', unit: 'minutes' } }],
    ['approvalMinutes', { approvalMinutes: '0' }],
    ['approvalMinutes', { approvalMinutes: '1441' }],
  ] as [string, Partial<PolicyValues>][])('refuses %s: %o', (path, change) => {
    const wrong = { ...values, ...change };
    expect(Object.keys(errorsOf(wrong))).toEqual([path]);
    expect(policyOf(wrong)).toBeNull();
  });

  it('treats the same amount in another spelling as no change', () => {
    expect(changesOf(policy, { ...policy, dailyBudget: '5', approveAbove: '0.5' })).toEqual({});
  });

  it('sends only the changed fields', () => {
    expect(
      changesOf(policy, { ...policy, approveAbove: null, allowedServices: [], maxPerPayment: '1.01' }),
    ).toEqual({ approveAbove: null, allowedServices: [], maxPerPayment: '1.01' });
  });

  it('follows a policy that changes meanwhile, but keeps the owner’s input', () => {
    const old = valuesOf(policy);
    const typed = { ...old, maxPerPayment: '0.75' };
    const next = valuesOf({ ...policy, dailyBudget: '2.00', maxPerPayment: '0.50' });
    expect(followed(typed, old, next)).toEqual({ ...next, maxPerPayment: '0.75' });
  });

  it('follows a field that is switched off, whatever was typed in it', () => {
    const old = valuesOf({ ...policy, approveAbove: null });
    const typed = { ...old, approveAbove: { isSet: false, value: 'much' } };
    expect(followed(typed, old, valuesOf(policy)).approveAbove).toEqual({ isSet: true, value: '0.50' });
  });
});
