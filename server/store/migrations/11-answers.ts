// Sellers' answers leave the database: their bodies become files, which a table describes.

export const answers = /* sql */ `
-- The body is the file of this name. What version 0.1 kept in seller_answer moves there at the first start.
CREATE TABLE kept_answer (
  transfer_id TEXT PRIMARY KEY NOT NULL REFERENCES transfer (id),
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  status INTEGER NOT NULL,
  headers TEXT NOT NULL,
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  encoding TEXT NOT NULL CHECK (encoding IN ('utf8', 'base64')),
  at INTEGER NOT NULL,
  received_at INTEGER
) STRICT;
CREATE INDEX kept_answer_age ON kept_answer (at);
CREATE INDEX kept_answer_received ON kept_answer (agent_id, at) WHERE received_at IS NOT NULL;
`;
