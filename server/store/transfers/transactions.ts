// Transactions: group commits, deferred commits, dry runs, and a halt for good after an I/O error.
import { AppError, invariant } from '../../errors.ts';
import type { Store } from '../../engine/ports.ts';
import type { Db } from '../db.ts';
import { keepFiles, type KeptFiles } from '../answers/kept-files.ts';
import Database from 'better-sqlite3';

/** Errors after which SQLite accepts further commits although the state on disk is unknown. */
const isStorageFailure = (error: unknown): boolean =>
  error instanceof Database.SqliteError &&
  /^SQLITE_(IOERR|FULL|CORRUPT|NOTADB|READONLY|CANTOPEN|PROTOCOL)/.test(error.code);

export interface Grouped<T> {
  result: T;
  /** Resolves once the commit that `result` is part of is on disk; until then nothing may leave the process. */
  durable: Promise<void>;
}

export interface Transactions extends Pick<Store, 'atomically' | 'grouped' | 'lazily' | 'undone'> {
  /** Commits so far. */
  commits(): number;
  /** Commits now what is waiting. */
  flush(): void;
  /** Halts when a file of the database was removed, replaced or cut. */
  checkFiles(): void;
  /** Ends all writing because the disk failed. Returns the error to throw. */
  halt(cause: unknown): AppError;
}

/** Long enough to gather the steps of one payment, too short to be noticed. */
const lazyMs = 20;

const statementsOf = (db: Db) => ({
  begin: db.prepare('BEGIN IMMEDIATE'),
  commit: db.prepare('COMMIT'),
  rollback: db.prepare('ROLLBACK'),
  savepoint: db.prepare('SAVEPOINT work'),
  release: db.prepare('RELEASE work'),
  undo: db.prepare('ROLLBACK TO work'),
});

/** The commit that work of this turn of the event loop shares. */
interface Group {
  db: Db;
  sql: ReturnType<typeof statementsOf>;
  files: KeptFiles;
  onRollback: () => void;
  onHalt: (error: Error) => void;
  halted: AppError | null;
  /** Commits so far. */
  commits: number;
  /** Savepoints within each other. */
  depth: number;
  /** Settles with the commit; null when nothing waits for one. */
  waiting: PromiseWithResolvers<void> | null;
  /** The commit comes with this turn of the event loop. */
  isDue: boolean;
  timer: NodeJS.Timeout | undefined;
}

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
  const files = keepFiles(db);
  files.note();
  const group: Group = {
    db,
    sql: statementsOf(db),
    files,
    onRollback,
    onHalt,
    halted: null,
    commits: 0,
    depth: 0,
    waiting: null,
    isDue: false,
    timer: undefined,
  };
  return {
    commits: () => group.commits,
    atomically: (work) => atomically(group, work),
    grouped(work) {
      const { promise } = open(group);
      return { result: inSavepoint(group, work), durable: promise };
    },
    lazily(work) {
      open(group, true);
      return inSavepoint(group, work);
    },
    undone: (work) => undone(group, work),
    flush: () => flush(group),
    checkFiles() {
      if (db.open && group.halted === null) tryOrHalt(group, files.check);
    },
    halt: (cause) => halt(group, cause),
  };
};

const atomically = <T>(group: Group, work: () => T): T => {
  if (group.depth > 0) return work();
  open(group);
  const result = inSavepoint(group, work);
  flush(group);
  if (group.halted !== null) throw group.halted;
  return result;
};

const open = (group: Group, isLazy = false): PromiseWithResolvers<void> => {
  if (group.halted !== null) throw group.halted;
  group.waiting ??= begin(group, isLazy);
  if (!isLazy && !group.isDue) {
    group.isDue = true;
    setImmediate(flush, group);
  }
  return group.waiting;
};

const begin = (group: Group, isLazy: boolean): PromiseWithResolvers<void> => {
  try {
    group.sql.begin.run();
  } catch (error) {
    throw isStorageFailure(error) ? halt(group, error) : error;
  }
  const waiting = Promise.withResolvers<void>();
  // Callers that ignore `durable` learn of a failure through `onHalt`.
  waiting.promise.catch(() => {});
  if (isLazy) group.timer = setTimeout(flush, lazyMs, group);
  return waiting;
};

const flush = (group: Group): void => {
  clearTimeout(group.timer);
  group.isDue = false;
  if (group.waiting === null || !group.db.open) return;
  const { resolve } = group.waiting;
  const commit = (): void => {
    group.files.check();
    group.sql.commit.run();
    group.files.note();
  };
  if (!tryOrHalt(group, commit)) return;
  group.waiting = null;
  group.commits += 1;
  resolve();
};

const inSavepoint = <T>(group: Group, work: () => T): T => {
  const { db, sql } = group;
  group.depth += 1;
  try {
    sql.savepoint.run();
    const result = work();
    sql.release.run();
    return result;
  } catch (error) {
    // Some failures make SQLite roll back the whole transaction, and with it the work of others.
    if (isStorageFailure(error) || !db.inTransaction) throw halt(group, error);
    sql.undo.run();
    sql.release.run();
    group.onRollback();
    throw error;
  } finally {
    group.depth -= 1;
  }
};

const undone = <T>(group: Group, work: () => T): T => {
  const { db, sql } = group;
  invariant(group.depth === 0, 'a dry run is no part of another transaction');
  if (group.halted !== null) throw group.halted;
  const isAlone = group.waiting === null;
  const takeBack = (): void => {
    (isAlone ? sql.rollback : sql.undo).run();
    if (!isAlone) sql.release.run();
  };
  (isAlone ? sql.begin : sql.savepoint).run();
  group.depth += 1;
  try {
    const result = work();
    takeBack();
    return result;
  } catch (error) {
    if (isStorageFailure(error) || !db.inTransaction) throw halt(group, error);
    takeBack();
    throw error;
  } finally {
    group.depth -= 1;
    group.onRollback();
  }
};

/** False when it halted. */
const tryOrHalt = (group: Group, work: () => void): boolean => {
  try {
    work();
    return true;
  } catch (error) {
    halt(group, error);
    return false;
  }
};

const halt = (group: Group, cause: unknown): AppError => {
  const { db, sql } = group;
  const error = cause instanceof Error ? cause : new Error(String(cause));
  if (group.halted === null) {
    group.halted =
      error instanceof AppError && error.code === 'halted'
        ? error
        : new AppError('halted', diskFailed, { outcome: 'unknown' }, { cause: error });
    group.onHalt(error);
  }
  if (db.open && db.inTransaction) tryTo(() => sql.rollback.run());
  group.onRollback();
  group.waiting?.reject(group.halted);
  group.waiting = null;
  return group.halted;
};

const diskFailed =
  'The treasury has stopped because its disk failed. Nothing new is paid. Free space or repair the disk, then start it again; then repeat the request with the same Idempotency-Key to learn its outcome.';

const tryTo = (work: () => unknown): void => {
  try {
    work();
  } catch {
    // The halt that follows names the cause.
  }
};
