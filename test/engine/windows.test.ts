// The edges of the windows in which money and payments count, and the forecast: when a budget is used up, and what the
// month will have cost.
import { describe, expect, it } from 'vitest';
import { noLimits, type Limits } from '../../server/engine/domain/limits.ts';
import type { Hours } from '../../server/contract/limits/hours.ts';
import { createCalendar } from '../../server/engine/limits/calendar.ts';
import { monthEnd, usedUpAt } from '../../server/engine/limits/forecast.ts';
import { edgeOf, metersOf, type Moment } from '../../server/engine/limits/windows.ts';
import { createMonths } from '../../server/lib/local-days.ts';
import { usdc } from '../../server/money.ts';

const hour = 3_600_000;
const day = 24 * hour;
const at = (time: string): number => Date.parse(time);
const monthOf = createMonths();
const momentIn = (zone: string, now: number): Moment => ({
  now,
  month: monthOf(zone, now),
  totalSince: at('2026-03-05T10:00:00Z'),
});

describe('what counts is later than', () => {
  const moment = momentIn('UTC', at('2026-03-10T12:00:00Z'));

  it.each([
    ['hour', '2026-03-10T11:00:00.000Z'],
    ['day', '2026-03-09T12:00:00.000Z'],
    ['week', '2026-03-03T12:00:00.000Z'],
    ['month', '2026-02-28T23:59:59.999Z'],
    ['total', '2026-03-05T09:59:59.999Z'],
  ] as const)('the edge of its %s', (window, edge) => {
    expect(new Date(edgeOf(window, moment)).toISOString()).toBe(edge);
  });
});

describe('a calendar month', () => {
  it.each([
    ['Europe/Lisbon', '2026-03-31T22:59:59.999Z', '2026-03-01T00:00:00.000Z', '2026-03-31T23:00:00.000Z'],
    ['Europe/Lisbon', '2026-03-31T23:00:00.000Z', '2026-03-31T23:00:00.000Z', '2026-04-30T23:00:00.000Z'],
    ['America/New_York', '2026-11-15T00:00:00Z', '2026-11-01T04:00:00.000Z', '2026-12-01T05:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-12-31T09:59:59Z', '2026-11-30T10:00:00.000Z', '2026-12-31T10:00:00.000Z'],
    ['Pacific/Apia', '2011-12-30T09:00:00Z', '2011-12-01T10:00:00.000Z', '2011-12-31T10:00:00.000Z'],
    // Clocks leap over the midnight with which the month begins.
    ['America/Asuncion', '2023-10-05T00:00:00Z', '2023-10-01T04:00:00.000Z', '2023-11-01T03:00:00.000Z'],
  ])('of %s around %s begins and ends by its own clock', (zone, now, from, to) => {
    const month = monthOf(zone, at(now));
    expect([month.from, month.to].map((time) => new Date(time).toISOString())).toEqual([from, to]);
  });

  it('follows the moment back and forth, and another zone', () => {
    const months = createMonths();
    const may = at('2026-05-15T00:00:00Z');
    const starts = [may, may + 30 * 24 * hour, may - 60 * 24 * hour, may].map(
      (now) => months('UTC', now).from,
    );
    expect(starts.map((time) => new Date(time).getUTCMonth() + 1)).toEqual([5, 6, 3, 5]);
    expect(months('Asia/Tokyo', may).from).toBe(at('2026-04-30T15:00:00Z'));
  });
});

const meters = (limits: Partial<Limits>): string[] =>
  metersOf('scout', { ...noLimits, ...limits }).map(({ scope, name }) => `${scope} ${name}`);

it('sums are kept for limits in force alone', () => {
  expect(meters({ dailyBudget: usdc(1n) })).toEqual([]);
  expect(meters({ monthlyBudget: usdc(0n), paymentsPerHour: 0 })).toEqual(['scout month', 'scout hour']);
  const [once, both] = [{ maxPerPayment: usdc(1n) }, { dailyBudget: usdc(1n), monthlyBudget: usdc(2n) }];
  expect(meters({ serviceLimits: { maps: once, 'b@c': both } })).toEqual([
    'scout@b@c reserved',
    'scout@b@c spent-day',
    'scout@b@c month',
  ]);
});

const opens = (zone: string, hours: Hours, now: string): string => {
  const time = createCalendar(() => zone).opensAt(hours, at(now));
  return time === null ? 'open' : new Date(time).toISOString();
};

