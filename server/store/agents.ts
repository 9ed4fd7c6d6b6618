// Agents, and their API keys (hashes only).
import { agentColorNames } from '../contract/agents/agent-marks.ts';
import { fingerprintOf } from '../contract/host/health-proof.ts';
import type { Agent, AgentKey, Store } from '../engine/ports.ts';
import { agentStatuses } from '../engine/domain/agent.ts';
import { invariant } from '../errors.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import type { Ledger } from './records/ledger.ts';
import { ifAny, mapper } from './row.ts';

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
      archived_at = @archivedAt, group_id = @groupId, stopped_with = @stoppedWith, may_delegate = @mayDelegate,
      refill_below = @refillBelow, refill_to = @refillTo, refill_per_day = @refillPerDay, color = @color, picture = @picture, tags = @tags, journal_seq = @journalSeq WHERE agent_id = @agentId RETURNING *`);

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
      const mayDelegate = next.mayDelegate ? 1 : null;
      const { below = null, to = null, perDay = null } = next.refill ?? {};
      const refill = { refillBelow: below, refillTo: to, refillPerDay: perDay };
      const row = update.get({ ...next, ...refill, tags, mayDelegate, journalSeq: journal.next() });
      journal.enter('agent', row, false);
      return toAgent(row);
    },
  };
};

export const createKeys = (db: Db, journal: Journal): Store['keys'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO agent_key (id, agent_id, hash, label, created_at, expires_at, revoked_at, parent_id, level, journal_seq)
    VALUES (@id, @agentId, @hash, @label, @createdAt, @expiresAt, @revokedAt, @parentId, @level, @journalSeq)
    RETURNING *`);
  const known = journal.cache<AgentKey | undefined>('agent_key');
  const byHash = db.prepare('SELECT * FROM agent_key WHERE hash = ?');
  const hashes = db.prepare('SELECT hash FROM agent_key');
  /** Hashes by fingerprint, read once, since anybody may ask for a fingerprint. API keys are never deleted. */
  let fingerprints: Map<string, string> | null = null;
  const byId = db.prepare('SELECT * FROM agent_key WHERE id = ?');
  const byIds = journal.cache<AgentKey | undefined>('agent_key');
  const list = db.prepare('SELECT * FROM agent_key WHERE agent_id = ? ORDER BY created_at, id');
  const children = db.prepare('SELECT * FROM agent_key WHERE parent_id = ? ORDER BY created_at, id');
  const inForce = db.prepare(/* sql */ `
    SELECT * FROM agent_key WHERE parent_id IS NOT NULL AND revoked_at IS NULL AND expires_at > @now
      AND (@agentId IS NULL OR agent_id = @agentId) ORDER BY created_at, id`);
  const adopt = db.prepare('UPDATE agent_key SET parent_id = ?, journal_seq = ? WHERE id = ? RETURNING *');
  const isRevoked = db.prepare('SELECT revoked_at IS NOT NULL AS is_revoked FROM agent_key WHERE id = ?');
  const end = db.prepare(/* sql */ `
    UPDATE agent_key SET expires_at = coalesce(@expiresAt, expires_at), revoked_at = coalesce(@revokedAt, revoked_at),
      journal_seq = @journalSeq WHERE id = @id RETURNING *`);

  const keyOf = (hash: string): AgentKey | undefined => known.get(hash, () => keyIn(byHash.get(hash)));

  return {
    insert({ delegated, ...key }) {
      const { parentId, level } = delegated ?? { parentId: null, level: null };
      const row = insert.get({ ...key, parentId, level, journalSeq: journal.next() });
      journal.enter('agent_key', row, true);
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
    get: (id) => byIds.get(id, () => keyIn(byId.get(id))),
    list: (agentId) => list.all(agentId).map(toKey),
    children: (parentId) => children.all(parentId).map(toKey),
    delegated: (agentId, now) => inForce.all({ agentId, now }).map(toKey),
    adopt(from, to) {
      for (const { id } of children.all(from).map(toKey))
        journal.enter('agent_key', adopt.get(to, journal.next(), id), false);
    },
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
  groupId: row.textOrNull('group_id'),
  stoppedWith: row.textOrNull('stopped_with'),
  refill: row.isNull('refill_below')
    ? null
    : { below: row.usdc('refill_below'), to: row.usdc('refill_to'), perDay: row.usdc('refill_per_day') },
  mayDelegate: !row.isNull('may_delegate') && row.flag('may_delegate'),
  color: row.wordOrNull('color', agentColorNames),
  picture: row.textOrNull('picture'),
  tags: row.stringsOrNull('tags') ?? [],
}));

const toKey = mapper('agent_key', (row): AgentKey => ({
  id: row.text('id'),
  agentId: row.text('agent_id'),
  hash: row.text('hash'),
  label: row.text('label'),
  createdAt: row.integer('created_at'),
  expiresAt: row.integerOrNull('expires_at'),
  revokedAt: row.integerOrNull('revoked_at'),
  delegated: row.isNull('parent_id')
    ? null
    : { parentId: row.text('parent_id'), level: row.integer('level') },
}));

const agentIn = ifAny(toAgent);
const keyIn = ifAny(toKey);
const nextIn = mapper('agent', (row) => row.integer('next'));
const toHash = mapper('agent_key', (row) => row.text('hash'));
const revokedIn = ifAny(mapper('agent_key', (row) => row.flag('is_revoked')));
