// Transactions: group commits, deferred commits, dry runs, and a halt for good after an I/O error.
import { AppError, invariant } from '../errors.ts';
import type { Db } from './db.ts';
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
