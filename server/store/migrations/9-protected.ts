// Idempotency keys and known payees become protected rows: removing a key would let its payment be made again, and
// adding a payee would let it be paid without the owner's approval.
import type { Db } from '../db.ts';
import { createJournal, type ProtectedTable, type Row } from '../records/journal.ts';

export const protectedKeys = (db: Db): void => {
  db.exec(layout);
  const journal = createJournal(db, Date.now);
  const enterAll = (table: ProtectedTable): void => {
    const next = db.prepare(`SELECT rowid FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT 1`).pluck();
    const name = db.prepare(`UPDATE ${table} SET journal_seq = ? WHERE rowid = ? RETURNING *`);
    for (let at = next.get(0n); at !== undefined; at = next.get(at))
      journal.enter(table, name.get(journal.next(), at) as Row, true);
  };
  enterAll('idempotency');
  enterAll('known_payee');
  db.exec(rules);
};

const layout = /* sql */ `
-- A key means the same payment for ever. The id is whose key it is, a space, and the key.
CREATE TABLE protected_key (
  id TEXT NOT NULL,
  route TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  transfer_id TEXT REFERENCES transfer (id),
  approval_id TEXT REFERENCES approval (id),
  created_at INTEGER NOT NULL,
  journal_seq INTEGER NOT NULL
) STRICT;
INSERT INTO protected_key (id, route, body_hash, transfer_id, approval_id, created_at, journal_seq)
  SELECT scope || ' ' || key, route, body_hash, transfer_id, approval_id, created_at, 0 FROM idempotency;
DROP TABLE idempotency;
ALTER TABLE protected_key RENAME TO idempotency;
CREATE UNIQUE INDEX idempotency_id ON idempotency (id);

-- The id is the agent's, a space, and the payee's address.
CREATE TABLE protected_payee (id TEXT PRIMARY KEY NOT NULL, since INTEGER NOT NULL, journal_seq INTEGER NOT NULL) STRICT;
INSERT INTO protected_payee (id, since, journal_seq) SELECT agent_id || ' ' || payee, since, 0 FROM known_payee;
DROP TABLE known_payee;
ALTER TABLE protected_payee RENAME TO known_payee;

-- Approvals are listed in the order in which they were asked for, which is that of their rows.
DROP INDEX approval_created;
`;

const rules = /* sql */ `
CREATE TRIGGER idempotency_means_one_thing BEFORE UPDATE ON idempotency
WHEN NOT EXISTS (SELECT 1 FROM transfer WHERE id = OLD.transfer_id AND state = 'cancelled')
BEGIN SELECT RAISE(ABORT, 'a key means the same payment for ever'); END;
CREATE TRIGGER idempotency_is_kept BEFORE DELETE ON idempotency
BEGIN SELECT RAISE(ABORT, 'a key is never forgotten'); END;
`;
