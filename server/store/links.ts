// Link sessions, the people who may complete them, and how they sign in.
import type { Identity, Link, SignInSettings, Store } from '../engine/ports.ts';
import type { Db } from './db.ts';
import type { Journal, Row } from './journal.ts';
import { integer, integerOrNull, json, text, textOrNull } from './rows.ts';

export const createLinks = (db: Db): Store['links'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO link_session (id, machine, code, agent_id, status, token_hash, poll_hash, public_key, sealed_key,
      created_at, expires_at)
    VALUES (@id, @machine, @code, @agentId, @status, @tokenHash, @pollHash, @publicKey, @sealedKey, @createdAt,
      @expiresAt)`);
  const get = db.prepare('SELECT * FROM link_session WHERE id = ?');
  const byToken = db.prepare('SELECT * FROM link_session WHERE token_hash = ?');
  const list = db.prepare('SELECT * FROM link_session ORDER BY created_at DESC, id');
  const decide = db.prepare(/* sql */ `
    UPDATE link_session SET status = @status, agent_id = coalesce(@agentId, agent_id), sealed_key = @sealedKey
    WHERE id = @id AND status = 'pending' RETURNING *`);
  const drop = db.prepare(`DELETE FROM link_session WHERE id = ? AND status = 'pending'`);
  const forget = db.prepare('DELETE FROM link_session WHERE expires_at < ?');

  return {
    insert: (link) => void insert.run(link),
    get: (id) => linkIn(get.get(id)),
    byToken: (tokenHash) => linkIn(byToken.get(tokenHash)),
    list: () => (list.all() as Row[]).map(toLink),
    decide: (id, decision) => linkIn(decide.get({ agentId: null, sealedKey: null, ...decision, id })) ?? null,
    forget: (before) => void forget.run(before),
    drop: (id) => void drop.run(id),
  };
};

export const createIdentities = (db: Db, journal: Journal): Store['identities'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO identity (id, kind, subject, label, added_at, removed_at, journal_seq)
    VALUES (@id, @kind, @subject, @label, @addedAt, @removedAt, @journalSeq) RETURNING *`);
  const get = db.prepare('SELECT * FROM identity WHERE id = ?');
  const list = db.prepare('SELECT * FROM identity WHERE removed_at IS NULL ORDER BY added_at, id');
  const remove = db.prepare('UPDATE identity SET removed_at = ?, journal_seq = ? WHERE id = ? RETURNING *');

  return {
    list: () => (list.all() as Row[]).map(toIdentity),
    get(id) {
      const row = get.get(id) as Row | undefined;
      return row === undefined ? undefined : toIdentity(row);
    },
    add(identity) {
      journal.enter('identity', insert.get({ ...identity, journalSeq: journal.next() }) as Row, true);
    },
    remove(id, now) {
      const row = remove.get(now, journal.next(), id) as Row;
      journal.enter('identity', row, false);
      return toIdentity(row);
    },
  };
};

export const createSignIn = (db: Db, journal: Journal): Store['signIn'] => {
  const get = db.prepare('SELECT settings FROM sign_in WHERE id = 1');
  const set = db.prepare(/* sql */ `
    INSERT INTO sign_in (id, settings, journal_seq) VALUES (1, ?, ?)
    ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, journal_seq = excluded.journal_seq RETURNING *`);

  return {
    get() {
      const row = get.get() as Row | undefined;
      return row === undefined ? { mailServer: null, provider: null } : json<SignInSettings>(row, 'settings');
    },
    set(settings) {
      const created = get.get() === undefined;
      journal.enter('sign_in', set.get(JSON.stringify(settings), journal.next()) as Row, created);
    },
  };
};

const linkIn = (row: unknown): Link | undefined => (row === undefined ? undefined : toLink(row as Row));

const toLink = (row: Row): Link => ({
  id: text(row, 'id'),
  machine: text(row, 'machine'),
  code: text(row, 'code'),
  agentId: textOrNull(row, 'agent_id'),
  status: text(row, 'status') as Link['status'],
  tokenHash: row['token_hash'] as Buffer,
  pollHash: row['poll_hash'] as Buffer,
  publicKey: row['public_key'] as Buffer,
  sealedKey: row['sealed_key'] as Buffer | null,
  createdAt: integer(row, 'created_at'),
  expiresAt: integer(row, 'expires_at'),
});

const toIdentity = (row: Row): Identity => ({
  id: text(row, 'id'),
  kind: text(row, 'kind') as Identity['kind'],
  subject: text(row, 'subject'),
  label: text(row, 'label'),
  addedAt: integer(row, 'added_at'),
  removedAt: integerOrNull(row, 'removed_at'),
});
