// Agents, their policies (every version is kept), their API keys (hashes only), and the owner's overall ceiling.
import { fingerprintOf } from '../contract/health-proof.ts';
import {
  byKind,
  eachField,
  fieldEntries,
  type FieldEntry,
  type PolicyField,
} from '../contract/policy-fields.ts';
import type { Agent, AgentKey, Policy, PolicyInForce, Store } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import { usdc } from '../money.ts';
import type { Db } from './db.ts';
import type { Journal, Row } from './journal.ts';
import type { Ledger } from './ledger.ts';
import { integer, integerOrNull, json, text, textOrNull, units } from './rows.ts';

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
      archived_at = @archivedAt, journal_seq = @journalSeq WHERE agent_id = @agentId RETURNING *`);

  const known = journal.cache<Agent | undefined>('agent');
  const agentOf = (agentId: string): Agent | undefined =>
    known.get(agentId, () => {
      const row = get.get(agentId) as Row | undefined;
      return row === undefined ? undefined : toAgent(row);
    });

  return {
    insert(agent, address) {
      const { next } = nextIndex.get() as { next: bigint };
      const walletIndex = agent.walletIndex ?? Number(next);
      const wallet = address(walletIndex);
      const row = insert.get({ ...agent, walletIndex, wallet, journalSeq: journal.next() }) as Row;
      journal.enter('agent', row, true);
      ledger.wallets.add({ address: wallet, index: walletIndex, agentId: agent.agentId });
      return toAgent(row);
    },
    get: agentOf,
    list: () => (list.all() as Row[]).map(toAgent),
    update(agentId, change) {
      const agent = agentOf(agentId);
      invariant(agent !== undefined, `agent ${agentId} exists`);
      const row = update.get({ ...agent, ...change, journalSeq: journal.next() }) as Row;
      journal.enter('agent', row, false);
      return toAgent(row);
    },
  };
};

export const createPolicies = (db: Db, journal: Journal): Store['policies'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO policy (agent_id, version, ${columns.map(([column]) => column).join(', ')}, created_at, journal_seq)
    VALUES (@agentId, (SELECT coalesce(max(version), 0) + 1 FROM policy WHERE agent_id = @agentId),
      ${columns.map(([, name]) => `@${name}`).join(', ')}, @now, @journalSeq)
    RETURNING *`);
  const known = journal.cache<PolicyInForce>('policy');
  const inForce = db.prepare('SELECT * FROM policy WHERE agent_id = ? ORDER BY version DESC LIMIT 1');
  const ceiling = db.prepare('SELECT daily_budget FROM ceiling ORDER BY id DESC LIMIT 1');
  const setCeiling = db.prepare(
    'INSERT INTO ceiling (daily_budget, created_at, journal_seq) VALUES (?, ?, ?) RETURNING *',
  );

  return {
    get: (agentId) =>
      known.get(agentId, () => {
        const row = inForce.get(agentId) as Row | undefined;
        invariant(row !== undefined, `agent ${agentId} has a policy`);
        return toPolicy(row);
      }),
    set(agentId, policy, now) {
      const values = eachField((_, name) => toColumn(policy[name]));
      const row = insert.get({ ...values, agentId, now, journalSeq: journal.next() }) as Row;
      journal.enter('policy', row, true);
      return toPolicy(row);
    },
    ceiling() {
      const row = ceiling.get() as Row | undefined;
      return row === undefined || row['daily_budget'] === null ? null : usdc(units(row, 'daily_budget'));
    },
    setCeiling(dailyBudget, now) {
      journal.enter('ceiling', setCeiling.get(dailyBudget, now, journal.next()) as Row, true);
    },
  };
};

export const createKeys = (db: Db, journal: Journal): Store['keys'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO agent_key (id, agent_id, hash, label, created_at, expires_at, revoked_at, journal_seq)
    VALUES (@id, @agentId, @hash, @label, @createdAt, @expiresAt, @revokedAt, @journalSeq) RETURNING *`);
  const known = journal.cache<AgentKey | undefined>('agent_key');
  const byHash = db.prepare('SELECT * FROM agent_key WHERE hash = ?');
  const hashes = db.prepare('SELECT hash FROM agent_key').pluck();
  /** Hashes by fingerprint, read once, since anybody may ask for a fingerprint. API keys are never deleted. */
  let fingerprints: Map<string, string> | null = null;
  const list = db.prepare('SELECT * FROM agent_key WHERE agent_id = ? ORDER BY created_at, id');
  const isRevoked = db.prepare('SELECT revoked_at IS NOT NULL FROM agent_key WHERE id = ?').pluck();
  const end = db.prepare(/* sql */ `
    UPDATE agent_key SET expires_at = coalesce(@expiresAt, expires_at), revoked_at = coalesce(@revokedAt, revoked_at),
      journal_seq = @journalSeq WHERE id = @id RETURNING *`);

  const keyOf = (hash: string): AgentKey | undefined =>
    known.get(hash, () => {
      const row = byHash.get(hash) as Row | undefined;
      return row === undefined ? undefined : toKey(row);
    });

  return {
    insert(key) {
      journal.enter('agent_key', insert.get({ ...key, journalSeq: journal.next() }) as Row, true);
      fingerprints?.set(fingerprintOf(key.hash), key.hash);
    },
    byHash: keyOf,
    byFingerprint(fingerprint) {
      fingerprints ??= new Map((hashes.all() as string[]).map((hash) => [fingerprintOf(hash), hash]));
      const hash = fingerprints.get(fingerprint);
      return hash === undefined ? undefined : keyOf(hash);
    },
    list: (agentId) => (list.all(agentId) as Row[]).map(toKey),
    isRevoked: (id) => Boolean(isRevoked.get(id)),
    end(
      id,
      { expiresAt = null, revokedAt = null }: { expiresAt?: number | null; revokedAt?: number | null },
    ) {
      journal.enter(
        'agent_key',
        end.get({ id, expiresAt, revokedAt, journalSeq: journal.next() }) as Row,
        false,
      );
    },
  };
};

const toAgent = (row: Row): Agent => ({
  agentId: text(row, 'agent_id'),
  walletIndex: integer(row, 'wallet_index'),
  wallet: text(row, 'wallet'),
  displayName: text(row, 'display_name'),
  status: text(row, 'status') as Agent['status'],
  statusReason: textOrNull(row, 'status_reason'),
  createdAt: integer(row, 'created_at'),
  archivedAt: integerOrNull(row, 'archived_at'),
});

const toPolicy = (row: Row): PolicyInForce => ({
  version: integer(row, 'version'),
  ...(eachField((field) => fromColumn(field, row)) as Policy),
});

const columns = fieldEntries.map(([name, { column }]) => [column, name] as const);

const toColumn = (value: Policy[PolicyField]) => (Array.isArray(value) ? JSON.stringify(value) : value);

const fromColumn = (field: FieldEntry, row: Row): unknown => {
  const { column } = field;
  if (field.mayBeNone === true && row[column] === null) return null;
  return byKind<unknown>(field, {
    amount: () => usdc(units(row, column)),
    seconds: () => integer(row, column),
    count: () => integer(row, column),
    services: () => json<string[]>(row, column),
    choice: () => text(row, column),
  });
};

const toKey = (row: Row): AgentKey => ({
  id: text(row, 'id'),
  agentId: text(row, 'agent_id'),
  hash: text(row, 'hash'),
  label: text(row, 'label'),
  createdAt: integer(row, 'created_at'),
  expiresAt: integerOrNull(row, 'expires_at'),
  revokedAt: integerOrNull(row, 'revoked_at'),
});
