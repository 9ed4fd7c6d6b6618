// Bookkeeping: transfers in the order of their blocks, the owner's rules, and the months that are closed.

export const books = /* sql */ `
CREATE INDEX transfer_booked ON transfer (block_time) WHERE state = 'final';
CREATE INDEX transfer_failed ON transfer (ended_at) WHERE state = 'failed';
CREATE INDEX deposit_booked ON deposit (at) WHERE status = 'final';
-- A few rows of millions, and none where nothing was restored.
CREATE INDEX entry_opening ON entry (account) WHERE source = 'opening';

CREATE TABLE book_rule (
  id TEXT PRIMARY KEY,
  rank INTEGER NOT NULL,
  payee TEXT,
  service_id TEXT,
  origin TEXT,
  agent_id TEXT,
  group_id TEXT,
  account TEXT NOT NULL,
  cost_centre TEXT,
  created_at INTEGER NOT NULL,
  -- A rule that was taken away; its row stays.
  ended_at INTEGER,
  journal_seq INTEGER NOT NULL,
  CHECK (coalesce(payee, service_id, origin, agent_id, group_id) IS NOT NULL)
) STRICT;

CREATE TABLE book_month (
  month TEXT PRIMARY KEY,
  zone TEXT NOT NULL,
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL CHECK (to_at > from_at),
  closed_at INTEGER NOT NULL,
  entries INTEGER NOT NULL CHECK (entries >= 0),
  root TEXT NOT NULL,
  -- A JSON array of sentences.
  differences TEXT NOT NULL,
  changed_at INTEGER,
  journal_seq INTEGER NOT NULL
) STRICT;
`;
