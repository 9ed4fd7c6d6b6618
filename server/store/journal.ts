// Every change of a protected row leaves an entry here that carries the row's digest; each entry's hash covers the
// one before it. Whoever edits a row, an entry, or removes either, breaks the chain.
import { hash as digestOf } from 'node:crypto';
import type { Store } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import type { Db } from './database.ts';

export type Row = Record<string, unknown>;

const protectedTables = {
  agent: 'agent_id',
  policy: 'id',
  ceiling: 'id',
  agent_key: 'id',
  transfer: 'id',
  approval: 'id',
  standing_grant: 'id',
  service: 'id',
  freeze: 'id',
} as const;
export type ProtectedTable = keyof typeof protectedTables;

export interface Journal {
  /** The number to write into `journal_seq` of the row about to be written. */
  next(): number;
  /** Enters the row just written, as the database returned it. */
  enter(table: ProtectedTable, row: Row, created: boolean): void;
  /** Reads the head again after a rollback. */
  reload(): void;
  head(): { seq: number; hash: Buffer };
  verify: Store['journal']['verify'];
}

const emptyHash = Buffer.alloc(32);

export const createJournal = (db: Db, now: () => number): Journal => {
  const last = db.prepare('SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1');
  const insert = db.prepare('INSERT INTO journal (seq, at, subject, created, digest, hash) VALUES (?, ?, ?, ?, ?, ?)');
  let head: { seq: number; hash: Buffer } = { seq: 0, hash: emptyHash };

  const reload = (): void => {
    const row = last.get() as { seq: bigint; hash: Buffer } | undefined;
    head = row === undefined ? { seq: 0, hash: emptyHash } : { seq: Number(row.seq), hash: row.hash };
  };
  reload();

  return {
    next: () => head.seq + 1,
    enter(table, row, created) {
      invariant(db.inTransaction, 'a row and its journal entry are written together');
      const seq = head.seq + 1;
      invariant(row['journal_seq'] === BigInt(seq), 'a protected row names its journal entry');
      const at = now();
      const subject = subjectOf(table, row);
      const digest = digestRow(row);
      const hash = link(head.hash, seq, at, subject, created, digest);
      insert.run(seq, at, subject, created ? 1 : 0, digest, hash);
      head = { seq, hash };
    },
    reload,
    head: () => head,
    verify: () => verify(db),
  };
};

const subjectOf = (table: ProtectedTable, row: Row): string => `${table}:${String(row[protectedTables[table]])}`;

/** SHA-256 over every column, each with its type and length so that no two rows read alike. */
const digestRow = (row: Row): Buffer => {
  let text = '';
  for (const name in row) {
    const value = row[name];
    const printed = Buffer.isBuffer(value) ? value.toString('base64') : String(value);
    text += `${name}=${value === null ? 'n' : typeof value}:${printed.length}:${printed};`;
  }
  return digestOf('sha256', text, 'buffer');
};

const link = (
  previous: Buffer,
  seq: number,
  at: number,
  subject: string,
  created: boolean,
  digest: Buffer,
): Buffer =>
  digestOf(
    'sha256',
    `${previous.toString('base64')}|${seq}|${at}|${created ? 1 : 0}|${subject}|${digest.toString('base64')}`,
    'buffer',
  );

interface EntryRow {
  seq: bigint;
  at: bigint;
  subject: string;
  created: bigint;
  digest: Buffer;
  hash: Buffer;
}

/** Walks the whole chain, then compares every protected row with the entry that it names. */
const verify = (db: Db): ReturnType<Journal['verify']> => {
  let previous: Buffer = emptyHash;
  let rows = 0;
  for (const entry of db.prepare('SELECT * FROM journal ORDER BY seq').iterate() as IterableIterator<EntryRow>) {
    rows += 1;
    const seq = Number(entry.seq);
    if (seq !== rows) return { ok: false, at: seq, why: `entry ${rows} of the journal is missing` };
    const expected = link(previous, seq, Number(entry.at), entry.subject, entry.created === 1n, entry.digest);
    if (!expected.equals(entry.hash)) return { ok: false, at: seq, why: `entry ${seq} of the journal was changed` };
    previous = entry.hash;
  }
  for (const table of Object.keys(protectedTables) as ProtectedTable[]) {
    const broken = verifyTable(db, table);
    if (broken !== null) return broken;
  }
  return { ok: true, rows };
};

const verifyTable = (db: Db, table: ProtectedTable): ReturnType<Journal['verify']> | null => {
  const entryOf = db.prepare('SELECT subject, digest FROM journal WHERE seq = ?');
  let rows = 0;
  for (const row of db.prepare(`SELECT * FROM ${table}`).iterate() as IterableIterator<Row>) {
    rows += 1;
    const subject = subjectOf(table, row);
    const entry = entryOf.get(row['journal_seq']) as Pick<EntryRow, 'subject' | 'digest'> | undefined;
    if (entry?.subject !== subject || !entry.digest.equals(digestRow(row))) {
      return { ok: false, at: Number(row['journal_seq']), why: `${subject} was changed outside the treasury` };
    }
  }
  const created = db
    .prepare(`SELECT count(*) AS n FROM journal WHERE created = 1 AND subject >= ? AND subject < ?`)
    .get(`${table}:`, `${table};`) as { n: bigint };
  return Number(created.n) === rows ? null : { ok: false, at: 0, why: `rows of ${table} were removed or added` };
};
