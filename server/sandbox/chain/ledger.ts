// The chain's records, in SQLite: transactions, their participants, the newest accounts and their earlier versions. One
// transaction of the chain is one transaction here, committed before anybody learns of it.
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

import { AppError } from '../../errors.ts';

export interface Landing {
  signature: Uint8Array;
  messageHash: Uint8Array;
  slot: number;
  atMs: number;
  /** JSON of the transaction's error; null when it succeeded. */
  err: string | null;
  memo: string | null;
  wire: Uint8Array;
  meta: string;
  addresses: readonly Uint8Array[];
  writes: readonly AccountWrite[];
}

/** Images are encoded accounts; null where there is none. */
export interface AccountWrite {
  address: Uint8Array;
  before: Buffer | null;
  after: Buffer | null;
}

export interface StatusRow {
  id: number;
  signature: Buffer;
  slot: number;
  atMs: number;
  err: string | null;
  memo: string | null;
}
export interface TransactionRow extends StatusRow {
  wire: Buffer;
  meta: string;
}
export interface HistoryQuery {
  address: Uint8Array;
  beforeId: number;
  untilId: number;
  horizonMs: number;
  limit: number;
}

export interface Ledger {
  readNote(name: string): string | null;
  writeNote(name: string, text: string): void;
  /** Writes everything that a first start puts in place, at once. */
  inOneGo(write: () => void): void;
  saveAccount(address: Uint8Array, image: Buffer): void;
  accounts(): IterableIterator<{ address: Buffer; image: Buffer }>;
  /** Earlier versions of accounts are kept back to `keepBeforeMs`; null when nobody will ask for them. */
  land(landing: Landing, keepBeforeMs: number | null): void;
  isKnown(signature: Uint8Array, messageHash: Uint8Array): boolean;
  status(signature: Uint8Array): StatusRow | undefined;
  transaction(signature: Uint8Array): TransactionRow | undefined;
  transactionsOfSlot(slot: number): TransactionRow[];
  history(query: HistoryQuery): StatusRow[];
  /** The account as it was at `horizonMs`; undefined when it has not changed since. */
  accountBefore(address: Uint8Array, horizonMs: number): Buffer | null | undefined;
  changedSince(horizonMs: number): Buffer[];
  count(): number;
  newestMs(): number;
  close(): void;
}

const schema = `
  CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE accounts (address BLOB PRIMARY KEY, image BLOB NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE transactions (
    id INTEGER PRIMARY KEY, signature BLOB NOT NULL UNIQUE, messageHash BLOB NOT NULL UNIQUE,
    slot INTEGER NOT NULL, atMs INTEGER NOT NULL, err TEXT, memo TEXT, meta TEXT NOT NULL, wire BLOB NOT NULL
  ) STRICT;
  CREATE INDEX transactions_slot ON transactions (slot);
  CREATE TABLE history (
    address BLOB NOT NULL, id INTEGER NOT NULL REFERENCES transactions (id), PRIMARY KEY (address, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE undo (id INTEGER PRIMARY KEY, address BLOB NOT NULL, atMs INTEGER NOT NULL, image BLOB) STRICT;
  CREATE INDEX undo_address ON undo (address, id);
  PRAGMA user_version = 1;
`;

/** Transactions between two scans for what nobody can ask for any more. */
const pruneEvery = 256;
const mergeFrom = 64;
const idleMs = 100;

