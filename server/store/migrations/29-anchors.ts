// Anchors of the books: transfers of a kind that moves nothing, and the owner's choice to make them.
//
// The table of transfers may hold millions of rows, and SQLite can change a check only by writing all of them again. So
// its text is edited, as SQLite documents it for changes that leave the content as it is: every row that the old checks
// allow, the new ones allow too. https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes
import { invariant } from '../../errors.ts';
import type { Db } from '../db.ts';

/** The text of each check, and what it becomes: a transfer of nothing to its own wallet is an anchor, and no other is. */
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

const newText = (old: string): string =>
  checks.reduce((text, [from, to]) => {
    invariant(text.split(from).length === 2, `the table of transfers has one check "${from}"`);
    return text.replace(from, () => to);
  }, old);

const changeChecks = (db: Db): void => {
  const sqlOf = db
    .prepare(`SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'transfer'`)
    .pluck();
  const wanted = newText(String(sqlOf.get()));
  const version = Number(db.pragma('schema_version', { simple: true }));
  db.unsafeMode(true);
  try {
    db.pragma('writable_schema = ON');
    db.prepare(`UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = 'transfer'`).run(wanted);
    // Every statement from here on is made for the new text.
    db.pragma(`schema_version = ${version + 1}`);
    db.pragma('writable_schema = OFF');
  } finally {
    db.unsafeMode(false);
  }
  invariant(sqlOf.get() === wanted, 'the table of transfers has its new checks');
};

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
  changeChecks(db);
  db.exec(tables);
};
