// Suppliers of language models, and the owner's settings for their models. Prices of the price list are never stored.

export const models = /* sql */ `
CREATE TABLE model_supplier (
  id TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  base_url TEXT NOT NULL,
  has_key INTEGER NOT NULL CHECK (has_key IN (0, 1)),
  allow_private INTEGER NOT NULL CHECK (allow_private IN (0, 1)),
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  -- 1,000,000 is 1.
  factor INTEGER NOT NULL CHECK (factor >= 1000000),
  extra_fields TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  removed_at INTEGER,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE TABLE language_model (
  -- The supplier's id, a slash, and the model's.
  id TEXT PRIMARY KEY NOT NULL,
  supplier_id TEXT NOT NULL REFERENCES model_supplier (id),
  model_id TEXT NOT NULL,
  -- Micro-USDC for a million tokens.
  input INTEGER, output INTEGER, cached_input INTEGER, cache_write INTEGER,
  priced_at INTEGER,
  max_output INTEGER,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  journal_seq INTEGER NOT NULL,
  CHECK ((input IS NULL) = (output IS NULL))
) STRICT;
`;
