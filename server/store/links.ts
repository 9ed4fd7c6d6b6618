// Link sessions, the people who may complete them, how they sign in, and the public address.
import type { Identity, Link, PublicAddressSettings, SignInSettings, Store } from '../engine/ports.ts';
import { identityKinds, linkStatuses } from '../engine/domain/link.ts';
import { doorNames } from '../lib/net/public-url.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { ifAny, mapper } from './row.ts';

export const createLinks = (db: Db): Store['links'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO link_session (id, machine, code, agent_id, status, token_hash, poll_hash, public_key, sealed_key,
      created_at, expires_at, door)
    VALUES (@id, @machine, @code, @agentId, @status, @tokenHash, @pollHash, @publicKey, @sealedKey, @createdAt,
      @expiresAt, @door)`);
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
    list: () => list.all().map(toLink),
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
    list: () => list.all().map(toIdentity),
    get: (id) => identityIn(get.get(id)),
    add(identity) {
      journal.enter('identity', insert.get({ ...identity, journalSeq: journal.next() }), true);
    },
    remove(id, now) {
      const row = remove.get(now, journal.next(), id);
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
    get: () => settingsIn(get.get()) ?? { mailServer: null, provider: null },
    set(settings) {
      const created = get.get() === undefined;
      journal.enter('sign_in', set.get(JSON.stringify(settings), journal.next()), created);
    },
  };
};

export const createPublicAddress = (db: Db, journal: Journal): Store['publicAddress'] => {
  const get = db.prepare('SELECT url, owner_at FROM public_address WHERE id = 1');
  const set = db.prepare(/* sql */ `
    INSERT INTO public_address (id, url, owner_at, journal_seq) VALUES (1, @url, @ownerSessionsAt, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET url = excluded.url, owner_at = excluded.owner_at,
      journal_seq = excluded.journal_seq RETURNING *`);
  const known = journal.cache<PublicAddressSettings>('public_address');

  return {
    get: () => known.get('', () => addressIn(get.get()) ?? { url: null, ownerSessionsAt: null }),
    set(settings) {
      const created = get.get() === undefined;
      journal.enter('public_address', set.get({ ...settings, journalSeq: journal.next() }), created);
    },
  };
};

const toLink = mapper('link_session', (row): Link => ({
  id: row.text('id'),
  machine: row.text('machine'),
  code: row.text('code'),
  agentId: row.textOrNull('agent_id'),
  status: row.word('status', linkStatuses),
  door: row.word('door', doorNames),
  tokenHash: row.bytes('token_hash'),
  pollHash: row.bytes('poll_hash'),
  publicKey: row.bytes('public_key'),
  sealedKey: row.bytesOrNull('sealed_key'),
  createdAt: row.integer('created_at'),
  expiresAt: row.integer('expires_at'),
}));

const toIdentity = mapper('identity', (row): Identity => ({
  id: row.text('id'),
  kind: row.word('kind', identityKinds),
  subject: row.text('subject'),
  label: row.text('label'),
  addedAt: row.integer('added_at'),
  removedAt: row.integerOrNull('removed_at'),
}));

const linkIn = ifAny(toLink);
const identityIn = ifAny(toIdentity);
const settingsIn = ifAny(mapper('sign_in', (row) => row.object<SignInSettings>('settings')));
const addressIn = ifAny(
  mapper('public_address', (row): PublicAddressSettings => ({
    url: row.textOrNull('url'),
    ownerSessionsAt: row.textOrNull('owner_at'),
  })),
);
