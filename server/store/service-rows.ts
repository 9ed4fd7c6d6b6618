// A service's rows: the protected one, and what lists show beside it.
import type { ListedService, Service } from '../engine/ports.ts';
import type { Row } from './journal.ts';
import { integer, integerOrNull, json, text, textOrNull } from './rows.ts';

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

export const toService = (row: Row): Service => ({
  id: text(row, 'id'),
  name: text(row, 'name'),
  description: text(row, 'description'),
  category: text(row, 'category'),
  source: text(row, 'source') as Service['source'],
  endpoint: text(row, 'endpoint'),
  origin: text(row, 'origin'),
  payees: json<string[]>(row, 'payees'),
  pricing: json<Record<string, string>>(row, 'pricing'),
  price: textOrNull(row, 'price'),
  vouched: row['vouched'] === 1n,
});

export const toListed = (row: Row): ListedService => ({
  ...toService(row),
  ...(row['vanished_at'] === null ? {} : { vanishedAt: integer(row, 'vanished_at') }),
  ...(row['new_payees'] === null ? {} : { newPayees: json<string[]>(row, 'new_payees') }),
  addedByOwner: row['added_by_owner'] === 1n,
  reputation: {
    calls: integer(row, 'calls'),
    successes: integer(row, 'successes'),
    medianLatencyMs: integerOrNull(row, 'median_latency_ms'),
    lastSeenAt: integerOrNull(row, 'last_seen_at'),
  },
});
