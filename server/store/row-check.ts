// Whether a row of a protected table is what the journal says of it, and is there for who asks for it by its id.
import type { JournalBreak } from '../engine/ports.ts';
import type { Db } from './database.ts';
import {
  changedOutside,
  isWhole,
  protectedTables,
  subjectOf,
  type ProtectedTable,
  type Row,
} from './digests.ts';

/** Of rows as the table itself holds them; null: there is nothing wrong with it. */
export const createRowCheck = (db: Db, table: ProtectedTable): ((row: Row) => JournalBreak | null) => {
  const id = protectedTables[table];
  const entryOf = db.prepare('SELECT subject, digest FROM journal WHERE seq = ?');
  const found = db.prepare(`SELECT journal_seq FROM ${table} WHERE ${id} = ?`).pluck();
  return (row) => {
    const subject = subjectOf(table, row);
    if (!isWhole(entryOf.get(row['journal_seq']), subject, row)) return { broken: changedOutside(subject) };
    // A whole row behind a damaged index is as good as removed.
    return found.get(row[id]) === row['journal_seq'] ? null : { broken: `${subject} is not found by its id` };
  };
};
