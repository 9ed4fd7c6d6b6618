// Sign-ins at sellers: where a buyer may prove itself, and which challenges were answered.
import type { Store } from '../engine/ports.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { mapper } from './row.ts';

export const createSellerSignIns = (db: Db, journal: Journal): Store['sellerSignIns'] => {
  const know = db.prepare('INSERT OR IGNORE INTO seller_known (principal, origin) VALUES (?, ?)');
  const known = db.prepare('SELECT origin FROM seller_known WHERE principal = ? AND origin = ?');
  const insert = db.prepare(/* sql */ `
    INSERT INTO seller_sign_in (id, agent_id, principal, origin, nonce, at, journal_seq)
    VALUES (@id, @agentId, @principal, @origin, @nonce, @at, @journalSeq) RETURNING *`);
  const get = db.prepare('SELECT id FROM seller_sign_in WHERE id = ?');
  const count = db.prepare('SELECT count(*) AS signed FROM seller_sign_in WHERE agent_id = ? AND at > ?');
  return {
    know: (principal, origin) => void know.run(principal, origin),
    knows: (principal, origin) => known.get(principal, origin) !== undefined,
    add(signIn) {
      const id = [signIn.agentId, signIn.origin, signIn.nonce].join(' ');
      if (get.get(id) !== undefined) return false;
      journal.enter('seller_sign_in', insert.get({ ...signIn, id, journalSeq: journal.next() }), true);
      return true;
    },
    since: (agentId, time) => toCount(count.get(agentId, time)),
  };
};

const toCount = mapper('seller_sign_in', (row) => row.integer('signed'));
