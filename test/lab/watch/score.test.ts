// The score of a watch, on cases made by hand.
import { describe, expect, it } from 'vitest';
import { usdc } from '../../../server/money.ts';
import { fixedThresholds } from './fixed-thresholds.ts';
import {
  judgeAccident,
  judgeOrdinary,
  poissonUpperBound,
  score,
  type Accidental,
  type Asked,
  type History,
  type Watch,
} from './score.ts';
import type { Event, LabelledEvent, Trace } from './trace.ts';

const event = (at: number, change: Partial<LabelledEvent> = {}): LabelledEvent => ({
  at,
  service: 'maps',
  payee: 'maps-wallet',
  amount: usdc(100n),
  outcome: 'paid',
  harm: null,
  ...change,
});
const harmful = (at: number, harm = 100n): LabelledEvent => event(at, { harm: usdc(harm) });

const traceOf = (day: readonly LabelledEvent[], history: readonly Event[] = []): Trace => {
  const onset = day.find(({ harm }) => harm !== null)?.at;
  return {
    seed: 1,
    agent: 'coder',
    dailyBudget: usdc(1_000n),
    history,
    day,
    label: onset === undefined ? { kind: 'ordinary', onset: null } : { kind: 'runaway loop', onset },
  };
};
/** Stops at these times. */
const at =
  (...times: number[]): Watch =>
  (_, asked) =>
    times.includes(asked.at) ? { rule: 'a rule', about: asked.service } : null;

const loop = traceOf([event(1), harmful(2), event(3), harmful(4), harmful(5), harmful(6), event(7)]);

describe('an accident', () => {
  it('costs what it took before the stop; the request that is stopped is not made', () => {
    expect(judgeAccident(at(5, 6), loop)).toEqual({
      kind: 'runaway loop',
      isStopped: true,
      loss: 200n,
      share: 0.2,
      requests: 2,
    });
  });

  it('costs all that it took when nothing stops it', () => {
    expect(judgeAccident(at(), loop)).toMatchObject({
      isStopped: false,
      loss: 400n,
      share: 0.4,
      requests: 4,
    });
  });

  it('costs nothing when its first request is stopped, and is stopped by an ordinary request, too', () => {
    expect(judgeAccident(at(2), loop)).toMatchObject({ isStopped: true, loss: 0n, requests: 0 });
    expect(judgeAccident(at(3), loop)).toMatchObject({ isStopped: true, loss: 100n, requests: 1 });
  });

  it('is not stopped before its onset, nor when it is over', () => {
    expect(judgeAccident(at(1), loop)).toMatchObject({ isStopped: false });
    expect(judgeAccident(at(7), loop)).toMatchObject({ isStopped: false });
  });

  it('counts as harm alone what is above the usual price', () => {
    const jump = traceOf([harmful(1, 70n), harmful(2, 70n)]);
    expect(judgeAccident(at(), jump)).toMatchObject({ loss: 140n, share: 0.14 });
  });

  it('is not judged on an ordinary day, nor an ordinary day as one', () => {
    expect(() => judgeAccident(at(), traceOf([event(1)]))).toThrow('seed 1 is an ordinary day');
    expect(() => judgeOrdinary(at(), loop)).toThrow('seed 1 is a day with an accident');
  });
});

describe('a watch', () => {
  it('learns of a request neither its outcome nor its label, and of earlier ones their outcome alone', () => {
    const seen: { history: History; asked: Asked }[] = [];
    const before: Event[] = [{ at: 0, service: 'a', payee: 'b', amount: usdc(1n), outcome: 'refused' }];
    const watch: Watch = ({ today, ...rest }, asked) => {
      seen.push({ history: { ...rest, today: [...today] }, asked });
      return null;
    };
    judgeAccident(watch, traceOf([harmful(1), event(2, { outcome: 'not_delivered' })], before));
    const [first, second] = seen;
    const asked = { at: 1, service: 'maps', payee: 'maps-wallet', amount: 100n };
    expect(first).toStrictEqual({
      history: { dailyBudget: 1_000n, before, today: [] },
      asked: { ...asked, isRefused: false },
    });
    expect(second?.history.today).toStrictEqual([{ ...asked, outcome: 'paid' }]);
    expect(first?.history.before).toBe(second?.history.before);
  });
});

