// Changes the checks of a table that may hold millions of rows. SQLite can change a check only by writing all of them again.
// So the table's text is edited, as SQLite documents it for changes that leave the content as it is: every row that the old
// checks allow, the new ones allow too. https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes
import { invariant } from '../errors.ts';
import type { Db } from './db.ts';

/** @param checks the text of each check, and what it becomes */
export const changeChecks = (
  db: Db,
  table: string,
  checks: readonly (readonly [from: string, to: string])[],
): void => {
  const sqlOf = db.prepare(`SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?`).pluck();
  const wanted = checks.reduce(
    (text, [from, to]) => {
      invariant(text.split(from).length === 2, `the table ${table} has one check "${from}"`);
      return text.replace(from, () => to);
    },
    String(sqlOf.get(table)),
  );
  const version = Number(db.pragma('schema_version', { simple: true }));
  db.unsafeMode(true);
  try {
    db.pragma('writable_schema = ON');
    db.prepare(`UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?`).run(wanted, table);
    // Every statement from here on is made for the new text.
    db.pragma(`schema_version = ${version + 1}`);
    db.pragma('writable_schema = OFF');
  } finally {
    db.unsafeMode(false);
  }
  invariant(sqlOf.get(table) === wanted, `the table ${table} has its new checks`);
};