describe('hours of the owner’s time zone', () => {
  const office = { days: [1, 2, 3, 4, 5], from: '08:00', to: '19:00' };
  const night = { days: [7], from: '01:30', to: '03:30' };
  const early = { days: [5], from: '00:00', to: '00:10' };
  it.each([
    ['Europe/Lisbon', office, '2026-07-06T07:00:00Z', 'open'],
    ['Europe/Lisbon', office, '2026-07-06T06:59:59.999Z', '2026-07-06T07:00:00.000Z'],
    ['Europe/Lisbon', office, '2026-07-06T17:59:59.999Z', 'open'],
    ['Europe/Lisbon', office, '2026-07-06T18:00:00Z', '2026-07-07T07:00:00.000Z'],
    // A weekend over which the clocks change.
    ['Europe/Lisbon', office, '2026-03-27T19:00:00Z', '2026-03-30T07:00:00.000Z'],
    ['Asia/Tokyo', office, '2026-07-05T22:00:00Z', '2026-07-05T23:00:00.000Z'],
    // The clocks leap from 01:00 to 02:00: the hours begin with the first moment that exists.
    ['Europe/Lisbon', night, '2026-03-29T00:30:00Z', '2026-03-29T01:00:00.000Z'],
    ['Europe/Lisbon', night, '2026-03-29T01:00:00Z', 'open'],
    // The whole of them lies in an hour that the clock leaps over: they come on the next of their days.
    ['Africa/Cairo', early, '2026-04-17T12:00:00Z', '2026-04-30T21:00:00.000Z'],
    [
      'America/St_Johns',
      { ...early, days: [7, 1], from: '02:15', to: '02:45' },
      '2026-03-08T04:00:00Z',
      '2026-03-09T04:45:00.000Z',
    ],
    // 01:30 comes twice, and counts as both.
    ['Europe/Lisbon', night, '2026-10-25T00:30:00Z', 'open'],
    ['Europe/Lisbon', night, '2026-10-25T01:15:00Z', '2026-10-25T01:30:00.000Z'],
  ])('%s: %j at %s', (zone, hours, now, expected) => {
    expect(opens(zone, hours, now)).toBe(expected);
  });

  it('follow the zone that the owner sets', () => {
    let zone = 'UTC';
    const calendar = createCalendar(() => zone);
    const now = at('2026-07-06T20:00:00Z');
    const before = calendar.opensAt(office, now);
    zone = 'America/Los_Angeles';
    expect([before, calendar.opensAt(office, now)]).toEqual([at('2026-07-07T08:00:00Z'), null]);
  });
});

it.each([
  ['Europe/Lisbon', '2026-03-28T23:30:00Z', '2026-03-29T00:00:00.000Z'],
  ['Europe/Lisbon', '2026-10-24T23:30:00Z', '2026-10-26T00:00:00.000Z'],
  ['America/Los_Angeles', '2026-03-08T07:59:59Z', '2026-03-08T08:00:00.000Z'],
  ['America/Los_Angeles', '2026-03-08T08:00:00Z', '2026-03-09T07:00:00.000Z'],
  // Clocks leap over midnight there.
  ['America/Santiago', '2026-09-06T03:30:00Z', '2026-09-06T04:00:00.000Z'],
])('the midnight after a moment in %s: %s', (zone, now, expected) => {
  expect(new Date(createCalendar(() => zone).midnightAfter(at(now))).toISOString()).toBe(expected);
});

/** A Wednesday. */
const wednesday = Date.UTC(2026, 4, 20, 12);
const may = { now: wednesday, monthEnds: Date.UTC(2026, 5, 1) };
const rate = { spent: usdc(3_000_000n), payments: 30 };
const budget = { window: 'day', limit: usdc(10_000_000n), used: usdc(4_000_000n) } as const;

describe('the forecast of a budget', () => {
  it('is used up when the rate of the last three hours has taken what is left', () => {
    expect(usedUpAt(budget, rate, may)).toEqual({
      at: wednesday + 6 * hour,
      basis: 'at the rate of the last three hours, 3.00 USDC in 30 payments',
    });
  });

  it('is not foreseen without a rate, once it is used up, or where it lasts longer than its window', () => {
    expect(usedUpAt(budget, { ...rate, payments: 2 }, may)).toBe(null);
    expect(usedUpAt(budget, { spent: usdc(0n), payments: 9 }, may)).toBe(null);
    expect(usedUpAt({ ...budget, used: budget.limit }, rate, may)).toBe(null);
    expect(usedUpAt({ ...budget, limit: usdc(29_000_000n) }, rate, may)).toBe(null);
    expect(usedUpAt({ ...budget, window: 'week', limit: usdc(29_000_000n) }, rate, may)).not.toBe(null);
    expect(usedUpAt({ ...budget, window: 'month', limit: usdc(400_000_000n) }, rate, may)).toBe(null);
  });
});

describe('the forecast of a month', () => {
  const today = Date.UTC(2026, 4, 20);
  /** So much on each day but weekends. */
  const days = (count: number) =>
    Array.from({ length: count }, (_, index) => today - (count - index) * day).map((one) => ({
      day: one,
      amount: usdc([0, 6].includes(new Date(one).getUTCDay()) ? 0n : 1_000_000n),
    }));

  it('adds the mean of each weekday that is left', () => {
    expect(monthEnd(usdc(14_000_000n), days(28), may)).toEqual({
      // Seven days with payments are left: two of this week, five of the next; 30 and 31 May are a weekend.
      amount: 21_000_000n,
      basis: 'judging by the last 4 weeks',
    });
  });

  it('is not foreseen after fewer than seven days with payments, and does not count today', () => {
    expect(monthEnd(usdc(1n), days(8), may)).toBe(null);
    const withToday = [...days(28), { day: today, amount: usdc(900_000_000n) }];
    expect(monthEnd(usdc(14_000_000n), withToday, may)?.amount).toBe(21_000_000n);
  });
});
