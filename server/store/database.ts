// One SQLite file, opened by one process: WAL, every commit synced, and a halt for good after an I/O error.
import { closeSync, existsSync, openSync } from 'node:fs';
import { AppError, invariant } from '../errors.ts';
import type { Db } from './db.ts';
import { migrations } from './schema.ts';
import Database from 'better-sqlite3';

export interface OpenOptions {
  file: string;
  /** How long to wait for another process to release the file. */
  lockWaitMs?: number;
}

/**
 * Opens and migrates the database and takes its lock until `close`.
 * @throws AppError `conflict` when another process holds it, `halted` when it is damaged or from a newer version, and when
 *   its disk takes nothing.
 */
export const openDatabase = ({ file, lockWaitMs = 5_000 }: OpenOptions): Db => {
  makePrivate(file);
  const db = new Database(file, { timeout: lockWaitMs });
  try {
    db.defaultSafeIntegers(true);
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('fullfsync = ON');
    db.pragma('checkpoint_fullfsync = ON');
    // Small, to save memory: the operating system caches the file too.
    db.pragma('cache_size = -4000');
    db.pragma('temp_store = MEMORY');
    db.pragma('wal_autocheckpoint = 0');
    db.pragma('foreign_keys = ON');
    db.pragma('trusted_schema = OFF');
    migrate(db);
    // better-sqlite3's build lowers it to NORMAL in WAL mode unless it is set after the mode: trust only a reading.
    invariant(
      db.pragma('synchronous', { simple: true }) === 2n,
      'SQLite syncs every commit (synchronous = FULL)',
    );
    return db;
  } catch (error) {
    db.close();
    if (isBusy(error)) {
      throw new AppError('conflict', `Another Agent Treasury is using ${file}. Close it and start again.`);
    }
    throw asSentence(file, error);
  }
};

const causes: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_FULL/, 'its disk is full. Free some space, then start again'],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    'it is damaged. Put a backup in its place with --restore FILE, or move the file away: the records are then read from the chain',
  ],
  [
    /^SQLITE_(IOERR|READONLY|CANTOPEN|PERM)/,
    'its disk cannot be read or written. Free some space or repair the disk, then start again',
  ],
];

/** What a person can do about a database that cannot be opened; any other error as it is. */
const asSentence = (file: string, error: unknown): unknown => {
  if (!(error instanceof Database.SqliteError)) return error;
  const why = causes.find(([code]) => code.test(error.code))?.[1];
  if (why === undefined) return error;
  return new AppError(
    'halted',
    `The records in ${file} cannot be used: ${why}. Nothing is paid until then.`,
    {},
    { cause: error },
  );
};

/** For this user alone; SQLite gives the WAL the permissions of the file. */
const makePrivate = (file: string): void => {
  // Only a new file: closing a handle of an open database would drop this process's locks on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
};

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

/** Migrates the tables from one version to a later one, in the open transaction. */
export const applyMigrations = (db: Db, from: number, to: number): void => {
  for (const migration of migrations.slice(from, to)) {
    if (typeof migration === 'string') db.exec(migration);
    else migration(db);
  }
  db.pragma(`user_version = ${to}`);
};

const migrate = (db: Db): void => {
  db.exec('BEGIN IMMEDIATE');
  try {
    const version = Number(db.pragma('user_version', { simple: true }));
    if (version > migrations.length) {
      throw new AppError(
        'halted',
        'This database was written by a newer Agent Treasury. Install that version again.',
      );
    }
    applyMigrations(db, version, migrations.length);
    db.exec('COMMIT');
  } catch (error) {
    // Some failures have rolled it back already.
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
};
