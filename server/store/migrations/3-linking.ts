// Link sessions, and who may complete them. A session lasts ten minutes, its row not much longer.

export const linking = /* sql */ `
CREATE TABLE link_session (
  id TEXT PRIMARY KEY,
  machine TEXT NOT NULL,
  code TEXT NOT NULL,
  agent_id TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'complete', 'denied')),
  token_hash BLOB NOT NULL UNIQUE,
  poll_hash BLOB NOT NULL,
  public_key BLOB NOT NULL,
  sealed_key BLOB CHECK ((sealed_key IS NOT NULL) = (status = 'complete')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE identity (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('wallet', 'email', 'provider')),
  subject TEXT NOT NULL,
  label TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  removed_at INTEGER,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX identity_in_force ON identity (kind, subject) WHERE removed_at IS NULL;

CREATE TABLE sign_in (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  settings TEXT NOT NULL,
  journal_seq INTEGER NOT NULL
) STRICT;
`;
