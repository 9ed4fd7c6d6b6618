// A service's rows: the protected one, and what lists show beside it.
import type { ListedService, Service } from '../../engine/ports.ts';
import { serviceSources } from '../../engine/domain/service.ts';
import type { Row } from '../records/journal.ts';
import { ifAny, mapper, type Columns } from '../row.ts';

export type ProtectedRow = ReturnType<typeof toRow>;

export const toRow = ({
  payees,
  pricing,
  vouched,
  name,
  description,
  category,
  source,
  endpoint,
  origin,
  price,
}: Service) => ({
  name,
  description,
  category,
  source,
  endpoint,
  origin,
  payees: JSON.stringify(payees),
  pricing: JSON.stringify(pricing),
  price,
  vouched: vouched ? 1n : 0n,
});

/** Whether the row has exactly these values. */
export const holds = (row: Row, values: ProtectedRow): boolean =>
  Object.entries(values).every(([name, value]) => row[name] === value);

const serviceOf = (row: Columns): Service => ({
  id: row.text('id'),
  name: row.text('name'),
  description: row.text('description'),
  category: row.text('category'),
  source: row.word('source', serviceSources),
  endpoint: row.text('endpoint'),
  origin: row.text('origin'),
  payees: row.strings('payees'),
  pricing: row.object<Record<string, string>>('pricing'),
  price: row.textOrNull('price'),
  vouched: row.flag('vouched'),
});

export const toService = mapper('service', serviceOf);
export const serviceIn = ifAny(toService);

export const toListed = mapper('service_facts', (row): ListedService => ({
  ...serviceOf(row),
  ...(row.isNull('vanished_at') ? {} : { vanishedAt: row.integer('vanished_at') }),
  ...(row.isNull('new_payees') ? {} : { newPayees: row.strings('new_payees') }),
  addedByOwner: row.flag('added_by_owner'),
  reputation: {
    calls: row.integer('calls'),
    successes: row.integer('successes'),
    medianLatencyMs: row.integerOrNull('median_latency_ms'),
    lastSeenAt: row.integerOrNull('last_seen_at'),
  },
}));
export const listedIn = ifAny(toListed);

/** A service's row outside the journal. */
export interface ServiceFacts {
  number: number;
  isListed: boolean;
  addedByOwner: boolean;
  calls: number;
}
export const toFacts = mapper('service_facts', (row): ServiceFacts => ({
  number: row.integer('number'),
  isListed: row.flag('listed'),
  addedByOwner: row.flag('added_by_owner'),
  calls: row.integer('calls'),
}));
export const factsIn = ifAny(toFacts);
