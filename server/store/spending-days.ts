// Sums spending for the owner's charts. Past days are summed once and kept: a chart redrawn after each payment reads
// only today's rows.
import type { SpentInDays, SpentOnDay } from '../engine/ports.ts';
import { addUsdc, subUsdc, usdc, type Usdc } from '../money.ts';
import type { Db } from './db.ts';
import { mapper } from './row.ts';

const dayMs = 86_400_000;
/** The agents that spent most are shown one by one, day by day; the others together, without a name. */
const mostAgents = 20;

type Column = 'day' | 'agent_id' | 'service_id';
type Sums = Map<string, { amount: Usdc; payments: number }>;
type Summed = Record<Column, Sums>;

interface SpendingDays {
  inDays(days: number, now: number): SpentInDays;
  /** Call when a day's sums change. */
  changed(day: number): void;
}

export const createSpendingDays = (db: Db): SpendingDays => {
  const by = (column: Column) =>
    db.prepare(
      `SELECT ${column} AS name, sum(amount) AS amount, sum(payments) AS payments FROM spending_day
       WHERE day > ? AND day <= ? GROUP BY 1`,
    );
  const statements = { day: by('day'), agent_id: by('agent_id'), service_id: by('service_id') };
  const eachDay = db.prepare(/* sql */ `
    SELECT spending_day.day, sum(amount) AS amount, sum(payments) AS payments
    FROM json_each(@days) AS days CROSS JOIN spending_day ON spending_day.day = days.value AND agent_id = @agentId
    GROUP BY spending_day.day ORDER BY spending_day.day`);

  const sumUp = (after: number, until: number): Summed => {
    const of = (column: Column): Sums =>
      new Map(statements[column].all(after, until).map((row) => [toName[column](row), toSum(row)]));
    return { day: of('day'), agent_id: of('agent_id'), service_id: of('service_id') };
  };

  const daysOf = (agentId: string, { day }: Summed): OnDay[] =>
    eachDay
      .all({ agentId, days: JSON.stringify([...day.keys()].map(Number)) })
      .map((row) => ({ day: toDay(row) * dayMs, agentId, ...toSum(row) }));

  let kept: { after: number; until: number; sums: Summed; byAgent: Map<string, OnDay[]> } | null = null;
  const ended = (after: number, until: number) => {
    if (kept?.after !== after || kept.until !== until)
      kept = { after, until, sums: sumUp(after, until), byAgent: new Map() };
    const { sums, byAgent } = kept;
    return {
      sums,
      daysOf(agentId: string): OnDay[] {
        const days = byAgent.get(agentId) ?? daysOf(agentId, sums);
        byAgent.set(agentId, days);
        return days;
      },
    };
  };

  return {
    inDays(days, now) {
      const today = Math.floor(now / dayMs);
      const before = ended(today - days, today - 1);
      const after = sumUp(today - 1, Number.MAX_SAFE_INTEGER);
      const all = (column: Column): Sums => added(before.sums[column], after[column]);
      const agents = largestFirst(all('agent_id'));
      const rows = agents
        .slice(0, mostAgents)
        .flatMap(([agentId]) => [...before.daysOf(agentId), ...daysOf(agentId, after)])
        .toSorted((a, b) => a.day - b.day || (a.agentId < b.agentId ? -1 : 1));
      return {
        days: agents.length > mostAgents ? withOthers(rows, all('day')) : rows,
        agents: agents.map(([agentId, sum]) => ({ agentId, ...sum })),
        services: largestFirst(all('service_id')).map(([serviceId, sum]) => ({ serviceId, ...sum })),
      };
    },
    changed(day) {
      if (kept !== null && day <= kept.until) kept = null;
    },
  };
};

const added = (one: Sums, other: Sums): Sums => {
  const sums = new Map(one);
  for (const [name, { amount, payments }] of other) {
    const before = sums.get(name) ?? { amount: usdc(0n), payments: 0 };
    sums.set(name, { amount: addUsdc(before.amount, amount), payments: before.payments + payments });
  }
  return sums;
};

const largestFirst = (sums: Sums) =>
  [...sums].toSorted(([, a], [, b]) => (a.amount === b.amount ? 0 : a.amount < b.amount ? 1 : -1));

type OnDay = Pick<SpentOnDay, 'day' | 'agentId' | 'amount' | 'payments'>;

/** The others spent what is left of each day's sum. */
const withOthers = (rows: readonly OnDay[], ofDays: Sums): OnDay[] => {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  return [...ofDays]
    .map(([name, sum]) => ({ day: Number(name) * dayMs, ...sum }))
    .toSorted((a, b) => a.day - b.day)
    .flatMap(({ day, amount, payments }) => {
      const shown = byDay.get(day) ?? [];
      const rest = shown.reduce(
        (left, row) => ({ amount: subUsdc(left.amount, row.amount), payments: left.payments - row.payments }),
        { amount, payments },
      );
      return rest.payments === 0 && rest.amount === 0n ? shown : [...shown, { day, agentId: '', ...rest }];
    });
};

const toSum = mapper('spending_day', (row) => ({
  amount: row.usdc('amount'),
  payments: row.integer('payments'),
}));
const toDay = mapper('spending_day', (row) => row.integer('day'));
const textName = mapper('spending_day', (row) => row.text('name'));
const toName = {
  day: mapper('spending_day', (row) => String(row.integer('name'))),
  agent_id: textName,
  service_id: textName,
};
