import { describe, expect, it } from 'vitest';
import { policyForm, type PolicyValues } from '../../renderer/screens/agents/policy-form.ts';
import { changesOf } from '../../renderer/screens/agents/rule-changes.ts';
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
const [one, two, three] = [{ dailyBudget: '1.00' }, { dailyBudget: '2.00' }, { dailyBudget: '3.00' }];

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

  it('sends the changed limits at services alone', () => {
    const [old, next] = [
      { maps: two, news: two },
      { maps: one, art: two },
    ].map((serviceLimits) => ({
      ...policy,
      serviceLimits,
    }));
    if (old === undefined || next === undefined) throw new Error('two policies');
    expect(changesOf(old, next)).toEqual({ serviceLimits: { maps: one, news: null, art: two } });
    expect(changesOf(old, { ...old, dailyBudget: '1.00' })).toEqual({ dailyBudget: '1.00' });
  });

  it.each([
    ['another is added', { maps: one }, { maps: two, news: two }, { maps: one, news: two }],
    ['another is taken away', { maps: one, art: two }, { maps: two }, { maps: one }],
    ['another is raised', { maps: one, art: two }, { maps: two, art: one }, { maps: one, art: one }],
    ['the same is raised', { maps: one, art: two }, { maps: three, art: two }, { maps: one, art: two }],
    ['another is added, and the owner took all away', null, { maps: two, news: two }, { news: two }],
    ['none is left, and the owner took one away', { art: two }, null, null],
  ])('keeps the owner’s limit at a service while %s', (_how, typed, next, shown) => {
    const [old, now, then] = [{ maps: two, art: two }, typed, next].map((serviceLimits) =>
      valuesOf({ ...policy, serviceLimits }),
    );
    if (old === undefined || now === undefined || then === undefined) throw new Error('three forms');
    expect(policyOf(followed(now, old, then))?.serviceLimits).toEqual(shown);
  });

  it('keeps one amount at a service that the owner typed, and follows the others there', () => {
    const old = { maps: { dailyBudget: '2.00', maxPerPayment: '1.00' } };
    const typed = { maps: { dailyBudget: '3.00', maxPerPayment: '1.00' } };
    const tightened = { maps: { dailyBudget: '1.50', monthlyBudget: '9.00', maxPerPayment: '0.10' } };
    const [before, now, then] = [old, typed, tightened].map((serviceLimits) => ({
      ...policy,
      serviceLimits,
    }));
    if (before === undefined || now === undefined || then === undefined) throw new Error('three policies');
    const saved = policyOf(followed(valuesOf(now), valuesOf(before), valuesOf(then)));
    expect(saved?.serviceLimits).toEqual({ maps: { ...tightened.maps, dailyBudget: '3.00' } });
  });

  it('follows a field that is switched off, whatever was typed in it', () => {
    const old = valuesOf({ ...policy, approveAbove: null });
    const typed = { ...old, approveAbove: { isSet: false, value: 'much' } };
    expect(followed(typed, old, valuesOf(policy)).approveAbove).toEqual({ isSet: true, value: '0.50' });
  });
});
