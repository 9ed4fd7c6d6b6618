// The whole of the journal and every protected row, verified bit by bit: first the chain from its first entry, then the
// rows of each table in their order. Ten million payments are read once and in sequence, and hold nobody up.
import type { JournalBreak, JournalHead } from '../engine/ports.ts';
import type { Db } from './database.ts';
import { follow, protectedTables, type EntryRow, type ProtectedTable, type Row } from './digests.ts';
import { createRowCheck } from './row-check.ts';

/** Entries, or rows, of one step: a few milliseconds. */
const stretch = 250;

/** Goes on with up to `stretch` of what it walks; returns how many there were, or what is broken. */
type Walk = () => number | JournalBreak;

/**
 * Yields between two steps, while payments go on; returns null, or what is broken. What is written meanwhile is verified
 * as well: the last step finds nothing left of anything.
 */
export function* verifyAll(db: Db): Generator<void, JournalBreak | null> {
  const created = new Map<string, number>();
  const rows = new Map<ProtectedTable, number>();
  const tables = Object.keys(protectedTables) as ProtectedTable[];
  const walks = [entries(db, created), ...tables.map((table) => rowsOf(db, table, rows))];
  for (let isDone = false; !isDone;) {
    isDone = true;
    for (const walk of walks) {
      for (let walked = walk(); walked !== 0; walked = walk()) {
        if (typeof walked !== 'number') return walked;
        if (walked < stretch) break;
        isDone = false;
        yield;
      }
    }
  }
  // Every row has its entry of creation, and nothing else has one.
  const changed = tables.find((table) => (rows.get(table) ?? 0) !== (created.get(table) ?? 0));
  return changed === undefined
    ? null
    : { broken: `rows of ${changed} were added or removed outside the treasury` };
}

const entries = (db: Db, created: Map<string, number>): Walk => {
  const next = db.prepare('SELECT * FROM journal WHERE seq > ? ORDER BY seq LIMIT ?');
  let at: JournalHead = { seq: 0, hash: Buffer.alloc(32) };
  return () => {
    const found = next.all(at.seq, stretch) as EntryRow[];
    for (const entry of found) {
      const reached = follow(at, entry);
      if ('broken' in reached) return reached;
      at = reached;
      if (entry.created !== 1n) continue;
      const [table = ''] = entry.subject.split(':', 1);
      created.set(table, (created.get(table) ?? 0) + 1);
    }
    return found.length;
  };
};

/** Each row against the entry that it names. No protected row is ever deleted: a later one has a higher rowid. */
const rowsOf = (db: Db, table: ProtectedTable, counted: Map<ProtectedTable, number>): Walk => {
  const next = db.prepare(`SELECT * FROM ${table} WHERE rowid > ? AND rowid <= ? ORDER BY rowid`);
  const reach = db
    .prepare(
      `SELECT max(at) FROM (SELECT rowid AS at FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${stretch})`,
    )
    .pluck();
  const fault = createRowCheck(db, table);
  let at = 0n;
  return () => {
    const until = reach.get(at) as bigint | null;
    if (until === null) return 0;
    const some = next.all(at, until) as Row[];
    at = until;
    for (const row of some) {
      const found = fault(row);
      if (found !== null) return found;
    }
    counted.set(table, (counted.get(table) ?? 0) + some.length);
    return some.length;
  };
};
