// Sign-in-with-x: the sellers that delivered to a buyer, and the challenges of sellers that were answered.

export const sellerSignIns = /* sql */ `
-- principal is the agent, or the delegated key that bought.
CREATE TABLE seller_known (
  principal TEXT NOT NULL,
  origin TEXT NOT NULL,
  PRIMARY KEY (principal, origin)
) STRICT, WITHOUT ROWID;
-- id names wallet, origin and nonce: each challenge is answered once.
CREATE TABLE seller_sign_in (
  id TEXT PRIMARY KEY NOT NULL,
  agent_id TEXT NOT NULL,
  principal TEXT NOT NULL,
  origin TEXT NOT NULL,
  nonce TEXT NOT NULL,
  at INTEGER NOT NULL,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX seller_sign_in_at ON seller_sign_in (agent_id, at);
`;
