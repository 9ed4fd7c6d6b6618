// The labelled traces are what they say, and stay what they were before there was a rule.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { dayMs } from './chances.ts';
import { accidents, agentKinds, parts, type Trace } from './trace.ts';
import { accidentDay, busiestDay, ordinaryDay } from './traces.ts';

const textOf = (trace: Trace): string =>
  JSON.stringify(trace, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
const seeds = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const withAccident = seeds(1, 300).map((seed) => accidentDay(seed));
const ordinary = seeds(1, 160).map((seed) => ordinaryDay(seed));
const all = [...withAccident, ...ordinary];

describe('a trace', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(textOf(accidentDay(7))).toBe(textOf(accidentDay(7)));
    expect(textOf(ordinaryDay(7))).toBe(textOf(ordinaryDay(7)));
    expect(new Set(all.map(textOf)).size).toBe(all.length);
  });

  it('is what it was when it was committed, before there was a rule', () => {
    // The rules are judged by these traces. A change of them changes every judgement before it.
    const hash = createHash('sha256');
    for (const trace of [...withAccident.slice(0, 48), ...ordinary.slice(0, 48)]) hash.update(textOf(trace));
    expect(hash.digest('hex')).toBe('517979738f33287d7431925cbdf719471865a5dac744911553dc0defc285d23d');
  });

  it('is one day from midnight to midnight, in order, after at most 14 days of history', () => {
    for (const { history, day } of all) {
      const times = [...history, ...day].map(({ at }) => at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      const midnight = Math.floor((day[0]?.at ?? history.at(-1)?.at ?? 0) / dayMs) * dayMs;
      if (day.length === 0) continue;
      expect(day.every(({ at }) => at >= midnight && at < midnight + dayMs)).toBe(true);
      expect(history.every(({ at }) => at >= midnight - 14 * dayMs && at < midnight)).toBe(true);
    }
  });

  it('never spends more than the daily budget in any 24 hours', () => {
    const over = all.filter(
      ({ history, day, dailyBudget }) => busiestDay([...history, ...day]) > Number(dailyBudget),
    );
    expect(over.map(({ seed }) => seed)).toEqual([]);
  });

  it('asks for more than nothing, each time', () => {
    expect(all.every(({ history, day }) => [...history, ...day].every(({ amount }) => amount > 0n))).toBe(
      true,
    );
  });
});

describe('an ordinary day', () => {
  it('holds no harm', () => {
    expect(ordinary.every(({ day }) => day.every(({ harm }) => harm === null))).toBe(true);
  });

  it('is of each kind of agent as often, and of a new one without a past or with a day of it', () => {
    const kinds = Map.groupBy(ordinary, ({ agent }) => agent);
    expect(agentKinds.map((kind) => kinds.get(kind)?.length)).toEqual(agentKinds.map(() => 20));
    for (const { history } of kinds.get('new agent') ?? [])
      expect(new Set(history.map(({ at }) => Math.floor(at / dayMs))).size).toBeLessThanOrEqual(1);
    expect(kinds.get('new agent')?.some(({ history }) => history.length === 0)).toBe(true);
  });
});

describe('a day with an accident', () => {
  it('begins it at the label’s onset, within the day', () => {
    for (const { day, label } of withAccident) {
      expect(day.find(({ harm }) => harm !== null)?.at).toBe(label.onset);
      expect(day[0]?.at).toBeLessThanOrEqual(label.onset ?? 0);
    }
  });

  it('counts what is paid above the usual as harm, and what is refused as none', () => {
    for (const { day } of withAccident)
      for (const { harm, amount, outcome } of day)
        expect(harm === null || (outcome === 'refused' ? harm === 0n : harm > 0n && harm <= amount)).toBe(
          true,
        );
  });

  it('takes of a price that jumped only what is above the usual one', () => {
    const jumps = withAccident.filter(({ label }) => label.kind === 'price jump');
    for (const { day } of jumps)
      expect(day.every(({ harm, amount }) => harm === null || harm < amount)).toBe(true);
  });

  it('is of each kind 25 times in each half, and of each kind with each kind of agent', () => {
    for (const [first, last] of [parts.tune.accidents, parts.report.accidents]) {
      const half = withAccident.filter(({ seed }) => seed >= first && seed <= last);
      const kinds = Map.groupBy(half, ({ label }) => label.kind);
      expect(accidents.map((kind) => kinds.get(kind)?.length)).toEqual(accidents.map(() => 25));
    }
    const pairs = new Set(withAccident.map(({ label, agent }) => `${label.kind} of ${agent}`));
    expect(pairs.size).toBe(accidents.length * agentKinds.length);
  });

  it('is in one half alone', () => {
    for (const what of ['accidents', 'ordinary'] as const)
      expect(parts.tune[what][1]).toBeLessThan(parts.report[what][0]);
  });
});
