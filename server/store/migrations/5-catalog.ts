// Facts about a service beside its protected row, and the index of listed services. None of it says what may be paid.

export const catalog = /* sql */ `
CREATE TABLE service_facts (
  number INTEGER PRIMARY KEY,
  service_id TEXT NOT NULL UNIQUE REFERENCES service (id),
  source TEXT NOT NULL,
  listed INTEGER NOT NULL CHECK (listed IN (0, 1)),
  added_by_owner INTEGER NOT NULL DEFAULT 0 CHECK (added_by_owner IN (0, 1)),
  preferred INTEGER AS (added_by_owner = 1 OR source = 'svc-native'),
  -- The name as it is compared; null until the entry is in the index.
  sort_name TEXT,
  calls INTEGER NOT NULL DEFAULT 0,
  successes INTEGER NOT NULL DEFAULT 0 CHECK (successes BETWEEN 0 AND calls),
  median_latency_ms INTEGER,
  last_seen_at INTEGER,
  -- How well the last calls went, from 0 to 1; in the middle when there were none.
  standing REAL NOT NULL DEFAULT 0.5 CHECK (standing BETWEEN 0 AND 1)
) STRICT;
CREATE INDEX service_by_name ON service_facts (sort_name);
CREATE INDEX service_best ON service_facts (preferred DESC, standing DESC, sort_name, service_id) WHERE listed = 1;
CREATE INDEX service_best_of_source ON service_facts (source, preferred DESC, standing DESC, sort_name, service_id)
  WHERE listed = 1;

-- The last calls of each service: a ring, a later call takes the slot of the oldest.
CREATE TABLE service_call (
  number INTEGER NOT NULL REFERENCES service_facts (number),
  slot INTEGER NOT NULL,
  ok INTEGER NOT NULL CHECK (ok IN (0, 1)),
  latency_ms INTEGER NOT NULL,
  PRIMARY KEY (number, slot)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE service_search USING fts5 (id, name, category, description, place,
  content = '', contentless_delete = 1, prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 0');
-- Every word that is or was in the index, for what to make of one that is not.
CREATE TABLE service_word (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

INSERT INTO service_facts (service_id, source, listed) SELECT id, source, 1 FROM service ORDER BY id;
`;
