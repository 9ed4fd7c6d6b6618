// The cold treasury, on which the treasury draws within an allowance.

export const cold = /* sql */ `
-- The owner's choice; at most one row. All null: there is none.
CREATE TABLE cold_treasury (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  address TEXT,
  since INTEGER,
  stopped_at INTEGER,
  journal_seq INTEGER NOT NULL
) STRICT;

-- Its token account as last read from the chain, as of slot and of moved_slot. Micro-USDC.
CREATE TABLE cold_account (
  address TEXT PRIMARY KEY NOT NULL,
  balance INTEGER NOT NULL DEFAULT 0,
  allowance INTEGER NOT NULL DEFAULT 0,
  fault TEXT DEFAULT 'missing',
  granted INTEGER NOT NULL DEFAULT 0,
  told INTEGER NOT NULL DEFAULT 0,
  pending INTEGER NOT NULL DEFAULT 0,
  paused_until INTEGER NOT NULL DEFAULT 0,
  slot INTEGER NOT NULL DEFAULT 0,
  moved_slot INTEGER NOT NULL DEFAULT 0,
  scanned_to TEXT
) STRICT;

-- The owner of the token account that pays, where it is not the wallet: a cold treasury, of which the wallet is the
-- delegate.
ALTER TABLE transfer ADD COLUMN source TEXT;
`;
