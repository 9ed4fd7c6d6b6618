// Boosts: the budgets of one node, raised until a time.

export const boosts = /* sql */ `
-- node is the scope of its sums. One at a time is in force on a node: another ends it, as the owner's word does.
CREATE TABLE boost (
  id TEXT PRIMARY KEY NOT NULL,
  node TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  until INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX boost_in_force ON boost (node) WHERE ended_at IS NULL;
CREATE TRIGGER boost_is_kept BEFORE DELETE ON boost
BEGIN SELECT RAISE(ABORT, 'a boost is never forgotten'); END;
`;
