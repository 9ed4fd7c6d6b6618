// Policies of agents (every version is kept), the owner's overall ceiling, and the owner's time zone.
import type { Hours } from '../contract/hours.ts';
import {
  byKind,
  eachField,
  fieldEntries,
  type FieldEntry,
  type PolicyField,
} from '../contract/policy-fields.ts';
import type { Policy, PolicyInForce, Store } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import type { Db } from './db.ts';
import type { Journal } from './journal.ts';
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
  const ceiling = db.prepare('SELECT daily_budget FROM ceiling ORDER BY id DESC LIMIT 1');
  const setCeiling = db.prepare(
    'INSERT INTO ceiling (daily_budget, created_at, journal_seq) VALUES (?, ?, ?) RETURNING *',
  );

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
      const goesOn = before !== undefined && before.totalBudget !== null;
      const totalSince = policy.totalBudget === null ? null : goesOn ? before.totalSince : now;
      const row = insert.get({ ...values, agentId, totalSince, now, journalSeq: journal.next() });
      journal.enter('policy', row, true);
      return toPolicy(row);
    },
    newestSince: () => toSince(newestSince.get()),
    ceiling: () => ceilingIn(ceiling.get()) ?? null,
    setCeiling(dailyBudget, now) {
      journal.enter('ceiling', setCeiling.get(dailyBudget, now, journal.next()), true);
    },
    zone: () => zones.get('', () => zoneIn(zone.get()) ?? null),
    setZone(name, now) {
      journal.enter('owner_zone', setZone.get(name, now, journal.next()), true);
    },
  };
};

const toPolicy = mapper('policy', (row): PolicyInForce => ({
  version: row.integer('version'),
  totalSince: row.integerOrNull('total_since') ?? 0,
  ...(eachField((field) => fromColumn(field, row)) as Policy),
}));

const columns = fieldEntries.map(([name, { column }]) => [column, name] as const);

const toColumn = (value: Policy[PolicyField]) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

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
  });
};

const policyIn = ifAny(toPolicy);
const toSince = mapper('policy', (row) => row.integer('at'));
const zoneIn = ifAny(mapper('owner_zone', (row) => row.text('zone')));
const ceilingIn = ifAny(
  mapper('ceiling', (row) => (row.isNull('daily_budget') ? null : row.usdc('daily_budget'))),
);
