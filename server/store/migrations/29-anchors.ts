// Anchors of the books: transfers of a kind that moves nothing, and the owner's choice to make them.
import type { Db } from '../db.ts';
import { changeChecks } from '../change-checks.ts';

/** A transfer of nothing to its own wallet is an anchor, and no other is. */
const checks = [
  [`'withdrawal', 'refund'))`, `'withdrawal', 'refund', 'anchor'))`],
  [`CHECK (payee <> wallet)`, `CHECK ((payee = wallet) = (kind = 'anchor'))`],
  [`CHECK (amount > 0)`, `CHECK (amount >= 0 AND (amount = 0) = (kind = 'anchor'))`],
  [
    `CHECK (kind NOT IN ('payment', 'charge') OR agent_id IS NOT NULL)`,
    `CHECK (kind NOT IN ('payment', 'charge') OR agent_id IS NOT NULL),
  CHECK (kind <> 'anchor' OR (asset = 'SOL' AND wallet_index = 0 AND agent_id IS NULL AND source IS NULL
    AND rent_lamports = 0 AND service_id IS NULL AND invoice IS NOT NULL))`,
  ],
] as const;

const tables = /* sql */ `
-- One row, from the owner's first choice on.
CREATE TABLE anchoring (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
  since INTEGER NOT NULL,
  journal_seq INTEGER NOT NULL
) STRICT;
`;

export const anchors = (db: Db): void => {
  changeChecks(db, 'transfer', checks);
  db.exec(tables);
};
