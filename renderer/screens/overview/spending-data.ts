// Chart data from the treasury's sums. The only place where an amount becomes a floating-point number: for display
// only, never for a decision.
import type { Reply } from '../../../server/contract/schemas.ts';
import { formatUsdc, parseUsdc, usdc } from '../../../server/money.ts';

export type Spending = Reply<'spending'>;

export interface Day {
  /** YYYY-MM-DD, UTC. */
  day: string;
  total: string;
  payments: number;
  /** Amounts by series. */
  parts: Record<string, number>;
}

export const others = 'All others';
const mostSeries = 5;
const dayMs = 86_400_000;

/** The agents with a colour of their own: those that spent most. */
export const seriesOf = ({ agents }: Spending): string[] => {
  const names = [...agents].toSorted(byAmount).map(({ agentId }) => agentId);
  return names.length > mostSeries + 1 ? [...names.slice(0, mostSeries), others] : names;
};

/** The last `count` days, including days without spending. */
export const daysOf = (spending: Spending, count: number, now: number): Day[] => {
  const series = seriesOf(spending);
  const seriesOfAgent = (agentId: string): string => (series.includes(agentId) ? agentId : others);
  const byDay = Map.groupBy(spending.days, ({ day }) => day);
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(now - (count - 1 - index) * dayMs).toISOString().slice(0, 10);
    const rows = byDay.get(day) ?? [];
    const parts: Record<string, number> = Object.fromEntries(series.map((name) => [name, 0]));
    for (const { agentId, amount } of rows) {
      const name = seriesOfAgent(agentId);
      parts[name] = (parts[name] ?? 0) + Number(amount);
    }
    return {
      day,
      parts,
      total: sum(rows.map(({ amount }) => amount)),
      payments: rows.reduce((all, { payments }) => all + payments, 0),
    };
  });
};

export interface Rank {
  id: string;
  name: string;
  amount: string;
  payments: number;
}

/** The `most` largest, and the rest summed as one. */
export const ranked = (rows: readonly Rank[], most: number): Rank[] => {
  const sorted = [...rows].toSorted(byAmount);
  if (sorted.length <= most) return sorted;
  const rest = sorted.slice(most - 1);
  const payments = rest.reduce((all, row) => all + row.payments, 0);
  const name = `${rest.length} others`;
  return [
    ...sorted.slice(0, most - 1),
    { id: '', name, amount: sum(rest.map(({ amount }) => amount)), payments },
  ];
};

export const sum = (amounts: readonly string[]): string =>
  formatUsdc(usdc(amounts.reduce((all, amount) => all + (parseUsdc(amount) ?? 0n), 0n)));

const byAmount = (a: { amount: string }, b: { amount: string }): number => {
  const [one, other] = [parseUsdc(a.amount) ?? 0n, parseUsdc(b.amount) ?? 0n];
  return one === other ? 0 : one < other ? 1 : -1;
};
