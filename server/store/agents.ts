// Agents, their policies (every version is kept), their API keys (hashes only), and the owner's overall ceiling.
import { agentColorNames } from '../contract/agent-marks.ts';
import type { Hours } from '../contract/hours.ts';
import { fingerprintOf } from '../contract/health-proof.ts';
import {
  byKind,
  eachField,
  fieldEntries,
  type FieldEntry,
  type PolicyField,
} from '../contract/policy-fields.ts';
import type { Agent, AgentKey, Policy, PolicyInForce, Store } from '../engine/ports.ts';
import { agentStatuses } from '../engine/domain/agent.ts';
import { invariant } from '../errors.ts';
import type { Db } from './db.ts';
import type { Journal } from './journal.ts';
import type { Ledger } from './ledger.ts';
import { ifAny, mapper, type Columns } from './row.ts';

export const createAgents = (db: Db, journal: Journal, ledger: Ledger): Store['agents'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO agent (agent_id, wallet_index, wallet, display_name, status, status_reason, created_at, journal_seq)
    VALUES (@agentId, @walletIndex, @wallet, @displayName, @status, @statusReason, @createdAt, @journalSeq)
    RETURNING *`);
  const nextIndex = db.prepare('SELECT coalesce(max(wallet_index), 0) + 1 AS next FROM agent');
  const get = db.prepare('SELECT * FROM agent WHERE agent_id = ?');
  const list = db.prepare('SELECT * FROM agent ORDER BY wallet_index');
  const update = db.prepare(/* sql */ `
    UPDATE agent SET display_name = @displayName, status = @status, status_reason = @statusReason,
      archived_at = @archivedAt, color = @color, picture = @picture, tags = @tags, journal_seq = @journalSeq WHERE agent_id = @agentId RETURNING *`);

  const known = journal.cache<Agent | undefined>('agent');
  const agentOf = (agentId: string): Agent | undefined => known.get(agentId, () => agentIn(get.get(agentId)));

  return {
    insert(agent, address) {
      const walletIndex = agent.walletIndex ?? nextIn(nextIndex.get());
      const wallet = address(walletIndex);
      const row = insert.get({ ...agent, walletIndex, wallet, journalSeq: journal.next() });
      journal.enter('agent', row, true);
      ledger.wallets.add({ address: wallet, index: walletIndex, agentId: agent.agentId });
      return toAgent(row);
    },
    get: agentOf,
    list: () => list.all().map(toAgent),
    update(agentId, change) {
      const agent = agentOf(agentId);
      invariant(agent !== undefined, `agent ${agentId} exists`);
      const next = { ...agent, ...change };
      const tags = next.tags.length === 0 ? null : JSON.stringify(next.tags);
      const row = update.get({ ...next, tags, journalSeq: journal.next() });
      journal.enter('agent', row, false);
      return toAgent(row);
    },
  };
};

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

export const createKeys = (db: Db, journal: Journal): Store['keys'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO agent_key (id, agent_id, hash, label, created_at, expires_at, revoked_at, journal_seq)
    VALUES (@id, @agentId, @hash, @label, @createdAt, @expiresAt, @revokedAt, @journalSeq) RETURNING *`);
  const known = journal.cache<AgentKey | undefined>('agent_key');
  const byHash = db.prepare('SELECT * FROM agent_key WHERE hash = ?');
  const hashes = db.prepare('SELECT hash FROM agent_key');
  /** Hashes by fingerprint, read once, since anybody may ask for a fingerprint. API keys are never deleted. */
  let fingerprints: Map<string, string> | null = null;
  const list = db.prepare('SELECT * FROM agent_key WHERE agent_id = ? ORDER BY created_at, id');
  const isRevoked = db.prepare('SELECT revoked_at IS NOT NULL AS is_revoked FROM agent_key WHERE id = ?');
  const end = db.prepare(/* sql */ `
    UPDATE agent_key SET expires_at = coalesce(@expiresAt, expires_at), revoked_at = coalesce(@revokedAt, revoked_at),
      journal_seq = @journalSeq WHERE id = @id RETURNING *`);

  const keyOf = (hash: string): AgentKey | undefined => known.get(hash, () => keyIn(byHash.get(hash)));

  return {
    insert(key) {
      journal.enter('agent_key', insert.get({ ...key, journalSeq: journal.next() }), true);
      fingerprints?.set(fingerprintOf(key.hash), key.hash);
    },
    byHash: keyOf,
    byFingerprint(fingerprint) {
      fingerprints ??= new Map(
        hashes
          .all()
          .map(toHash)
          .map((hash) => [fingerprintOf(hash), hash]),
      );
      const hash = fingerprints.get(fingerprint);
      return hash === undefined ? undefined : keyOf(hash);
    },
    list: (agentId) => list.all(agentId).map(toKey),
    isRevoked: (id) => revokedIn(isRevoked.get(id)) ?? false,
    end(
      id,
      { expiresAt = null, revokedAt = null }: { expiresAt?: number | null; revokedAt?: number | null },
    ) {
      journal.enter('agent_key', end.get({ id, expiresAt, revokedAt, journalSeq: journal.next() }), false);
    },
  };
};

const toAgent = mapper('agent', (row): Agent => ({
  agentId: row.text('agent_id'),
  walletIndex: row.integer('wallet_index'),
  wallet: row.text('wallet'),
  displayName: row.text('display_name'),
  status: row.word('status', agentStatuses),
  statusReason: row.textOrNull('status_reason'),
  createdAt: row.integer('created_at'),
  archivedAt: row.integerOrNull('archived_at'),
  color: row.wordOrNull('color', agentColorNames),
  picture: row.textOrNull('picture'),
  tags: row.stringsOrNull('tags') ?? [],
}));

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

const toKey = mapper('agent_key', (row): AgentKey => ({
  id: row.text('id'),
  agentId: row.text('agent_id'),
  hash: row.text('hash'),
  label: row.text('label'),
  createdAt: row.integer('created_at'),
  expiresAt: row.integerOrNull('expires_at'),
  revokedAt: row.integerOrNull('revoked_at'),
}));

const agentIn = ifAny(toAgent);
const policyIn = ifAny(toPolicy);
const toSince = mapper('policy', (row) => row.integer('at'));
const zoneIn = ifAny(mapper('owner_zone', (row) => row.text('zone')));
const keyIn = ifAny(toKey);
const nextIn = mapper('agent', (row) => row.integer('next'));
const ceilingIn = ifAny(
  mapper('ceiling', (row) => (row.isNull('daily_budget') ? null : row.usdc('daily_budget'))),
);
const toHash = mapper('agent_key', (row) => row.text('hash'));
const revokedIn = ifAny(mapper('agent_key', (row) => row.flag('is_revoked')));
