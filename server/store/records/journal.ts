// Every change of a protected row leaves an entry here with the row's digest; each entry's hash covers the one before
// it. Editing or removing a row or an entry breaks the chain.
import type { JournalBreak, JournalHead, Store } from '../../engine/ports.ts';
import { invariant } from '../../errors.ts';
import type { Db } from '../db.ts';
import {
  changedOutside,
  digestRow,
  follow,
  isWhole,
  link,
  protectedTables,
  subjectOf,
  type EntryRow,
  type ProtectedTable,
  type Row,
} from './digests.ts';
import { ifAny, mapper } from '../row.ts';
import { createRowCheck } from './row-check.ts';
import { verifyAll } from './verify-all.ts';

export type { ProtectedTable, Row } from './digests.ts';

export interface Journal {
  /** The number to write into `journal_seq` of the next row. */
  next(): number;
  /** Enters the row just written, as the database returned it. */
  enter(table: ProtectedTable, row: unknown, created: boolean): void;
  /** After a rollback: reads the head again, and empties the caches. */
  reload(): void;
  /** A cache of a table's rows, emptied by every entry about the table and by every rollback. */
  cache<T>(table: ProtectedTable): Cache<T>;
  head(): JournalHead;
  hashAt(seq: number): Buffer | undefined;
  verifyAfter: Store['journal']['verifyAfter'];
  verifyRules: Store['journal']['verifyRules'];
  verifyAll: Store['journal']['verifyAll'];
}

const emptyHash = Buffer.alloc(32);
const headIn = ifAny(
  mapper('journal', (row): JournalHead => ({ seq: row.integer('seq'), hash: row.bytes('hash') })),
);

export const createJournal = (db: Db, now: () => number): Journal => {
  const last = db.prepare('SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1');
  const hashAt = db.prepare('SELECT seq, hash FROM journal WHERE seq = ?');
  const insert = db.prepare(
    'INSERT INTO journal (seq, at, subject, created, digest, hash) VALUES (?, ?, ?, ?, ?, ?)',
  );
  let head: JournalHead = { seq: 0, hash: emptyHash };

  // Prepared on first use: a migration enters rows before the tables of later migrations exist.
  let verify: Store['journal']['verifyAfter'] | undefined;

  const caches = new Map<ProtectedTable, Cache<unknown>[]>();

  const readHead = (): void => {
    head = headIn(last.get()) ?? { seq: 0, hash: emptyHash };
  };
  readHead();

  return {
    next: () => head.seq + 1,
    enter(table, written, created) {
      invariant(typeof written === 'object' && written !== null, `a row of ${table} was written`);
      const row = written as Row;
      invariant(db.inTransaction, 'a row and its journal entry are written together');
      const seq = head.seq + 1;
      invariant(row['journal_seq'] === BigInt(seq), 'a protected row names its journal entry');
      const at = now();
      const subject = subjectOf(table, row);
      const digest = digestRow(table, row);
      const hash = link(head.hash, { seq, at, subject, created, digest });
      insert.run(seq, at, subject, created ? 1 : 0, digest, hash);
      head = { seq, hash };
      for (const cache of caches.get(table) ?? []) cache.clear();
    },
    reload() {
      readHead();
      for (const cache of [...caches.values()].flat()) cache.clear();
    },
    cache<T>(table: ProtectedTable) {
      const made = createCache<T>();
      caches.set(table, [...(caches.get(table) ?? []), made as Cache<unknown>]);
      return made;
    },
    head: () => head,
    hashAt: (seq) => headIn(hashAt.get(seq))?.hash,
    verifyAfter: (from, limit) => (verify ??= verifier(db))(from, limit),
    verifyRules: () => verifyRules(db),
    verifyAll: () => verifyAll(db),
  };
};

/** Verifies a stretch of the chain, and each row that it mentions against the entry that this row names. */
const verifier = (db: Db): Store['journal']['verifyAfter'] => {
  const stretch = db.prepare('SELECT * FROM journal WHERE seq > ? ORDER BY seq LIMIT ?');
  const entryOf = db.prepare('SELECT subject, digest FROM journal WHERE seq = ?');
  const rowOf = Object.fromEntries(
    Object.entries(protectedTables).map(([table, id]) => [
      table,
      db.prepare(`SELECT * FROM ${table} WHERE ${id} = ?`),
    ]),
  );

  const rowFault = ({ subject }: EntryRow): string | null => {
    const [table = ''] = subject.split(':', 1);
    const row = rowOf[table]?.get(subject.slice(table.length + 1)) as Row | undefined;
    if (row === undefined) return `${subject} is missing`;
    return isWhole(entryOf.get(row['journal_seq']), table as ProtectedTable, row)
      ? null
      : changedOutside(subject);
  };

  return (from, limit) => {
    let at = from;
    for (const entry of stretch.all(from.seq, limit) as EntryRow[]) {
      const reached = follow(at, entry);
      if ('broken' in reached) return reached;
      const fault = rowFault(entry);
      if (fault !== null) return { broken: fault };
      at = reached;
    }
    return { reached: at };
  };
};

/** The tables that say what may be paid, and who decides it: small enough to check all rows before any payment. */
const rules: readonly ProtectedTable[] = [
  'agent',
  'policy',
  'ceiling',
  'owner_zone',
  'agent_group',
  'node_limits',
  'boost',
  'agent_key',
  'standing_grant',
  'service',
  'service_rule',
  'identity',
  'sign_in',
  'public_address',
  'model',
  'model_supplier',
  'language_model',
  'notice_channel',
  'freeze',
  'watch',
  'watch_mute',
];

const verifyRules = (db: Db): JournalBreak | null => {
  for (const table of rules) {
    const fault = createRowCheck(db, table);
    for (const row of db.prepare(`SELECT * FROM ${table}`).iterate() as IterableIterator<Row>) {
      const found = fault(row);
      if (found !== null) return found;
    }
  }
  return null;
};

/**
 * Caches rows that every payment reads and that rarely change. The journal empties it, since every write passes
 * there; no other process can write, since the database is locked.
 */
interface Cache<T> {
  get(key: string, read: () => T): T;
  clear(): void;
}

const most = 4_096;

const createCache = <T>(): Cache<T> => {
  const known = new Map<string, T>();
  return {
    get(key, read) {
      if (known.has(key)) return known.get(key) as T;
      if (known.size >= most) known.clear();
      const value = read();
      known.set(key, value);
      return value;
    },
    clear: () => known.clear(),
  };
};