export const openLedger = (dataDir: string): Ledger => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'chain.db');
  // Only a new file: closing a handle of an open database would drop this process's locks on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const db = lock(new Database(file, { timeout: 0 }), dataDir);
  const statusColumns = 'id, signature, slot, atMs, err, memo';
  const rowColumns = `${statusColumns}, meta, wire`;
  const readNote = db.prepare<[string], { text: string }>('SELECT text FROM notes WHERE name = ?');
  const writeNote = db.prepare(
    'INSERT INTO notes VALUES (?, ?) ON CONFLICT DO UPDATE SET text = excluded.text',
  );
  const accounts = db.prepare<[], { address: Buffer; image: Buffer }>('SELECT address, image FROM accounts');
  const saveAccount = db.prepare(
    'INSERT INTO accounts VALUES (?, ?) ON CONFLICT DO UPDATE SET image = excluded.image',
  );
  const dropAccount = db.prepare('DELETE FROM accounts WHERE address = ?');
  const insert = db.prepare(
    `INSERT INTO transactions (signature, messageHash, slot, atMs, err, memo, meta, wire)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertHistory = db.prepare('INSERT OR IGNORE INTO history VALUES (?, ?)');
  const insertUndo = db.prepare('INSERT INTO undo (address, atMs, image) VALUES (?, ?, ?)');
  const pruneUndo = db.prepare('DELETE FROM undo WHERE atMs <= ?');
  const known = db.prepare<[Uint8Array, Uint8Array], unknown>(
    'SELECT 1 FROM transactions WHERE signature = ? OR messageHash = ?',
  );
  const status = db.prepare<[Uint8Array], StatusRow>(
    `SELECT ${statusColumns} FROM transactions WHERE signature = ?`,
  );
  const transaction = db.prepare<[Uint8Array], TransactionRow>(
    `SELECT ${rowColumns} FROM transactions WHERE signature = ?`,
  );
  const ofSlot = db.prepare<[number], TransactionRow>(
    `SELECT ${rowColumns} FROM transactions WHERE slot = ? ORDER BY id`,
  );
  const history = db.prepare<HistoryQuery, StatusRow>(
    `SELECT ${statusColumns} FROM history JOIN transactions USING (id)
     WHERE address = :address AND id < :beforeId AND id > :untilId AND atMs <= :horizonMs
     ORDER BY id DESC LIMIT :limit`,
  );
  const before = db.prepare<[Uint8Array, number], { image: Buffer | null }>(
    'SELECT image FROM undo WHERE address = ? AND atMs > ? ORDER BY id LIMIT 1',
  );
  const changed = db.prepare<[number], Buffer>('SELECT DISTINCT address FROM undo WHERE atMs > ?').pluck();
  const count = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM transactions').pluck();
  const newest = db
    .prepare<[], number>('SELECT coalesce((SELECT atMs FROM transactions ORDER BY id DESC LIMIT 1), 0)')
    .pluck();

  let unmerged = 0;
  /** A checkpoint takes milliseconds, which nobody should wait for. */
  const idle = setTimeout(() => {
    if (unmerged < mergeFrom) return;
    unmerged = 0;
    db.pragma('wal_checkpoint(PASSIVE)');
  }, idleMs).unref();

  const land = (landing: Landing, keepBeforeMs: number | null): void => {
    const { signature, messageHash, slot, atMs, err, memo, meta, wire, addresses, writes } = landing;
    const { lastInsertRowid } = insert.run(signature, messageHash, slot, atMs, err, memo, meta, wire);
    for (const address of addresses) insertHistory.run(address, lastInsertRowid);
    for (const { address, before: old, after } of writes) {
      if (after) saveAccount.run(address, after);
      else dropAccount.run(address);
      if (keepBeforeMs !== null) insertUndo.run(address, atMs, old);
    }
    unmerged += 1;
    idle.refresh();
    if (keepBeforeMs !== null && Number(lastInsertRowid) % pruneEvery === 0) pruneUndo.run(keepBeforeMs);
  };

  return {
    readNote: (name) => readNote.get(name)?.text ?? null,
    writeNote: (name, text) => void writeNote.run(name, text),
    inOneGo: (write) => db.transaction(write)(),
    saveAccount: (address, image) => void saveAccount.run(address, image),
    accounts: () => accounts.iterate(),
    land: db.transaction(land),
    isKnown: (signature, messageHash) => known.get(signature, messageHash) !== undefined,
    status: (signature) => status.get(signature),
    transaction: (signature) => transaction.get(signature),
    transactionsOfSlot: (slot) => ofSlot.all(slot),
    history: (query) => history.all(query),
    accountBefore: (address, horizonMs) => before.get(address, horizonMs)?.image,
    changedSince: (horizonMs) => changed.all(horizonMs),
    count: () => count.get() ?? 0,
    newestMs: () => newest.get() ?? 0,
    close: () => {
      clearTimeout(idle);
      db.close();
    },
  };
};

/** Locks the database for this process alone; the lock ends with the process, however it ends. */
const lock = (db: Database.Database, dataDir: string): Database.Database => {
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('journal_mode = WAL');
    // A commit survives the death of the process. A power cut may take the last commits of this play money, but leaves
    // the file whole. FULL would cost every transaction a sync for nothing.
    db.pragma('synchronous = NORMAL');
    // Checkpoints wait for an idle moment (below); this is for when none comes.
    db.pragma('wal_autocheckpoint = 8000');
    db.pragma('cache_size = -2048');
    db.transaction(() => {
      if (db.pragma('user_version', { simple: true }) === 0) db.exec(schema);
    }).exclusive();
    return db;
  } catch (error) {
    db.close();
    if (!(error instanceof Database.SqliteError) || error.code !== 'SQLITE_BUSY') throw error;
    throw new AppError('conflict', `Another sandbox is already running on ${dataDir}.`, undefined, {
      cause: error,
    });
  }
};
