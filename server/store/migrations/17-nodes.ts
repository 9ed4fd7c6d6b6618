// Limits on groups of agents, on API keys that an agent delegates, and on the treasury over all agents.

export const nodes = /* sql */ `
-- The owner's folders of agents. Stopped: its agents were suspended together, and are resumed together.
CREATE TABLE agent_group (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  stopped_at INTEGER,
  archived_at INTEGER,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE TRIGGER agent_group_is_kept BEFORE DELETE ON agent_group
BEGIN SELECT RAISE(ABORT, 'a group is never forgotten'); END;

-- Null: in no group.
ALTER TABLE agent ADD COLUMN group_id TEXT REFERENCES agent_group (id);
-- The group whose stop suspended the agent.
ALTER TABLE agent ADD COLUMN stopped_with TEXT;
-- 1: the agent may mint API keys for others.
ALTER TABLE agent ADD COLUMN may_delegate INTEGER;

-- Null: one of the agent's own. Otherwise the key that minted it, or the agent's id when the owner did.
ALTER TABLE agent_key ADD COLUMN parent_id TEXT;
-- 1 for a key that the agent itself delegated, 2 for a key that such a key minted, and 3.
ALTER TABLE agent_key ADD COLUMN level INTEGER CHECK (level BETWEEN 1 AND 3);
CREATE INDEX agent_key_parent ON agent_key (parent_id) WHERE parent_id IS NOT NULL;

-- Every version of the limits of a node other than an agent. node is the scope of its sums; null limits nothing.
CREATE TABLE node_limits (
  id INTEGER PRIMARY KEY,
  node TEXT NOT NULL,
  version INTEGER NOT NULL,
  daily_budget INTEGER CHECK (daily_budget >= 0),
  weekly_budget INTEGER CHECK (weekly_budget >= 0),
  monthly_budget INTEGER CHECK (monthly_budget >= 0),
  total_budget INTEGER CHECK (total_budget >= 0),
  max_per_payment INTEGER CHECK (max_per_payment >= 0),
  cooldown_seconds INTEGER CHECK (cooldown_seconds >= 0),
  allowed_services TEXT,
  payments_per_hour INTEGER CHECK (payments_per_hour >= 0),
  payments_per_day INTEGER CHECK (payments_per_day >= 0),
  active_hours TEXT,
  expires_at INTEGER,
  total_since INTEGER,
  created_at INTEGER NOT NULL,
  journal_seq INTEGER NOT NULL,
  UNIQUE (node, version)
) STRICT;
CREATE TRIGGER node_limits_are_kept BEFORE DELETE ON node_limits
BEGIN SELECT RAISE(ABORT, 'limits are never forgotten'); END;

-- The nodes that a payment is charged to beside its agent: the group of then, and the delegated keys by their level.
ALTER TABLE transfer ADD COLUMN group_id TEXT;
ALTER TABLE transfer ADD COLUMN key_1 TEXT;
ALTER TABLE transfer ADD COLUMN key_2 TEXT;
ALTER TABLE transfer ADD COLUMN key_3 TEXT;
CREATE INDEX transfer_group_counted ON transfer (group_id, counted_at, counted_amount) WHERE group_id IS NOT NULL;
CREATE INDEX transfer_group_rate ON transfer (group_id, rated_at) WHERE group_id IS NOT NULL;
CREATE INDEX transfer_key_1_counted ON transfer (key_1, counted_at, counted_amount) WHERE key_1 IS NOT NULL;
CREATE INDEX transfer_key_1_rate ON transfer (key_1, rated_at) WHERE key_1 IS NOT NULL;
CREATE INDEX transfer_key_2_counted ON transfer (key_2, counted_at, counted_amount) WHERE key_2 IS NOT NULL;
CREATE INDEX transfer_key_2_rate ON transfer (key_2, rated_at) WHERE key_2 IS NOT NULL;
CREATE INDEX transfer_key_3_counted ON transfer (key_3, counted_at, counted_amount) WHERE key_3 IS NOT NULL;
CREATE INDEX transfer_key_3_rate ON transfer (key_3, rated_at) WHERE key_3 IS NOT NULL;
`;
