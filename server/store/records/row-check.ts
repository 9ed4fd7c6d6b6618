// Checks that a protected row is what the journal says, and that a look-up through each of its indexes finds it.
import type { JournalBreak } from '../../engine/ports.ts';
import type { Db } from '../db.ts';
import {
  changedOutside,
  isWhole,
  protectedTables,
  subjectOf,
  type ProtectedTable,
  type Row,
} from './digests.ts';
import { mapper } from '../row.ts';

/** An index, its columns separated by commas, and the condition of a partial one. */
const toIndex = mapper('sqlite_schema', (row) => ({
  name: row.text('name'),
  columns: row.text('columns').split(','),
  condition: / WHERE\s(.*)$/s.exec(row.textOrNull('sql') ?? '')?.[1] ?? 'TRUE',
}));

/** Whether an index holds a row exactly when it should. An index can be damaged while the table is whole. */
const indexChecks = (db: Db, table: ProtectedTable): ((row: Row) => boolean)[] =>
  db
    .prepare(/* sql */ `SELECT name, sql, (SELECT group_concat(name) FROM pragma_index_xinfo(i.name) WHERE key = 1) AS columns
        FROM sqlite_schema AS i WHERE type = 'index' AND tbl_name = ?`)
    .all(table)
    .map(toIndex)
    .map(({ name, columns, condition }) => {
      const counted = `SELECT count(*) FROM ${table}`;
      const entry = columns.map((column) => `${column} IS @${column}`).join(' AND ');
      const agrees = db
        .prepare(
          `SELECT (${counted} NOT INDEXED WHERE (${condition}) AND rowid = @rowid)
            = (${counted} INDEXED BY ${name} WHERE (${condition}) AND ${entry} AND rowid = @rowid)`,
        )
        .pluck();
      return (row) => agrees.get(row) === 1n;
    });

/** Returns a check for rows read from the table itself; the check returns null for an intact row. */
export const createRowCheck = (db: Db, table: ProtectedTable): ((row: Row) => JournalBreak | null) => {
  const id = protectedTables[table];
  const entryOf = db.prepare('SELECT subject, digest FROM journal WHERE seq = ?');
  const found = db.prepare(`SELECT rowid AS rowid, journal_seq FROM ${table} WHERE ${id} = ?`);
  const checks = indexChecks(db, table);
  return (row) => {
    const subject = subjectOf(table, row);
    if (!isWhole(entryOf.get(row['journal_seq']), table, row)) return { broken: changedOutside(subject) };
    // A row hidden by a damaged index is as good as removed.
    const place = found.get(row[id]) as Row | undefined;
    if (place === undefined || place['journal_seq'] !== row['journal_seq'])
      return { broken: `${subject} is not found by its id` };
    const isIndexed = checks.every((check) => check({ ...row, rowid: place['rowid'] }));
    return isIndexed ? null : { broken: `${subject} is missing in an index` };
  };
};
