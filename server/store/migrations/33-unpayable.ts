// Sellers that asked agents for what this treasury cannot pay with.

export const unpayable = /* sql */ `
-- price is that of the last demand, in the token's smallest unit: as text, since it may exceed an integer.
CREATE TABLE unpayable (
  seller TEXT NOT NULL, network TEXT NOT NULL, asset TEXT NOT NULL, agent_id TEXT NOT NULL, price TEXT NOT NULL,
  times INTEGER NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL,
  PRIMARY KEY (seller, network, asset, agent_id)
) STRICT;
`;
