// Verifies the whole journal and every protected row in small steps: first the chain from its first entry, then each
// table's rows in order. Ten million payments are read once, in sequence, and nothing waits for it.
import type { JournalBreak, JournalHead } from '../../engine/ports.ts';
import type { Db } from '../db.ts';
import { follow, protectedTables, type EntryRow, type ProtectedTable, type Row } from './digests.ts';
import { createRowCheck } from './row-check.ts';

/** Entries or rows in one step: a few milliseconds. */
const stretch = 250;

/** Walks up to `stretch` further. Returns how many it met, or the fault. */
type Walk = () => number | JournalBreak;

/**
 * Yields between two steps, while payments go on. Returns null, or the fault. It ends once nothing is left, so that it
 * also verifies what is written meanwhile.
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
  // As many rows as entries of creation: none was added or removed without one.
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

/** Each row against the entry that it names. Protected rows are never deleted: a later one has a higher rowid. */
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
