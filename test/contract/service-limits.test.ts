// Limits at single services as a person writes and reads them.
import { describe, expect, it } from 'vitest';
import {
  isWithinServiceLimits,
  limitAt,
  serviceLimitsIn,
  serviceLimitText,
} from '../../server/contract/service-limits.ts';
import { usdc } from '../../server/money.ts';

describe('limits at services, as text', () => {
  it.each([
    [
      'web-search 10/day 60/month 1/payment',
      { 'web-search': { dailyBudget: '10', monthlyBudget: '60', maxPerPayment: '1' } },
    ],
    ['maps 0.5/payment,  weather 2/day ', { maps: { maxPerPayment: '0.5' }, weather: { dailyBudget: '2' } }],
    ['https://api.example:8443/v1 3/month', { 'https://api.example:8443/v1': { monthlyBudget: '3' } }],
    ['a long name 1/day', { 'a long name': { dailyBudget: '1' } }],
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
