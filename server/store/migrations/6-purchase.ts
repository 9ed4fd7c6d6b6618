// Purchases: the seller's offer, our request, and whether it was delivered.

export const purchase = /* sql */ `
CREATE TABLE purchase (
  transfer_id TEXT PRIMARY KEY NOT NULL REFERENCES transfer (id),
  dialect TEXT NOT NULL CHECK (dialect IN ('receipt', 'x402-v2', 'x402-v1', 'mpp')),
  fee_payer TEXT,
  memo TEXT,
  terms TEXT NOT NULL,
  carrier TEXT NOT NULL CHECK (carrier IN ('treasury', 'agent')),
  method TEXT NOT NULL,
  url TEXT NOT NULL,
  request_hash TEXT NOT NULL CHECK (length(request_hash) = 64),
  tx_signature TEXT,
  delivery TEXT NOT NULL CHECK (delivery IN ('open', 'delivered', 'undelivered')),
  evidence TEXT,
  journal_seq INTEGER NOT NULL,
  CHECK (dialect NOT IN ('x402-v2', 'x402-v1') OR fee_payer IS NOT NULL),
  CHECK (dialect <> 'x402-v2' OR memo IS NOT NULL),
  CHECK (dialect <> 'receipt' OR (fee_payer IS NULL AND memo IS NULL))
) STRICT;
CREATE UNIQUE INDEX purchase_transaction ON purchase (tx_signature) WHERE tx_signature IS NOT NULL;

CREATE TRIGGER purchase_terms_are_fixed
BEFORE UPDATE OF transfer_id, dialect, fee_payer, memo, terms, carrier, method, url, request_hash ON purchase
BEGIN SELECT RAISE(ABORT, 'what a purchase is for never changes'); END;
CREATE TRIGGER purchase_is_kept BEFORE DELETE ON purchase
BEGIN SELECT RAISE(ABORT, 'a purchase is never deleted'); END;

-- What sellers answered, for a day: the same Idempotency-Key gets it again.
CREATE TABLE seller_answer (
  transfer_id TEXT PRIMARY KEY NOT NULL REFERENCES transfer (id),
  status INTEGER NOT NULL,
  headers TEXT NOT NULL,
  body BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX seller_answer_age ON seller_answer (at);
`;
