// Image tasks, and the owner's changes to image models.

export const generation = /* sql */ `
CREATE TABLE task (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  model_id TEXT NOT NULL,
  model_name TEXT NOT NULL,
  prompt TEXT NOT NULL,
  resolution TEXT NOT NULL CHECK (resolution IN ('1k', '2k', '4k')),
  cost INTEGER NOT NULL CHECK (cost > 0),
  charge_id TEXT NOT NULL UNIQUE REFERENCES transfer (id),
  state TEXT NOT NULL CHECK (state IN ('queued', 'generating', 'success', 'failed')),
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER CHECK ((ended_at IS NOT NULL) = (state IN ('success', 'failed'))),
  image TEXT CHECK ((image IS NOT NULL) = (state = 'success')),
  failure TEXT CHECK ((failure IS NOT NULL) = (state = 'failed')),
  refund TEXT CHECK (refund IS NULL OR (refund IN ('owed', 'paid', 'void') AND state = 'failed')),
  refund_id TEXT REFERENCES transfer (id),
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX task_agent ON task (agent_id, seq);
CREATE INDEX task_unsettled ON task (seq) WHERE state IN ('queued', 'generating') OR refund = 'owed';

-- A refund names its charge as its invoice: there is one that may still land, or has landed.
CREATE UNIQUE INDEX transfer_refund ON transfer (invoice)
  WHERE kind = 'refund' AND state NOT IN ('denied', 'failed', 'dead', 'cancelled');

CREATE TABLE model (
  id TEXT PRIMARY KEY,
  enabled INTEGER CHECK (enabled IN (0, 1)),
  pricing TEXT NOT NULL,
  journal_seq INTEGER NOT NULL
) STRICT;
`;
