// Remote words: the wallets on the owner's phones, the requests that they may answer, and every word that they sent.

export const phones = /* sql */ `
CREATE TABLE phone_wallet (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  per_approval INTEGER NOT NULL CHECK (per_approval >= 0),
  per_day INTEGER NOT NULL CHECK (per_day >= 0),
  registered_at INTEGER NOT NULL,
  approves_from INTEGER NOT NULL,
  removed_at INTEGER,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX phone_wallet_registered ON phone_wallet (address) WHERE removed_at IS NULL;
-- id is the approval's.
CREATE TABLE phone_request (
  id TEXT PRIMARY KEY NOT NULL,
  hash TEXT NOT NULL,
  reference TEXT NOT NULL UNIQUE,
  code TEXT NOT NULL,
  journal_seq INTEGER NOT NULL
) STRICT;
-- id is the transaction's signature: each counts once.
CREATE TABLE phone_word (
  id TEXT PRIMARY KEY NOT NULL,
  wallet_id TEXT NOT NULL,
  memo TEXT NOT NULL,
  approval_id TEXT,
  -- What it approved, in micro-USDC; 0 when it approved nothing.
  amount INTEGER NOT NULL CHECK (amount >= 0),
  why_not TEXT,
  at INTEGER NOT NULL,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX phone_word_at ON phone_word (at);
CREATE TRIGGER phone_word_is_kept BEFORE DELETE ON phone_word
BEGIN SELECT RAISE(ABORT, 'a remote word is never forgotten'); END;
-- 1: notices of approvals carry their links for a phone there.
ALTER TABLE notice_channel ADD COLUMN phone_links INTEGER CHECK (phone_links = 1);
`;
