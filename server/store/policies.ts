// Policies of agents, the limits of groups, delegated API keys and the treasury, and the owner's time zone. Every version
// is kept.
import type { Hours } from '../contract/limits/hours.ts';
import {
  byKind,
  fieldEntries,
  limitEntries,
  type FieldEntry,
  type PolicyField,
} from '../contract/limits/policy-fields.ts';
import { readServiceLimits } from '../contract/limits/service-limits.ts';
import { noLimits, scopeOfAll, totalSinceOf } from '../engine/domain/limits.ts';
import type { Limits, LimitsInForce, Policy, PolicyInForce, Store } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import { formatUsdc, type Usdc } from '../money.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { ifAny, mapper, type Columns } from './row.ts';

export const createPolicies = (db: Db, journal: Journal): Store['policies'] => {
  const { get, set, newestSince } = createVersions<PolicyInForce>(db, journal, {
    table: 'policy',
    key: 'agent_id',
    fields: fieldEntries,
    first(agentId) {
      invariant(false, `agent ${agentId} has a policy`);
    },
  });
  const zone = db.prepare('SELECT zone FROM owner_zone ORDER BY id DESC LIMIT 1');
  const setZone = db.prepare(
    'INSERT INTO owner_zone (zone, created_at, journal_seq) VALUES (?, ?, ?) RETURNING *',
  );
  const zones = journal.cache<string | null>('owner_zone');

  return {
    get,
    set,
    newestSince,
    zone: () => zones.get('', () => zoneIn(zone.get()) ?? null),
    setZone(name, now) {
      journal.enter('owner_zone', setZone.get(name, now, journal.next()), true);
    },
  };
};

export const createLimits = (db: Db, journal: Journal): Store['limits'] => {
  // Versions before 0.3 kept the owner's daily limit for all agents alone.
  const ceiling = db.prepare('SELECT daily_budget FROM ceiling ORDER BY id DESC LIMIT 1');
  return createVersions<LimitsInForce>(db, journal, {
    table: 'node_limits',
    key: 'node',
    fields: limitEntries,
    first: (scope) => ({
      ...noLimits,
      dailyBudget: scope === scopeOfAll ? (ceilingIn(ceiling.get()) ?? null) : null,
      version: 0,
      totalSince: 0,
    }),
  });
};

interface Versions<R> {
  table: 'policy' | 'node_limits';
  /** The column of the agent, or of the node. */
  key: string;
  fields: readonly (readonly [PolicyField, FieldEntry])[];
  /** What holds before any version. */
  first(id: string): R;
}

const createVersions = <R extends LimitsInForce>(
  db: Db,
  journal: Journal,
  { table, key, fields, first }: Versions<R>,
) => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO ${table} (${key}, version, ${fields.map(([, { column }]) => column).join(', ')}, total_since, created_at, journal_seq)
    VALUES (@id, (SELECT coalesce(max(version), 0) + 1 FROM ${table} WHERE ${key} = @id),
      ${fields.map(([name]) => `@${name}`).join(', ')}, @totalSince, @now, @journalSeq)
    RETURNING *`);
  const inForce = db.prepare(`SELECT * FROM ${table} WHERE ${key} = ? ORDER BY version DESC LIMIT 1`);
  const newest = `FROM ${table} WHERE id IN (SELECT max(id) FROM ${table} GROUP BY ${key})`;
  const all = db.prepare(`SELECT * ${newest}`);
  const newestSince = db.prepare(`SELECT coalesce(max(total_since), 0) AS at ${newest}`);
  const known = journal.cache<R>(table);
  const read = mapper(
    table,
    (row) =>
      ({
        version: row.integer('version'),
        totalSince: row.integerOrNull('total_since') ?? 0,
        ...Object.fromEntries(fields.map(([name, field]) => [name, fromColumn(field, row)])),
      }) as R,
  );
  const readAny = ifAny(read);
  const keyOf = mapper(table, (row) => row.text(key));
  const toSince = mapper(table, (row) => row.integer('at'));

  return {
    get: (id: string): R => known.get(id, () => readAny(inForce.get(id)) ?? first(id)),
    set(id: string, rules: Limits, now: number): R {
      const totalSince = rules.totalBudget === null ? null : totalSinceOf(readAny(inForce.get(id)), now);
      const values = fields.map(([name]) => [name, toColumn((rules as Policy)[name])]);
      const row = insert.get({
        ...Object.fromEntries(values),
        id,
        totalSince,
        now,
        journalSeq: journal.next(),
      });
      journal.enter(table, row, true);
      return read(row);
    },
    list: () => all.all().map((row) => ({ scope: keyOf(row), ...read(row) })),
    newestSince: () => toSince(newestSince.get()),
  };
};

const toColumn = (value: Policy[PolicyField]) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value, decimal) : value;

/** Micro-USDC within an object. */
const decimal = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? formatUsdc(value as Usdc) : value;

const fromColumn = (field: FieldEntry, row: Columns): unknown => {
  const { column } = field;
  if (field.mayBeNone === true && row.isNull(column)) return null;
  if (field.isLater === true && row.isNull(column)) return field.usual;
  return byKind<unknown>(field, {
    amount: () => row.usdc(column),
    seconds: () => row.integer(column),
    count: () => row.integer(column),
    services: () => row.strings(column),
    models: () => row.strings(column),
    choice: () => row.text(column),
    time: () => row.integer(column),
    hours: () => row.object<Hours>(column),
    serviceLimits() {
      const limits = readServiceLimits(row.object<object>(column));
      invariant(limits !== undefined, `${column} holds limits at services`);
      return limits;
    },
  });
};

const zoneIn = ifAny(mapper('owner_zone', (row) => row.text('zone')));
const ceilingIn = ifAny(
  mapper('ceiling', (row) => (row.isNull('daily_budget') ? null : row.usdc('daily_budget'))),
);
