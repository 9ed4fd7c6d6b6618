// One SQLite file, opened by one process: WAL, every commit synced, and a halt for good after an I/O error.
import { closeSync, existsSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError, invariant } from '../errors.ts';
import type { Db } from './db.ts';
import { mapper } from './row.ts';
import { migrations } from './schema.ts';

export interface OpenOptions {
  file: string;
  /** How long to wait for another process to release the file. */
  lockWaitMs?: number;
}

/**
 * Opens and migrates the database and takes its lock until `close`.
 * @throws AppError `conflict` when another process holds it, `halted` when it is damaged or from a newer version.
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
    throw error;
  }
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
    db.exec('ROLLBACK');
    throw error;
  }
};

/** Errors after which SQLite accepts further commits although the state on disk is unknown. */
const isStorageFailure = (error: unknown): boolean =>
  error instanceof Database.SqliteError &&
  /^SQLITE_(IOERR|FULL|CORRUPT|NOTADB|READONLY|CANTOPEN|PROTOCOL)/.test(error.code);

/** How often the WAL is checked: while commits come, and otherwise. An idle treasury lets the processor sleep. */
const lookMs = { busy: 250, quiet: 2_000 };
/** Pages in the WAL that call for a checkpoint: in a quiet moment, and at once. */
const checkpointPages = { idle: 1_000, most: 16_000 };

const toPages = mapper('wal_checkpoint', (row) => row.integer('log'));

/**
 * Checkpoints the WAL in quiet moments, so that no payment waits for it. Until then the WAL holds the commits as
 * durably as the file would. Returns a function that ends it.
 * @param isHeld while true, the file must not change
 */
export const checkpointWhenIdle = (
  db: Db,
  { commits, halt }: Transactions,
  isHeld: () => boolean = () => false,
): (() => void) => {
  const pagesInLog = db.prepare('PRAGMA wal_checkpoint(NOOP)');
  let seen = -1;
  let copied = -1;
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const now = commits();
    const idle = now === seen;
    seen = now;
    try {
      if (copied !== now && db.open && !db.inTransaction && !isHeld()) {
        if (toPages(pagesInLog.get()) >= (idle ? checkpointPages.idle : checkpointPages.most)) {
          db.pragma('wal_checkpoint(PASSIVE)');
          copied = now;
        }
      }
      lookIn(idle ? lookMs.quiet : lookMs.busy);
    } catch (error) {
      halt(error);
    }
  };
  const lookIn = (ms: number): void => {
    timer = setTimeout(look, ms).unref();
  };
  lookIn(lookMs.busy);
  return () => clearTimeout(timer);
};

export interface Grouped<T> {
  result: T;
  /** Resolves once the commit that `result` is part of is on disk; until then nothing may leave the process. */
  durable: Promise<void>;
}

export interface Transactions {
  /** Commits so far. */
  commits(): number;
  /** Runs `work` atomically, and commits it with all that is waiting. Nested calls join the outer one. */
  atomically<T>(work: () => T): T;
  /** Runs `work` atomically now; commits with the rest of this turn of the event loop. */
  grouped<T>(work: () => T): Grouped<T>;
  /** Runs `work` atomically now; commits with the next commit, or within `lazyMs`. */
  lazily<T>(work: () => T): T;
  /**
   * Runs `work` and undoes all that it wrote. Nothing reaches the disk, unless other work waits for its commit. Not
   * inside another transaction.
   */
  undone<T>(work: () => T): T;
  /** Commits now what is waiting. */
  flush(): void;
  /** Ends all writing because the disk failed. Returns the error to throw. */
  halt(cause: unknown): AppError;
}

/** Long enough to gather the steps of one payment, too short to be noticed. */
const lazyMs = 20;

/**
 * Each piece of work is a savepoint of its own; those of one turn of the event loop share one synced commit.
 * @param onRollback restores what is kept in memory beside the database
 * @param onHalt called once; every later call throws AppError `halted`
 */
export const createTransactions = (
  db: Db,
  onRollback: () => void,
  onHalt: (error: Error) => void,
): Transactions => {
  const [begin, commit, rollback] = ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'].map((sql) => db.prepare(sql));
  const [savepoint, release, undo] = ['SAVEPOINT work', 'RELEASE work', 'ROLLBACK TO work'].map((sql) =>
    db.prepare(sql),
  );
  let halted: AppError | null = null;
  let commits = 0;
  let depth = 0;
  let waiting: PromiseWithResolvers<void> | null = null;
  let isDue = false;
  let timer: NodeJS.Timeout | undefined;

  const halt = (cause: unknown): AppError => {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    if (halted === null) {
      halted = new AppError('halted', diskFailed, { outcome: 'unknown' }, { cause: error });
      onHalt(error);
    }
    if (db.open && db.inTransaction) tryTo(() => rollback?.run());
    onRollback();
    waiting?.reject(halted);
    waiting = null;
    return halted;
  };

  const open = (isLazy = false): PromiseWithResolvers<void> => {
    if (halted !== null) throw halted;
    if (waiting === null) {
      try {
        begin?.run();
      } catch (error) {
        throw isStorageFailure(error) ? halt(error) : error;
      }
      waiting = Promise.withResolvers<void>();
      // Callers that ignore `durable` learn of a failure through `onHalt`.
      waiting.promise.catch(() => {});
      if (isLazy) timer = setTimeout(flush, lazyMs);
    }
    if (!isLazy && !isDue) {
      isDue = true;
      setImmediate(flush);
    }
    return waiting;
  };

  const flush = (): void => {
    clearTimeout(timer);
    isDue = false;
    if (waiting === null || !db.open) return;
    const { resolve } = waiting;
    try {
      commit?.run();
    } catch (error) {
      halt(error);
      return;
    }
    waiting = null;
    commits += 1;
    resolve();
  };

  const inSavepoint = <T>(work: () => T): T => {
    depth += 1;
    try {
      savepoint?.run();
      const result = work();
      release?.run();
      return result;
    } catch (error) {
      // Some failures make SQLite roll back the whole transaction, and with it the work of others.
      if (isStorageFailure(error) || !db.inTransaction) throw halt(error);
      undo?.run();
      release?.run();
      onRollback();
      throw error;
    } finally {
      depth -= 1;
    }
  };

  return {
    commits: () => commits,
    atomically(work) {
      if (depth > 0) return work();
      open();
      const result = inSavepoint(work);
      flush();
      if (halted !== null) throw halted;
      return result;
    },
    grouped(work) {
      const { promise } = open();
      return { result: inSavepoint(work), durable: promise };
    },
    lazily(work) {
      open(true);
      return inSavepoint(work);
    },
    undone(work) {
      invariant(depth === 0, 'a dry run is no part of another transaction');
      if (halted !== null) throw halted;
      const isAlone = waiting === null;
      (isAlone ? begin : savepoint)?.run();
      depth += 1;
      try {
        const result = work();
        (isAlone ? rollback : undo)?.run();
        if (!isAlone) release?.run();
        return result;
      } catch (error) {
        if (isStorageFailure(error) || !db.inTransaction) throw halt(error);
        (isAlone ? rollback : undo)?.run();
        if (!isAlone) release?.run();
        throw error;
      } finally {
        depth -= 1;
        onRollback();
      }
    },
    flush,
    halt,
  };
};

const diskFailed =
  'The treasury has stopped because its disk failed. Nothing new is paid. Free space or repair the disk, then start it again; then repeat the request with the same Idempotency-Key to learn its outcome.';

const tryTo = (work: () => unknown): void => {
  try {
    work();
  } catch {
    // The halt that follows tells the cause.
  }
};
