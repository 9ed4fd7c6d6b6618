// Limits at single services as a person writes and reads them.
import { describe, expect, it } from 'vitest';
import {
  isWithinServiceLimits,
  limitAt,
  serviceLimitsIn,
  serviceLimitText,
} from '../../server/contract/service-limits.ts';
import { policyFields } from '../../server/contract/policy-fields.ts';
import { raisesOfField } from '../../server/contract/raise.ts';
import { usdc } from '../../server/money.ts';

it.each(['maps 2/day, zz', 'maps 2/day', 'maps/day', 'a "b"', 'é', 'maps.'])(
  'quotes %j, which could read as a limit',
  (id) => {
    const text = serviceLimitText(id, { dailyBudget: '1' });
    expect(text).toBe(id === 'maps.' ? 'maps. 1/day' : `${JSON.stringify(id)} 1/day`);
  },
);

describe('limits at services, as text', () => {
  it.each([
    [
      'web-search 10/day 60/month 1/payment',
      { 'web-search': { dailyBudget: '10', monthlyBudget: '60', maxPerPayment: '1' } },
    ],
    ['maps 0.5/payment,  weather 2/day ', { maps: { maxPerPayment: '0.5' }, weather: { dailyBudget: '2' } }],
    ['https://api.example:8443/v1 3/month', { 'https://api.example:8443/v1': { monthlyBudget: '3' } }],
  ])('reads %s', (text, limits) => {
    expect(serviceLimitsIn(text)).toEqual(limits);
    const written = Object.entries(limits).map(([id, limit]) => serviceLimitText(id, limit));
    expect(serviceLimitsIn(written.join(', '))).toEqual(limits);
  });

  it.each([
    '',
    'maps',
    '10/day',
    'maps 10',
    'maps 10/week',
    'maps 1/day 2/day',
    'maps 1/day x',
    'maps .5/day',
    'a long name 1/day',
    'maps 10/Day 60/month',
    'maps $10/day',
    'maps 1/day, maps 2/month',
    'maps 1/day,',
  ])('refuses %j', (text) => expect(serviceLimitsIn(text)).toBeNull());
});

it('a service has the limits of its own entry alone, whatever its name', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'maps '])
    expect(limitAt({ maps: { dailyBudget: usdc(1n) } }, name)).toBeUndefined();
});

it('narrower limits keep every entry, and widen none', () => {
  const from = { maps: { dailyBudget: usdc(2n) } };
  expect(isWithinServiceLimits(from, { maps: { dailyBudget: usdc(2n), monthlyBudget: usdc(9n) } })).toBe(
    true,
  );
  expect(isWithinServiceLimits(from, { ...from, weather: { maxPerPayment: usdc(9n) } })).toBe(true);
  expect(isWithinServiceLimits(from, { maps: { monthlyBudget: usdc(0n) } })).toBe(false);
  expect(isWithinServiceLimits(from, { maps: { dailyBudget: usdc(3n) } })).toBe(false);
  expect(isWithinServiceLimits(from, { weather: { dailyBudget: usdc(0n) } })).toBe(false);
});

it('an amount at a service that is raised more than ten times over is asked about', () => {
  const field = policyFields.serviceLimits;
  const raises = (to: object) =>
    raisesOfField(field, { maps: { dailyBudget: '1.00' } }, to).map(({ label, times }) => [label, times]);
  expect(raises({ maps: { dailyBudget: '10.00' }, weather: { dailyBudget: '900.00' } })).toEqual([]);
  expect(raises({ maps: { dailyBudget: '11.00' } })).toEqual([
    ['Limits at single services, maps, per day', 11],
  ]);
});
