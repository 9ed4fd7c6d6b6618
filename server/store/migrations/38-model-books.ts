// Model tokens in the books: the owner's corrections of requests, which count beside them, and the suppliers' invoices.
import type { Db } from '../db.ts';
import { changeChecks } from '../change-checks.ts';

const tables = /* sql */ `
ALTER TABLE model_request ADD COLUMN corrects TEXT REFERENCES model_request (id) CHECK (corrects IS NULL OR bound = 0);
CREATE INDEX model_request_corrections ON model_request (corrects) WHERE corrects IS NOT NULL;
CREATE TRIGGER model_request_correction_is_fixed BEFORE UPDATE OF corrects ON model_request
BEGIN SELECT RAISE(ABORT, 'a correction of a model request never changes'); END;

CREATE TABLE model_invoice (
  id TEXT PRIMARY KEY NOT NULL,
  service_id TEXT NOT NULL,
  month TEXT NOT NULL,
  amount INTEGER NOT NULL,
  -- Of the liability: what was recorded for the month, less what earlier invoices for it have cleared.
  cleared INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  journal_seq INTEGER NOT NULL
) STRICT;
CREATE TRIGGER model_invoice_is_fixed BEFORE UPDATE ON model_invoice
BEGIN SELECT RAISE(ABORT, 'an invoice never changes'); END;
CREATE TRIGGER model_invoice_is_kept BEFORE DELETE ON model_invoice
BEGIN SELECT RAISE(ABORT, 'an invoice is never deleted'); END;
`;

export const modelBooks = (db: Db): void => {
  db.exec(tables);
  changeChecks(db, 'model_request', [
    ['amount INTEGER CHECK (amount >= 0)', 'amount INTEGER CHECK (amount >= 0 OR corrects IS NOT NULL)'],
  ]);
};