describe('an ordinary day', () => {
  it('is stopped once by a rule for each thing that it is about', () => {
    const day = traceOf([event(1), event(2), event(3, { service: 'news' }), event(4)]);
    expect(judgeOrdinary(at(1, 2, 4), day)).toEqual({ agent: 'coder', falseStops: 1 });
    expect(judgeOrdinary(at(1, 2, 3), day)).toEqual({ agent: 'coder', falseStops: 2 });
    expect(judgeOrdinary(at(), day)).toEqual({ agent: 'coder', falseStops: 0 });
  });
});

const accident = (change: Partial<Accidental>): Accidental => ({
  kind: 'slow leak',
  isStopped: true,
  loss: usdc(10n),
  share: 0.1,
  requests: 1,
  ...change,
});

describe('the score', () => {
  it('takes medians of each kind, and of all but the refusals, which cost nothing', () => {
    const { kinds } = score(
      [
        accident({}),
        accident({ loss: usdc(30n), share: 0.3, isStopped: false, requests: 3 }),
        accident({ loss: usdc(20n), share: 0.2, requests: 2 }),
        accident({ kind: 'refusals', loss: usdc(0n), share: 0, requests: 9 }),
        accident({ kind: 'refusals', loss: usdc(0n), share: 0, requests: 8 }),
      ],
      [],
    );
    expect(kinds).toEqual([
      { kind: 'slow leak', traces: 3, stopped: 2, loss: 20n, share: 0.2, requests: 2 },
      { kind: 'refusals', traces: 2, stopped: 2, loss: 0n, share: 0, requests: 8 },
      { kind: 'all', traces: 5, stopped: 4, loss: 20n, share: 0.2, requests: 2 },
    ]);
  });

  it('counts false stops per 1,000 days, with the upper bound of such a count', () => {
    const days = [
      ...Array.from({ length: 198 }, () => ({ agent: 'coder' as const, falseStops: 0 })),
      { agent: 'trader' as const, falseStops: 3 },
      { agent: 'trader' as const, falseStops: 2 },
    ];
    const { upperBound, ...rest } = score([], days);
    expect(rest).toMatchObject({ days: 200, falseStops: 5, stoppedDays: 2, perThousand: 25 });
    expect(rest.perThousandOf).toEqual([
      { agent: 'coder', perThousand: 0 },
      { agent: 'trader', perThousand: 2_500 },
    ]);
    expect(upperBound).toBeCloseTo(52.565, 3);
  });

  // From tables of the exact one-sided bound: half the chi-squared quantile at 2 (n + 1) degrees of freedom.
  it.each([
    { count: 0, bound: 2.9957 },
    { count: 1, bound: 4.7439 },
    { count: 5, bound: 10.513 },
    { count: 10, bound: 16.9622 },
    { count: 100, bound: 118.0791 },
  ])('bounds a count of $count by $bound', ({ count, bound }) => {
    expect(poissonUpperBound(count)).toBeCloseTo(bound, 3);
  });

  it('has a bound for a count of thousands, too', () => {
    expect(poissonUpperBound(2_000)).toBeGreaterThan(2_000 + 1.6 * Math.sqrt(2_000));
    expect(poissonUpperBound(2_000)).toBeLessThan(2_000 + 1.8 * Math.sqrt(2_000));
  });
});

const minute = 60_000;
const stopsOf = (day: readonly LabelledEvent[], history: readonly Event[] = []): number =>
  judgeOrdinary(fixedThresholds({ payments: 3, times: 5 }), traceOf(day, history)).falseStops;

describe('fixed thresholds', () => {
  it('stop the payment after so many in five minutes, and count no refused ones', () => {
    expect(stopsOf([0, 1, 2, 3].map((one) => event(one * minute)))).toBe(1);
    expect(stopsOf([0, 1, 2, 5].map((one) => event(one * minute)))).toBe(0);
    expect(stopsOf([0, 1, 2, 3].map((one) => event(one * minute, { outcome: 'refused' })))).toBe(0);
  });

  it('stop a payment of more than so many times the service’s median, and none of an unknown service', () => {
    const past = [1, 2, 3].map((one) => event(one, { amount: usdc(BigInt(one) * 10n) }));
    const dear = (amount: bigint, service = 'maps') => [event(100, { amount: usdc(amount), service })];
    expect([stopsOf(dear(101n), past), stopsOf(dear(100n), past)]).toEqual([1, 0]);
    expect(stopsOf(dear(1_000n, 'news'), past)).toBe(0);
    expect(stopsOf([event(1, { service: 'news' }), ...dear(501n, 'news')], past)).toBe(1);
  });
});
