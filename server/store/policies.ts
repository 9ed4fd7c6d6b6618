// Policies of agents, the limits of groups, delegated API keys and the treasury, and the owner's time zone. Every version
// is kept.
import type { Hours } from '../contract/limits/hours.ts';
import {
  byKind,
  eachField,
  fieldEntries,
  limitFields,
  policyFields,
  type FieldEntry,
  type PolicyField,
} from '../contract/limits/policy-fields.ts';
import { readServiceLimits } from '../contract/limits/service-limits.ts';
import { noLimits, scopeOfAll, totalSinceOf } from '../engine/domain/limits.ts';
import type { Limits, LimitsInForce, Policy, PolicyInForce, Scope, Store } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import { formatUsdc, type Usdc } from '../money.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { ifAny, mapper, type Columns } from './row.ts';

export const createPolicies = (db: Db, journal: Journal): Store['policies'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO policy (agent_id, version, ${columns.map(([column]) => column).join(', ')}, total_since, created_at, journal_seq)
    VALUES (@agentId, (SELECT coalesce(max(version), 0) + 1 FROM policy WHERE agent_id = @agentId),
      ${columns.map(([, name]) => `@${name}`).join(', ')}, @totalSince, @now, @journalSeq)
    RETURNING *`);
  const known = journal.cache<PolicyInForce>('policy');
  const inForce = db.prepare('SELECT * FROM policy WHERE agent_id = ? ORDER BY version DESC LIMIT 1');
  const newestSince = db.prepare(/* sql */ `
    SELECT coalesce(max(total_since), 0) AS at FROM policy
    WHERE id IN (SELECT max(id) FROM policy GROUP BY agent_id)`);
  const zone = db.prepare('SELECT zone FROM owner_zone ORDER BY id DESC LIMIT 1');
  const setZone = db.prepare(
    'INSERT INTO owner_zone (zone, created_at, journal_seq) VALUES (?, ?, ?) RETURNING *',
  );
  const zones = journal.cache<string | null>('owner_zone');

  return {
    get: (agentId) =>
      known.get(agentId, () => {
        const policy = policyIn(inForce.get(agentId));
        invariant(policy !== undefined, `agent ${agentId} has a policy`);
        return policy;
      }),
    set(agentId, policy, now) {
      const values = eachField((_, name) => toColumn(policy[name]));
      const before = policyIn(inForce.get(agentId));
      const totalSince = policy.totalBudget === null ? null : totalSinceOf(before, now);
      const row = insert.get({ ...values, agentId, totalSince, now, journalSeq: journal.next() });
      journal.enter('policy', row, true);
      return toPolicy(row);
    },
    newestSince: () => toSince(newestSince.get()),
    zone: () => zones.get('', () => zoneIn(zone.get()) ?? null),
    setZone(name, now) {
      journal.enter('owner_zone', setZone.get(name, now, journal.next()), true);
    },
  };
};

export const createLimits = (db: Db, journal: Journal): Store['limits'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO node_limits (node, version, ${limitColumns.map(([column]) => column).join(', ')}, total_since, created_at, journal_seq)
    VALUES (@scope, (SELECT coalesce(max(version), 0) + 1 FROM node_limits WHERE node = @scope),
      ${limitColumns.map(([, name]) => `@${name}`).join(', ')}, @totalSince, @now, @journalSeq)
    RETURNING *`);
  const inForce = db.prepare('SELECT * FROM node_limits WHERE node = ? ORDER BY version DESC LIMIT 1');
  const newest = 'id IN (SELECT max(id) FROM node_limits GROUP BY node)';
  const all = db.prepare(`SELECT * FROM node_limits WHERE ${newest}`);
  const newestSince = db.prepare(
    `SELECT coalesce(max(total_since), 0) AS at FROM node_limits WHERE ${newest}`,
  );
  // Versions before 0.3 kept the owner's ceiling over all agents alone.
  const ceiling = db.prepare('SELECT daily_budget FROM ceiling ORDER BY id DESC LIMIT 1');
  const first = (scope: Scope): LimitsInForce => ({
    ...noLimits,
    dailyBudget: scope === scopeOfAll ? (ceilingIn(ceiling.get()) ?? null) : null,
    version: 0,
    totalSince: 0,
  });
  const known = journal.cache<LimitsInForce>('node_limits');
  const get = (scope: Scope): LimitsInForce =>
    known.get(scope, () => limitsIn(inForce.get(scope)) ?? first(scope));

  return {
    get,
    set(scope, limits, now) {
      const values = Object.fromEntries(limitFields.map((name) => [name, toColumn(limits[name])]));
      const totalSince = limits.totalBudget === null ? null : totalSinceOf(get(scope), now);
      const row = insert.get({ ...values, scope, totalSince, now, journalSeq: journal.next() });
      journal.enter('node_limits', row, true);
      return toLimits(row);
    },
    list: () => all.all().map((row) => ({ scope: toNode(row), ...toLimits(row) })),
    newestSince: () => toSince(newestSince.get()),
  };
};

const toPolicy = mapper('policy', (row): PolicyInForce => ({
  version: row.integer('version'),
  totalSince: row.integerOrNull('total_since') ?? 0,
  ...(eachField((field) => fromColumn(field, row)) as Policy),
}));

const columns = fieldEntries.map(([name, { column }]) => [column, name] as const);

const limitColumns = limitFields.map((name) => [policyFields[name].column, name] as const);

const toLimits = mapper('node_limits', (row): LimitsInForce => ({
  version: row.integer('version'),
  totalSince: row.integerOrNull('total_since') ?? 0,
  ...(Object.fromEntries(
    limitColumns.map(([column, name]) => [
      name,
      row.isNull(column) ? null : fromColumn(policyFields[name], row),
    ]),
  ) as Limits),
}));

const toColumn = (value: Policy[PolicyField]) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value, decimal) : value;

/** Micro-USDC within an object. */
const decimal = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? formatUsdc(value as Usdc) : value;

const fromColumn = (field: FieldEntry, row: Columns): unknown => {
  const { column } = field;
  if (field.mayBeNone === true && row.isNull(column)) return null;
  return byKind<unknown>(field, {
    amount: () => row.usdc(column),
    seconds: () => row.integer(column),
    count: () => row.integer(column),
    services: () => row.strings(column),
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

const policyIn = ifAny(toPolicy);
const limitsIn = ifAny(toLimits);
const toNode = mapper('node_limits', (row) => row.text('node'));
const toSince = mapper('policy', (row) => row.integer('at'));
const zoneIn = ifAny(mapper('owner_zone', (row) => row.text('zone')));
const ceilingIn = ifAny(
  mapper('ceiling', (row) => (row.isNull('daily_budget') ? null : row.usdc('daily_budget'))),
);
