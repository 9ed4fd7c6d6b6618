// The watch over agents. Agents that exist are watched as every agent is for which the owner has chosen nothing: what it
// sees is recorded, and nothing is held or stopped.

export const watch = /* sql */ `
CREATE TABLE watch (
  agent_id TEXT PRIMARY KEY NOT NULL REFERENCES agent (agent_id),
  mode TEXT NOT NULL CHECK (mode IN ('off', 'tell', 'ask', 'pause')),
  -- Since when each payment waits for the owner, and the trip that began it; null: none does.
  asking_since INTEGER,
  asking_trip TEXT,
  journal_seq INTEGER NOT NULL,
  CHECK ((asking_since IS NULL) = (asking_trip IS NULL))
) STRICT;

CREATE TABLE watch_trip (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  at INTEGER NOT NULL,
  rule TEXT NOT NULL,
  -- The service; empty where the rule is about the whole agent.
  about TEXT NOT NULL,
  sentence TEXT NOT NULL,
  numbers TEXT NOT NULL,
  transfer_id TEXT REFERENCES transfer (id),
  did TEXT NOT NULL CHECK (did IN ('told', 'asked', 'paused', 'ended_key')),
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX watch_trip_agent ON watch_trip (agent_id, seq);
CREATE TRIGGER watch_trip_is_kept BEFORE DELETE ON watch_trip
BEGIN SELECT RAISE(ABORT, 'what the watch saw is never forgotten'); END;

-- The id is the agent's, a space, the rule, a space, and the service.
CREATE TABLE watch_mute (
  id TEXT PRIMARY KEY NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  rule TEXT NOT NULL,
  about TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX watch_mute_agent ON watch_mute (agent_id, until);
CREATE TRIGGER watch_mute_is_kept BEFORE DELETE ON watch_mute
BEGIN SELECT RAISE(ABORT, 'a mute is never forgotten'); END;

-- Sums and last values by agent, and by agent and service; the service is empty for the agent's own.
CREATE TABLE watch_memory (
  agent_id TEXT NOT NULL,
  service_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  memory TEXT NOT NULL,
  PRIMARY KEY (agent_id, service_id)
) STRICT, WITHOUT ROWID;
`;
