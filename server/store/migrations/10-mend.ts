// Payees and endings of standing approvals; what agents say their payments are for; requests that a client may continue
// after a restart; refusals that are only counted.
import type { Db } from '../db.ts';
import { createJournal, type Row } from '../records/journal.ts';

export const mend = (db: Db): void => {
  db.exec(layout);
  db.exec(report(`state = 'seen'`));
  endGrantsWithoutPayees(db);
};

/** They named a service and no payee: anybody could be paid in its name. */
const endGrantsWithoutPayees = (db: Db): void => {
  const now = Date.now();
  const journal = createJournal(db, () => now);
  const inForce = db.prepare('SELECT id FROM standing_grant WHERE revoked_at IS NULL').pluck();
  const end = db.prepare(
    'UPDATE standing_grant SET revoked_at = ?, ended_because = ?, journal_seq = ? WHERE id = ? RETURNING *',
  );
  for (const id of inForce.all())
    journal.enter('standing_grant', end.get(now, withoutPayees, journal.next(), id) as Row, false);
};

const withoutPayees =
  'It named no payee. Since version 0.2 a standing approval serves only payees that you were shown: approve the next payment, and allow further ones there.';

/**
 * Adds open payments to the sums that the owner is shown. Version 0.1 reported a payment once it was final; now a seen
 * one counts already.
 */
export const report = (condition: string): string => /* sql */ `
CREATE TEMP TABLE reported AS
  SELECT max(reserved_at, coalesce(block_time, 0)) / 86400000 AS day, agent_id, coalesce(service_id, '') AS service_id,
    amount
  FROM transfer WHERE is_open = 1 AND kind IN ('payment', 'charge') AND ${condition};
INSERT INTO spending_day (day, agent_id, service_id, amount, payments)
  SELECT day, agent_id, service_id, sum(amount), count(*) FROM reported WHERE TRUE GROUP BY 1, 2, 3
  ON CONFLICT DO UPDATE SET amount = amount + excluded.amount, payments = payments + excluded.payments;
UPDATE spending SET lifetime_amount = lifetime_amount + sums.amount, lifetime_payments = lifetime_payments + sums.payments
  FROM (SELECT agent_id, sum(amount) AS amount, count(*) AS payments FROM reported GROUP BY 1
        UNION ALL SELECT '', sum(amount), count(*) FROM reported HAVING count(*) > 0) AS sums
  WHERE sums.agent_id = spending.scope;
DROP TABLE reported;
`;

const layout = /* sql */ `
-- Payees that the owner was shown, as a JSON list; null in a grant that ended before there were any.
ALTER TABLE standing_grant ADD COLUMN payees TEXT;
ALTER TABLE standing_grant ADD COLUMN ended_because TEXT;

-- What the agent says that it is for.
ALTER TABLE transfer ADD COLUMN reason TEXT;
-- The API key that asked; null: the owner did, or an older version wrote the row.
ALTER TABLE transfer ADD COLUMN key_id TEXT;

-- What a client asked for that wants to go on with it: the hash covers whose wish it is and the request.
CREATE TABLE wish (
  transfer_id TEXT PRIMARY KEY NOT NULL REFERENCES transfer (id),
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  created_at INTEGER NOT NULL,
  received_at INTEGER,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX wish_open ON wish (hash, created_at) WHERE received_at IS NULL;
CREATE TRIGGER wish_is_fixed BEFORE UPDATE OF transfer_id, hash, created_at ON wish
BEGIN SELECT RAISE(ABORT, 'what was wished never changes'); END;
CREATE TRIGGER wish_is_kept BEFORE DELETE ON wish
BEGIN SELECT RAISE(ABORT, 'a wish is never forgotten'); END;

-- How many further refusals a denied payment stands for.
CREATE TABLE refusal_count (
  transfer_id TEXT PRIMARY KEY NOT NULL REFERENCES transfer (id),
  folded INTEGER NOT NULL CHECK (folded > 0),
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- The keys of those: a key that was refused stays refused. Both are SHA-256, of scope and key and of route and body.
CREATE TABLE refused_key (
  digest BLOB PRIMARY KEY NOT NULL CHECK (length(digest) = 32),
  body_hash BLOB NOT NULL CHECK (length(body_hash) = 32),
  transfer_id TEXT NOT NULL REFERENCES transfer (id)
) STRICT, WITHOUT ROWID;
CREATE TABLE refused_keys_of (
  agent_id TEXT PRIMARY KEY NOT NULL REFERENCES agent (agent_id),
  keys INTEGER NOT NULL CHECK (keys > 0)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER refused_key_is_fixed BEFORE UPDATE ON refused_key
BEGIN SELECT RAISE(ABORT, 'a refused key never changes'); END;
CREATE TRIGGER refused_key_is_kept BEFORE DELETE ON refused_key
BEGIN SELECT RAISE(ABORT, 'a refused key is never forgotten'); END;
`;
