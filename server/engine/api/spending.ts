// The owner's charts: what was spent by day, by agent and by service.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Query, Reply } from '../../contract/schemas.ts';
import { localDays } from '../../lib/local-days.ts';
import type { EngineContext } from '../calls/call.ts';
import type { SpentIn } from '../ports.ts';
import { add, largestFirst, summed, view, byAgent, byService, type Sums } from './sums.ts';

/** The agents that spent most are shown one by one, day by day; the others together, without a name. */
const mostAgents = 20;
/** A day is summed in pieces; payments go on between them. */
const pieceMs = 3 * 3_600_000;

export const spendingOf = async (
  context: EngineContext,
  { days: count, zone }: Query<'spending'>,
): Promise<Reply<'spending'>> => {
  const spans = localDays(zone, count, context.time.now());
  const byDay: { day: string; agents: Sums }[] = [];
  const agents: Sums = new Map();
  const services: Sums = new Map();
  for (const { day, from, to } of spans) {
    const ofDay: Sums = new Map();
    for (const row of await rowsBetween(context, from, to)) {
      for (const sums of [ofDay, agents]) add(sums, row.agentId, row);
      add(services, row.serviceId, row);
    }
    byDay.push({ day, agents: ofDay });
  }
  const named = new Set(
    largestFirst(agents)
      .slice(0, mostAgents)
      .map(([agentId]) => agentId),
  );
  return {
    days: byDay.flatMap(({ day, agents: sums }) => rowsOfDay(day, sums, named)),
    agents: byAgent(agents),
    services: byService(context, services),
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

const rowsOfDay = (day: string, sums: Sums, named: ReadonlySet<string>): Reply<'spending'>['days'] => {
  const own = [...sums].filter(([agentId]) => named.has(agentId));
  const rest = summed([...sums].filter(([agentId]) => !named.has(agentId)).map(([, sum]) => sum));
  const rows = own
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([agentId, sum]) => ({ day, agentId, ...view(sum) }));
  return rest.amount === 0n && rest.payments === 0 ? rows : [...rows, { day, agentId: '', ...view(rest) }];
};
