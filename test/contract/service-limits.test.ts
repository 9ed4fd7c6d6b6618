// Limits at single services as a person writes and reads them.
import { describe, expect, it } from 'vitest';
import {
  isWithinServiceLimits,
  limitAt,
  serviceLimitsChange,
  serviceLimitsIn,
  serviceLimitText,
  tellServiceLimits,
  withServiceLimits,
  type ServiceLimits,
} from '../../server/contract/limits/service-limits.ts';
import { policyFields } from '../../server/contract/limits/policy-fields.ts';
import { raisesOfField } from '../../server/contract/limits/raise.ts';
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
    ['maps none, weather 2/day', { maps: null, weather: { dailyBudget: '2' } }],
    ['https://api.example:8443/v1 3/month', { 'https://api.example:8443/v1': { monthlyBudget: '3' } }],
  ])('reads %s', (text, limits) => {
    expect(serviceLimitsIn(text)).toEqual(limits);
    const written = Object.entries(limits).map(([id, limit]) =>
      limit === null ? `${id} none` : serviceLimitText(id, limit),
    );
    expect(serviceLimitsIn(written.join(', '))).toEqual(limits);
  });

  it.each([
    '',
    'maps',
    '10/day',
    'maps 10',
    'none',
    'maps none 1/day',
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

describe('a change of limits at services', () => {
  const [one, two, three] = [usdc(1n), usdc(2n), usdc(3n)].map((dailyBudget) => ({ dailyBudget }));
  const before = { maps: one, weather: two } as ServiceLimits;

  it('leaves those at services that it does not name', () => {
    expect(withServiceLimits(before, { maps: three ?? null })).toEqual({ maps: three, weather: two });
    expect(withServiceLimits(before, { maps: null })).toEqual({ weather: two });
    expect(withServiceLimits(before, { maps: null, weather: null })).toBeNull();
    expect(withServiceLimits(null, { maps: one ?? null })).toEqual({ maps: one });
    expect(withServiceLimits(before, null)).toBeNull();
  });

  it('names the services alone at which two differ, and leads from one to the other', () => {
    const after = { weather: two, news: three } as ServiceLimits;
    const change = serviceLimitsChange(tellServiceLimits(before), tellServiceLimits(after));
    expect(change).toEqual({ maps: null, news: { dailyBudget: '0.000003' } });
    expect(withServiceLimits(before, { maps: null, news: three ?? null })).toEqual(after);
    expect(serviceLimitsChange(tellServiceLimits(after), tellServiceLimits(after))).toBeNull();
    expect(serviceLimitsChange(tellServiceLimits({ maps: one } as ServiceLimits), null)).toEqual({
      maps: null,
    });
  });
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
