// Notices to the owner: the channels, an outbox, and a delivery of each notice to each channel that wants it.

export const notices = /* sql */ `
-- Protected, since a password or a token goes where the place says. Removed ones are kept for the history.
CREATE TABLE notice_channel (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  -- JSON of the kind and its settings, without secrets.
  place TEXT NOT NULL,
  -- A JSON list of the kinds of notices that are wanted there.
  kinds TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  removed_at INTEGER,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE TRIGGER notice_channel_is_kept BEFORE DELETE ON notice_channel
BEGIN SELECT RAISE(ABORT, 'a channel of notices is never forgotten'); END;

CREATE TABLE notice (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  -- Empty: about no agent.
  agent_id TEXT NOT NULL,
  subject TEXT,
  title TEXT NOT NULL,
  text TEXT NOT NULL,
  events INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL
) STRICT;
CREATE INDEX notice_of ON notice (agent_id, kind, seq);

CREATE TABLE notice_delivery (
  notice_seq INTEGER NOT NULL REFERENCES notice (seq) ON DELETE CASCADE,
  channel_id TEXT NOT NULL REFERENCES notice_channel (id),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
  attempts INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  until_at INTEGER NOT NULL,
  ended_at INTEGER,
  answer TEXT,
  -- Copies of the notice's, for the order of a channel.
  urgent INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  PRIMARY KEY (notice_seq, channel_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX notice_waiting ON notice_delivery (channel_id, urgent DESC, due_at, notice_seq) WHERE state = 'waiting';
CREATE INDEX notice_failed ON notice_delivery (notice_seq) WHERE state = 'failed';

-- The balance below which an agent's wallet is low. Empty: for agents without their own. Null: never.
CREATE TABLE low_balance (
  agent_id TEXT PRIMARY KEY NOT NULL,
  units INTEGER CHECK (units >= 0)
) STRICT, WITHOUT ROWID;
`;
