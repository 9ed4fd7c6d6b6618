// The file of the chain's records: its tables, and the lock that keeps it to one process.
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

import { AppError } from '../../errors.ts';

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

/** @throws AppError `conflict` while another process has it open */
export const openLedgerFile = (dataDir: string): Database.Database => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'chain.db');
  // Only a new file: closing a handle of an open database would drop this process's locks on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  return lock(new Database(file, { timeout: 0 }), dataDir);
};

/** Locks the database for this process alone; the lock ends with the process, however it ends. */
const lock = (db: Database.Database, dataDir: string): Database.Database => {
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('journal_mode = WAL');
    // A commit survives the death of the process. A power cut may take the last commits of this play money, but leaves
    // the file whole. FULL would cost every transaction a sync for nothing.
    db.pragma('synchronous = NORMAL');
    // Checkpoints wait for an idle moment (see `mergeWhenIdle`); this is for when none comes.
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
