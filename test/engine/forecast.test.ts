// The forecast: when a budget is used up, and what the month will have cost.
import { describe, expect, it } from 'vitest';
import { monthEnd, usedUpAt } from '../../server/engine/limits/forecast.ts';
import { usdc } from '../../server/money.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A Wednesday. */
const now = Date.UTC(2026, 4, 20, 12);
const month = { now, monthEnds: Date.UTC(2026, 5, 1) };
const rate = { spent: usdc(3_000_000n), payments: 30 };
const day = { window: 'day', limit: usdc(10_000_000n), used: usdc(4_000_000n) } as const;

describe('a budget', () => {
  it('is used up when the rate of the last three hours has taken what is left', () => {
    expect(usedUpAt(day, rate, month)).toEqual({
      at: now + 6 * hourMs,
      basis: 'at the rate of the last three hours, 3.00 USDC in 30 payments',
    });
  });

  it('is not foreseen without a rate, once it is used up, or where it lasts longer than its window', () => {
    expect(usedUpAt(day, { ...rate, payments: 2 }, month)).toBe(null);
    expect(usedUpAt(day, { spent: usdc(0n), payments: 9 }, month)).toBe(null);
    expect(usedUpAt({ ...day, used: day.limit }, rate, month)).toBe(null);
    expect(usedUpAt({ ...day, limit: usdc(29_000_000n) }, rate, month)).toBe(null);
    expect(usedUpAt({ ...day, window: 'week', limit: usdc(29_000_000n) }, rate, month)).not.toBe(null);
    expect(usedUpAt({ ...day, window: 'month', limit: usdc(400_000_000n) }, rate, month)).toBe(null);
  });
});

describe('the end of the month', () => {
  const today = Date.UTC(2026, 4, 20);
  /** So much on each day but weekends. */
  const days = (count: number) =>
    Array.from({ length: count }, (_, index) => today - (count - index) * dayMs).map((one) => ({
      day: one,
      amount: usdc([0, 6].includes(new Date(one).getUTCDay()) ? 0n : 1_000_000n),
    }));

  it('adds the mean of each weekday that is left', () => {
    expect(monthEnd(usdc(14_000_000n), days(28), month)).toEqual({
      // Seven days with payments are left: two of this week, five of the next; 30 and 31 May are a weekend.
      amount: 21_000_000n,
      basis: 'at the pace of its weekdays in the last 4 weeks',
    });
  });

  it('is not foreseen after fewer than seven days with payments, and does not count today', () => {
    expect(monthEnd(usdc(1n), days(8), month)).toBe(null);
    const withToday = [...days(28), { day: today, amount: usdc(900_000_000n) }];
    expect(monthEnd(usdc(14_000_000n), withToday, month)?.amount).toBe(21_000_000n);
  });
});
