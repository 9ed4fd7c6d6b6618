// SOL that comes in: deposits of SOL beside those of USDC, and the balances with which the records of SOL begin.

export const solIn = /* sql */ `
-- Null: USDC.
ALTER TABLE deposit ADD COLUMN asset TEXT CHECK (asset = 'SOL');
-- Lamports that the treasury's wallet held beyond what the rows explain. Below zero: older debits are missing.
CREATE TABLE sol_opening (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, amount INTEGER NOT NULL) STRICT;
`;
