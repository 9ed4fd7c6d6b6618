import { describe, expect, it } from 'vitest';
import { sumOf } from '../../renderer/shared/amounts.ts';
import {
  daysOf,
  others,
  ranked,
  seriesOf,
  sinceFirst,
  ticksOf,
  withSettling,
  type Spending,
} from '../../renderer/screens/overview/spending-data.ts';

const now = Date.parse('2026-03-02T23:30:00Z');
const total = (agentId: string, amount: string) => ({ agentId, amount, payments: 1 });
const spending = (agents: readonly ReturnType<typeof total>[]): Spending => ({
  days: agents.map((one) => ({ ...one, day: '2026-03-02' })),
  agents: [...agents],
  services: [],
});

const spent = (day: string): Spending => ({
  days: [{ ...total('a', '1.00'), day }],
  agents: [total('a', '1.00')],
  services: [],
});

describe('the data of the charts', () => {
  it('has every day once, including empty ones, and ends today', () => {
    const days = daysOf(spending([total('a', '1.00')]), [], 30, now);
    expect(days).toHaveLength(30);
    expect([days[0]?.day, days[28]?.day, days[29]?.day]).toEqual(['2026-02-01', '2026-03-01', '2026-03-02']);
    expect(days[28]).toMatchObject({ total: '0.00', payments: 0, parts: { a: 0 } });
    expect(days[29]).toMatchObject({ total: '1.00', payments: 1, parts: { a: 1 } });
  });

  it('begins with the first spending, and has at least a week', () => {
    const shown = (day: string, count: number) => sinceFirst(daysOf(spent(day), [], count, now)).length;
    expect([shown('2026-03-02', 30), shown('2026-02-10', 90), shown('2026-02-01', 30)]).toEqual([7, 21, 30]);
    expect(sinceFirst(daysOf(spent('2025-01-01'), [], 30, now))).toHaveLength(30);
  });

  it('gives colours to the agents that spent most, and adds up the rest', () => {
    const agents = Array.from({ length: 30 }, (_, index) => total(`agent-${index}`, `${index}.10`));
    const series = seriesOf(spending(agents));
    expect(series).toEqual(['agent-29', 'agent-28', 'agent-27', 'agent-26', 'agent-25', others]);
    const today = daysOf(spending(agents), [], 30, now).at(-1);
    expect(today?.total).toBe(sumOf(agents));
    expect(Object.keys(today?.parts ?? {})).toEqual(series);
  });

  it('does not group a single remaining agent', () => {
    const agents = Array.from({ length: 6 }, (_, index) => total(`agent-${index}`, '1.00'));
    expect(seriesOf(spending(agents))).toHaveLength(6);
    expect(seriesOf(spending(agents))).not.toContain(others);
  });

  it('counts settling payments apart from paid ones', () => {
    const settling = ['0.30', '0.20'].map((amount) => ({
      agentId: 'a',
      serviceId: 'weather',
      service: 'Weather',
      amount,
      timestamp: '2026-03-02T20:00:00.000Z',
    }));
    const today = daysOf(spending([total('a', '1.00')]), settling, 30, now).at(-1);
    expect(today).toMatchObject({ total: '1.50', settling: 0.5, payments: 3, parts: { a: 1 } });
    const rows = [{ id: 'a', name: 'A', amount: '1.00', payments: 1 }];
    expect(
      withSettling(rows, [
        { id: 'a', name: 'A', amount: '0.30' },
        { id: 'b', name: 'B', amount: '0.20' },
      ]),
    ).toEqual([
      { id: 'a', name: 'A', amount: '1.30', payments: 2 },
      { id: 'b', name: 'B', amount: '0.20', payments: 1 },
    ]);
  });

  it('has lines at round amounts, from zero to above the highest bar', () => {
    expect(ticksOf(0)).toEqual([0]);
    expect(ticksOf(4.17)).toEqual([0, 2, 4, 6]);
    expect(ticksOf(8)).toEqual([0, 2, 4, 6, 8]);
    for (const most of [0.000001, 0.37, 1, 99.5, 123_456]) {
      const ticks = ticksOf(most);
      expect(ticks.length).toBeLessThanOrEqual(5 + 1);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most * (1 - 1e-9));
    }
  });

  it('ranks by amount, not by text, and loses nothing in the rest', () => {
    const rows = ['9.00', '10.00', '0.50', '0.25'].map((amount, index) => ({
      id: `${index}`,
      name: `s${index}`,
      amount,
      payments: 2,
    }));
    expect(ranked(rows, 3)).toEqual([
      rows[1],
      rows[0],
      { id: '', name: '2 others', amount: '0.75', payments: 4 },
    ]);
    expect(ranked(rows, 4)).toHaveLength(4);
  });
});
