// Chart data from the treasury's sums. The only place where an amount becomes a floating-point number: for display
// only, never for a decision.
import type { Reply } from '../../../server/contract/schemas.ts';
import { parseUsdc } from '../../../server/money.ts';
import { sumOf } from '../../shared/amounts.ts';
import type { Settling } from '../../shared/hooks/use-settling.ts';

export type Spending = Reply<'spending'>;

export interface Day {
  /** YYYY-MM-DD. */
  day: string;
  /** With what is settling. */
  total: string;
  payments: number;
  /** To language models. */
  requests: number;
  /** Amounts paid, by series. */
  parts: Record<string, number>;
  settling: number;
}

/** By what the bars are split. */
export type Split = 'agent' | 'group' | 'service';

interface Sum {
  id: string;
  amount: string;
  payments: number;
  requests: number;
}

export interface Sums {
  totals: readonly (Sum & { name: string })[];
  days: readonly (Sum & { day: string })[];
}

/** @param agentName of the agents, whose names are the page's */
export const sumsOf = (
  { agents, services, groups, ...spending }: Spending,
  agentName: (agentId: string) => string,
): Record<Split, Sums> => ({
  agent: {
    totals: agents.map((row) => ({ ...row, id: row.agentId, name: agentName(row.agentId) })),
    days: spending.days.map((row) => ({ ...row, id: row.agentId })),
  },
  group: {
    totals: groups.map((row) => ({ ...row, id: row.groupId })),
    days: spending.groupDays.map((row) => ({ ...row, id: row.groupId })),
  },
  service: {
    totals: services.map((row) => ({ ...row, id: row.serviceId, name: row.service })),
    days: spending.serviceDays.map((row) => ({ ...row, id: row.serviceId })),
  },
});

/** The series of all that have none of their own. */
export const others = '';
/** As many colors are far enough apart. */
const mostSeries = 6;

/** Those with a color of their own: the largest, and then the others. */
export const seriesOf = ({ totals }: Pick<Sums, 'totals'>): string[] => {
  const ids = totals.toSorted(byAmount).flatMap(({ id }) => (id === others ? [] : [id]));
  const hasOthers = ids.length > mostSeries || totals.length > ids.length;
  return hasOthers ? [...ids.slice(0, mostSeries), others] : ids;
};

/** In degrees of OKLCH. Neighbors in rank differ in lightness too; each stands out from a light and a dark card by 3 : 1. */
const hues = [255, 55, 150, 335, 200, 95];

const byRank = (_: string, rank: number): string => `oklch(${rank % 2 === 0 ? 0.5 : 0.6} 0.13 ${hues[rank]})`;

/** The colors that these have elsewhere, or six hues that are far apart, by rank; gray for all others. */
export const seriesColors =
  (series: readonly string[], colorOf = byRank) =>
  (id: string): string => {
    const rank = id === others ? -1 : series.indexOf(id);
    return rank < 0 ? 'var(--mantine-color-gray-5)' : colorOf(id, rank);
  };

const dayMs = 86_400_000;

/** The last `count` days of the zone, including days without spending. */
export const daysOf = (
  sums: Sums,
  settling: readonly Settling[],
  count: number,
  { now, zone }: { now: number; zone: string },
): Day[] => {
  const series = seriesOf(sums);
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone });
  const dayOf = (time: number): string => format.format(time);
  const today = Date.parse(dayOf(now));
  const byDay = Map.groupBy(sums.days, ({ day }) => day);
  const settlingByDay = Map.groupBy(settling, ({ timestamp }) => dayOf(Date.parse(timestamp)));
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(today - (count - 1 - index) * dayMs).toISOString().slice(0, 10);
    const [rows, open] = [byDay.get(day) ?? [], settlingByDay.get(day) ?? []];
    const parts: Record<string, number> = Object.fromEntries(series.map((id) => [id, 0]));
    for (const { id: own, amount } of rows) {
      const id = series.includes(own) ? own : others;
      parts[id] = (parts[id] ?? 0) + Number(amount);
    }
    return {
      day,
      parts,
      settling: Number(sumOf(open)),
      total: sumOf([...rows, ...open]),
      ...usesIn([...rows, { payments: open.length, requests: 0 }]),
    };
  });
};

type Use = Pick<Sum, 'payments' | 'requests'>;

export const usesIn = (rows: readonly Use[]): Use => ({
  payments: rows.reduce((all, { payments }) => all + payments, 0),
  requests: rows.reduce((all, { requests }) => all + requests, 0),
});

const leastDays = 7;

/** Whether anything was spent, also if all of it came back. */
export const isUsed = ({ payments, requests }: Use): boolean => payments + requests > 0;

/** Without the days before the first spending, so that the bars of a new treasury are no sliver; at least a week. */
export const sinceFirst = (days: readonly Day[]): readonly Day[] => {
  const first = days.findIndex(isUsed);
  return days.slice(Math.max(0, Math.min(first, days.length - leastDays)));
};

export type Rank = Sums['totals'][number];

export const settlingBy = (
  by: 'agent' | 'service',
  settling: readonly Settling[],
  agentName: (agentId: string) => string,
): Omit<Rank, keyof Use>[] =>
  settling.map(({ agentId, serviceId, service, amount }) =>
    by === 'agent'
      ? { id: agentId ?? '', name: agentName(agentId ?? ''), amount }
      : { id: serviceId ?? '', name: service, amount },
  );

/** Adds what is settling to its row, or to a new one. */
export const withSettling = (rows: readonly Rank[], settling: readonly Omit<Rank, keyof Use>[]): Rank[] => {
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { id, name, amount } of settling) {
    const { amount: before, payments, requests } = byId.get(id) ?? { amount: '0', payments: 0, requests: 0 };
    byId.set(id, {
      id,
      name,
      amount: sumOf([{ amount: before }, { amount }]),
      payments: payments + 1,
      requests,
    });
  }
  return [...byId.values()];
};

/** The `most` largest, and the rest summed as one. Those whose payments were all paid back are not counted. */
export const ranked = (rows: readonly Rank[], most: number): Rank[] => {
  const sorted = rows.filter((row) => isUsed(row) || parseUsdc(row.amount) !== 0n).toSorted(byAmount);
  if (sorted.length <= most) return sorted;
  const rest = sorted.slice(most - 1);
  return [
    ...sorted.slice(0, most - 1),
    {
      id: '',
      name: `${rest.length} others`,
      amount: sumOf(rest),
      ...usesIn(rest),
    },
  ];
};

const byAmount = (a: { amount: string }, b: { amount: string }): number => {
  const [one, other] = [parseUsdc(a.amount) ?? 0n, parseUsdc(b.amount) ?? 0n];
  return one === other ? 0 : one < other ? 1 : -1;
};
