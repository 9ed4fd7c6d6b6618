import { describe, expect, it } from 'vitest';
import {
  daysOf,
  others,
  ranked,
  seriesOf,
  sum,
  type Spending,
} from '../../renderer/screens/overview/spending-data.ts';

const now = Date.parse('2026-03-02T23:30:00Z');
const total = (agentId: string, amount: string) => ({ agentId, amount, payments: 1 });
const spending = (agents: readonly ReturnType<typeof total>[]): Spending => ({
  days: agents.map((one) => ({ ...one, day: '2026-03-02' })),
  agents: [...agents],
  services: [],
});

describe('the data of the charts', () => {
  it('has every day once, including empty ones, and ends today', () => {
    const days = daysOf(spending([total('a', '1.00')]), 30, now);
    expect(days).toHaveLength(30);
    expect([days[0]?.day, days[28]?.day, days[29]?.day]).toEqual(['2026-02-01', '2026-03-01', '2026-03-02']);
    expect(days[28]).toMatchObject({ total: '0.00', payments: 0, parts: { a: 0 } });
    expect(days[29]).toMatchObject({ total: '1.00', payments: 1, parts: { a: 1 } });
  });

  it('gives colours to the agents that spent most, and adds up the rest', () => {
    const agents = Array.from({ length: 30 }, (_, index) => total(`agent-${index}`, `${index}.10`));
    const series = seriesOf(spending(agents));
    expect(series).toEqual(['agent-29', 'agent-28', 'agent-27', 'agent-26', 'agent-25', others]);
    const today = daysOf(spending(agents), 30, now).at(-1);
    expect(today?.total).toBe(sum(agents.map(({ amount }) => amount)));
    expect(Object.keys(today?.parts ?? {})).toEqual(series);
  });

  it('does not group a single remaining agent', () => {
    const agents = Array.from({ length: 6 }, (_, index) => total(`agent-${index}`, '1.00'));
    expect(seriesOf(spending(agents))).toHaveLength(6);
    expect(seriesOf(spending(agents))).not.toContain(others);
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
