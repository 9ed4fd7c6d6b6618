// Requests to language models with the owner's own keys. They count like payments, and nothing of them is on the chain.

const immutable = `id, agent_id, key_id, group_id, key_1, key_2, key_3, service_id, model, wire, bound, prices,
  policy_version, grant_id, created_at, reserved_at`;

const index = (column: string): string => /* sql */ `
CREATE INDEX model_request_${column}_counted ON model_request (${column}, counted_at, counted_amount)
  WHERE ${column} IS NOT NULL;`;

export const modelRequests = /* sql */ `
-- A JSON array of ids and of beginnings of ids; null: none for an agent, and no limit at another node.
ALTER TABLE policy ADD COLUMN allowed_models TEXT;
ALTER TABLE node_limits ADD COLUMN allowed_models TEXT;

-- held: it may have left from the moment that this row is on disk, and counts with its bound, the most that it can cost.
-- settled: it counts with its amount, since its reservation. usage and prices are JSON.
CREATE TABLE model_request (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  key_id TEXT NOT NULL,
  group_id TEXT,
  key_1 TEXT,
  key_2 TEXT,
  key_3 TEXT,
  service_id TEXT NOT NULL,
  model TEXT NOT NULL,
  wire TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('denied', 'held', 'settled', 'released')),
  refusal_code TEXT,
  refusal_message TEXT,
  refusal_details TEXT,
  policy_version INTEGER NOT NULL,
  grant_id TEXT,
  bound INTEGER NOT NULL CHECK (bound >= 0),
  amount INTEGER CHECK (amount >= 0),
  mark TEXT CHECK (mark IN ('exact', 'estimated', 'unknown')),
  usage TEXT,
  prices TEXT NOT NULL,
  answered_model TEXT,
  supplier_request TEXT,
  status INTEGER,
  created_at INTEGER NOT NULL,
  reserved_at INTEGER,
  ended_at INTEGER,
  counted_at INTEGER,
  counted_amount INTEGER NOT NULL DEFAULT 0,
  is_open INTEGER NOT NULL CHECK (is_open = (state = 'held')),
  journal_seq INTEGER NOT NULL,
  CHECK ((state = 'settled') = (amount IS NOT NULL)),
  CHECK ((state = 'settled') = (mark IS NOT NULL)),
  CHECK ((state = 'settled') = (counted_at IS NOT NULL)),
  CHECK (counted_amount = coalesce(amount, 0)),
  CHECK ((state = 'denied') = (reserved_at IS NULL)),
  CHECK ((state = 'held') = (ended_at IS NULL)),
  CHECK ((state IN ('denied', 'released')) = (refusal_code IS NOT NULL))
) STRICT;
CREATE INDEX model_request_agent ON model_request (agent_id, seq);
CREATE INDEX model_request_open ON model_request (agent_id, bound) WHERE is_open = 1;
CREATE INDEX model_request_counted ON model_request (counted_at, counted_amount) WHERE counted_at IS NOT NULL;
${['agent_id', 'group_id', 'key_1', 'key_2', 'key_3'].map(index).join('')}
CREATE INDEX model_request_service_counted ON model_request
  (service_id, counted_at, counted_amount, agent_id, group_id, key_1, key_2, key_3) WHERE counted_at IS NOT NULL;
CREATE TRIGGER model_request_end_is_final BEFORE UPDATE ON model_request WHEN OLD.state <> 'held'
BEGIN SELECT RAISE(ABORT, 'a model request that has ended never changes'); END;
CREATE TRIGGER model_request_terms_are_fixed BEFORE UPDATE OF ${immutable} ON model_request
BEGIN SELECT RAISE(ABORT, 'what a model request may cost never changes'); END;
CREATE TRIGGER model_request_is_kept BEFORE DELETE ON model_request
BEGIN SELECT RAISE(ABORT, 'a model request is never deleted'); END;
`;
