// The sales of a seller whose wallet is one of ours, as the seller's own records name them: by these, the books tell
// income from other deposits.
export const sales = /* sql */ `
CREATE TABLE book_sale (
  tx_signature TEXT PRIMARY KEY NOT NULL,
  recipient TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE TRIGGER book_sale_is_fixed BEFORE UPDATE ON book_sale
BEGIN SELECT RAISE(ABORT, 'a sale never changes'); END;
CREATE TRIGGER book_sale_is_kept BEFORE DELETE ON book_sale
BEGIN SELECT RAISE(ABORT, 'a sale is never deleted'); END;

-- A withdrawal that sends a deposit back names it as its invoice.
CREATE INDEX transfer_sent_back ON transfer (invoice) WHERE kind = 'withdrawal' AND invoice IS NOT NULL;
`;
