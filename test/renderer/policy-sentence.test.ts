import { describe, expect, it } from 'vitest';
import { tellPolicy, usualPolicy } from '../../server/contract/policy-fields.ts';
import { duration, policySentence, type Policy } from '../../renderer/screens/agents/policy-sentence.ts';

const names = new Map([
  ['weather', 'Sandbox Weather'],
  ['maps', 'Maps'],
]);

const plain: Policy = { ...tellPolicy(usualPolicy), dailyBudget: '5.00', maxPerPayment: '1.00' };

const say = (changes: Partial<Policy> = {}): string => policySentence({ ...plain, ...changes }, names);

describe('the sentence about a policy', () => {
  it('names the budget and the most per payment, and that the owner is not asked', () => {
    expect(say()).toBe(
      'It can spend up to 5.00 USDC in any 24 hours, at most 1.00 USDC at a time, on any service. Within these limits it won’t ask you.',
    );
  });

  it('omits a most per payment above the budget', () => {
    expect(say({ maxPerPayment: '5' })).toContain('all of it at once if it wants');
    expect(say({ maxPerPayment: '4.999999' })).toContain('at most 4.999999 USDC at a time');
  });

  it('says that a zero lets it spend nothing, and which field is zero', () => {
    expect(say({ dailyBudget: '0' })).toBe('It can spend nothing: its daily budget is zero.');
    expect(say({ maxPerPayment: '0.00' })).toBe('It can spend nothing: its most per payment is zero.');
  });

  it('names services, or their ids where the catalog does not know them', () => {
    expect(say({ allowedServices: ['weather', 'x.y'] })).toContain('on nothing but Sandbox Weather and x.y.');
  });

  it('names three of many services and counts the rest', () => {
    const allowedServices = ['weather', 'maps', 'c', 'd', 'e'];
    expect(say({ allowedServices })).toContain('nothing but Sandbox Weather, Maps, c and 2 other services');
    expect(say({ allowedServices: allowedServices.slice(0, 4) })).toContain('Sandbox Weather, Maps, c and d');
  });

  it('names the cooldown', () => {
    expect(say({ cooldownSeconds: 90 })).toContain(
      ', and it waits 1 minute and 30 seconds after each payment.',
    );
  });

  it('says when it asks, and what happens without an answer', () => {
    expect(say({ approveAbove: '0.50', newPayees: 'approve' })).toContain(
      'It asks you before it pays more than 0.50 USDC at a time, or it pays somebody for the first time; if you don’t answer within 15 minutes, the payment is declined.',
    );
  });

  it('says “each payment” when it asks above zero', () => {
    expect(say({ approveAbove: '0', newPayees: 'approve', approvalMinutes: 1_440 })).toContain(
      'It asks you before each payment; if you don’t answer within 1 day, the payment is declined.',
    );
  });

  it('does not promise to ask above an amount that it can never pay', () => {
    expect(say({ approveAbove: '1.00' })).toContain('Within these limits it won’t ask you.');
    expect(say({ approveAbove: '0.99' })).toContain('more than 0.99 USDC');
    expect(say({ approveAbove: '5.00', maxPerPayment: '9' })).toContain('won’t ask you');
  });

  it('groups thousands', () => {
    expect(say({ dailyBudget: '1234567.5', maxPerPayment: '1000' })).toContain('1,234,567.50 USDC');
  });
});

describe('a duration', () => {
  it.each([
    [0, 'no time'],
    [1, '1 second'],
    [3_600, '1 hour'],
    [2_592_000, '30 days'],
    [90_061, '1 day, 1 hour, 1 minute and 1 second'],
  ])('%i s is %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
