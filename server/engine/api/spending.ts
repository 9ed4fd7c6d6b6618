// The owner's charts: what was spent by day, by agent and by service.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Query, Reply } from '../../contract/schemas.ts';
import { localDays } from '../../lib/local-days.ts';
import type { EngineContext } from '../calls/call.ts';
import { groupNames } from '../calls/views.ts';
import type { SpentIn } from '../ports.ts';
import { add, largestFirst, summed, view, byAgent, byService, type Sum, type Sums } from './sums.ts';

/** Those that spent most are shown one by one, day by day; the others together, without a name. */
const mostNamed = 20;
/** A day is summed in pieces; payments go on between them. */
const pieceMs = 3 * 3_600_000;

export const spendingOf = async (
  context: EngineContext,
  { days: count, zone }: Query<'spending'>,
): Promise<Reply<'spending'>> => {
  const groupOf = new Map(
    context.store.agents.list().map(({ agentId, groupId }) => [agentId, groupId ?? '']),
  );
  const splits = {
    agents: createSplit(({ agentId }) => agentId),
    services: createSplit(({ serviceId }) => serviceId),
    groups: createSplit(({ agentId }) => groupOf.get(agentId) ?? ''),
  };
  for (const { day, from, to } of localDays(zone, count, context.time.now()))
    for (const row of await rowsBetween(context, from, to))
      for (const split of Object.values(splits)) split.add(day, row);
  const { agents, services, groups } = splits;
  const nameOf = groupNames(context.store);
  return {
    zone,
    days: agents.byDay().map(({ id, ...row }) => ({ ...row, agentId: id })),
    serviceDays: services.byDay().map(({ id, ...row }) => ({ ...row, serviceId: id })),
    groupDays: groups.byDay().map(({ id, ...row }) => ({ ...row, groupId: id })),
    agents: byAgent(agents.sums, viewed),
    services: byService(context, services.sums, viewed),
    groups: largestFirst(groups.sums).map(([id, sum]) => ({
      groupId: id,
      name: id === '' ? '' : nameOf(id),
      ...viewed(sum),
    })),
  };
};

const viewed = (sum: Sum) => ({ ...view(sum), requests: sum.requests });

/** The spending by what a row belongs to, in all and by day. */
const createSplit = (idOf: (row: SpentIn) => string) => {
  const sums: Sums = new Map();
  const days = new Map<string, Sums>();
  return {
    sums,
    add(day: string, row: SpentIn): void {
      const ofDay = days.get(day) ?? new Map();
      days.set(day, ofDay);
      for (const some of [ofDay, sums]) add(some, idOf(row), row);
    },
    byDay() {
      const named = new Set(
        largestFirst(sums)
          .slice(0, mostNamed)
          .map(([id]) => id),
      );
      return [...days].flatMap(([day, ofDay]) => rowsOfDay(day, ofDay, named));
    },
  };
};

const rowsBetween = async ({ store, time }: EngineContext, from: number, to: number): Promise<SpentIn[]> => {
  const rows: SpentIn[] = [];
  for (let at = from; at < to; at += pieceMs) {
    rows.push(...store.spend.between(at, Math.min(to, at + pieceMs), time.now()));
    await nextTurn();
  }
  return rows;
};

const rowsOfDay = (day: string, sums: Sums, named: ReadonlySet<string>) => {
  const own = [...sums].filter(([id]) => named.has(id));
  const rest = summed([...sums].filter(([id]) => !named.has(id)).map(([, sum]) => sum));
  const rows = own.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([id, sum]) => ({ day, id, ...viewed(sum) }));
  return rest.amount === 0n && rest.payments === 0 && rest.requests === 0
    ? rows
    : [...rows, { day, id: '', ...viewed(rest) }];
};
