// Sums of the activity under its filter: what was spent, the ways of all amounts, and what was spent by one grouping.
import { namesOf } from '../../contract/agents/agent-names.ts';
import { flowOf, flows, isSpending, type Flow } from '../../contract/payments/outcomes.ts';
import type { Query, Reply } from '../../contract/schemas.ts';
import { createDays } from '../../lib/local-days.ts';
import { formatUsdc, usdc } from '../../money.ts';
import type { EngineContext } from '../calls/call.ts';
import { groupNames } from '../calls/views.ts';
import { zoneNamed } from '../calls/zone.ts';
import { isCredit } from '../domain/spending.ts';
import { isOpen, statusOf } from '../domain/states.ts';
import type { MovedBy } from '../ports.ts';
import { queryOf } from './filter.ts';
import { stepsOver } from './steps-over.ts';
import * as sums from './sums.ts';

type Totals = Reply<'totals'>;
type Part = 'spent' | 'undelivered' | 'failed' | 'refused';

export const totalsOf = async (context: EngineContext, query: Query<'totals'>): Promise<Totals> => {
  const { by } = query;
  const filter = queryOf(context, query);
  const zone = zoneNamed(context, query.zone);
  const isByTime = by === 'day' || by === 'month';
  const grouping = by === undefined ? null : groupings(context, zone)[by];
  const ways = new Map<Flow, sums.Sum>();
  const [agents, services, settling, all] = [newSums(), newSums(), newSums(), newSums()];
  const parts = { spent: newSums(), undelivered: newSums(), failed: newSums(), refused: newSums() };
  for await (const step of stepsOver(filter)) {
    for (const row of context.store.transfers.totals({ ...filter, ...step }, isByTime)) {
      sums.add(ways, flowOfRow(row), sumOf(row));
      for (const [part, sum] of partsOf(row)) {
        const key = grouping?.keyOf(row) ?? null;
        if (key !== null) sums.add(parts[part], key, sum);
        sums.add(all, part, sum);
        if (part !== 'spent') continue;
        sums.add(agents, row.agentId, sum);
        sums.add(services, row.serviceId, sum);
        if (isOpen(row)) sums.add(settling, '', sum);
      }
    }
  }
  const keys = new Set(Object.values(parts).flatMap((some) => [...some.keys()]));
  const spent = new Map([...keys].map((key) => [key, parts.spent.get(key) ?? sums.nothing]));
  const ordered = isByTime ? [...spent].toSorted(([a], [b]) => (a < b ? 1 : -1)) : sums.largestFirst(spent);
  return {
    ...sums.view(sums.summed(agents.values())),
    settling: sums.view(sums.summed(settling.values())),
    agents: sums.byAgent(agents, sums.view),
    services: sums.byService(context, services, sums.view),
    flows: Object.fromEntries(flows.map((flow) => [flow, told(ways.get(flow))])) as Totals['flows'],
    undelivered: told(all.get('undelivered')),
    rows: ordered.map(([key, sum]) => ({
      key,
      name: grouping?.nameOf(key) ?? key,
      ...sums.view(sum),
      undelivered: told(parts.undelivered.get(key)),
      failed: told(parts.failed.get(key)),
      refused: told(parts.refused.get(key)),
    })),
    zone,
  };
};

const newSums = (): sums.Sums => new Map();

const told = ({ amount, payments }: sums.Sum = sums.nothing) => ({
  amount: formatUsdc(amount),
  count: payments,
});

const sumOf = ({ amount, count }: MovedBy): sums.Sum => ({ amount, payments: count, requests: 0 });
const flowOfRow = (row: MovedBy): Flow => flowOf({ kind: row.kind, status: statusOf(row) });

/** What a row counts for: payments and pictures, less those that were paid back, as in the sums by agent and by service. */
const partsOf = (row: MovedBy): [Part, sums.Sum][] => {
  if (isCredit(row)) return [['spent', { amount: usdc(-row.amount), payments: -row.count, requests: 0 }]];
  if (!isSpending(row)) return [];
  const flow = flowOfRow(row);
  if (flow === 'failed' || flow === 'refused') return [[flow, sumOf(row)]];
  if (flow !== 'out') return [];
  return [
    ['spent', sumOf(row)],
    ...(row.undelivered ? [['undelivered', sumOf(row)] as [Part, sums.Sum]] : []),
  ];
};

interface Grouping {
  /** Null for what it leaves out. */
  keyOf(row: MovedBy): string | null;
  nameOf(key: string): string;
}

const same = (key: string): string => key;

const groupings = (
  context: EngineContext,
  zone: string,
): Record<NonNullable<Query<'totals'>['by']>, Grouping> => {
  const agents = namesOf(context.store.agents.list());
  const group = groupNames(context.store);
  const dayAt = createDays(zone);
  const service = (key: string): string => sums.serviceName(context, key);
  return {
    agent: { keyOf: ({ agentId }) => agentId, nameOf: (key) => agents.get(key) ?? key },
    group: { keyOf: ({ groupId }) => groupId, nameOf: (key) => group(key) || 'No group' },
    service: { keyOf: ({ serviceId }) => serviceId, nameOf: service },
    model: { keyOf: ({ kind, serviceId }) => (kind === 'payment' ? null : serviceId), nameOf: service },
    day: { keyOf: ({ at }) => dayAt(at).name, nameOf: same },
    month: { keyOf: ({ at }) => dayAt(at).name.slice(0, 7), nameOf: same },
  };
};
