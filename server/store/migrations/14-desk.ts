// The owner's word on a service, for all agents; and how the owner marks agents.

export const desk = /* sql */ `
-- Blocked: no agent can pay it. Trusted: the treasury opens its token account without asking. The id need not be one of
-- the catalog: a URL outside it goes by its origin. Rows are kept, so that the journal shows every change.
CREATE TABLE service_rule (
  id TEXT PRIMARY KEY NOT NULL,
  blocked_at INTEGER,
  trusted_at INTEGER,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE TRIGGER service_rule_is_kept BEFORE DELETE ON service_rule
BEGIN SELECT RAISE(ABORT, 'a rule of a service is never forgotten'); END;

-- Null: derived from the agent's id.
ALTER TABLE agent ADD COLUMN color TEXT;
ALTER TABLE agent ADD COLUMN picture TEXT;
-- A JSON list of words; null: none.
ALTER TABLE agent ADD COLUMN tags TEXT;
`;
