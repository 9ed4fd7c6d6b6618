// The files of an open database, as its last commit left them. SQLite goes on writing to a file that somebody removed or
// cut, and reports success: what is committed then is gone with the process.
import { statSync, type BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import { AppError } from '../../errors.ts';
import type { Db } from '../db.ts';

export interface KeptFiles {
  /**
   * Call it before anything that has to survive; an open transaction is rolled back.
   * @throws AppError `halted` when a file was removed, replaced or cut, with `details.reason` as a clause; an error of the disk
   */
  check(): void;
  /** Call it after each commit. @throws an error of the disk */
  note(): void;
}

/** @param db in WAL mode: neither its file nor its log shrinks while it is open */
export const keepFiles = (db: Db): KeptFiles => {
  const file = db.name;
  const log = `${file}-wal`;
  const left = new Map<string, BigIntStats>();

  return {
    check() {
      for (const [path, before] of left) {
        const now = look(path);
        if (isSame(before, now) && now !== undefined && now.size >= before.size) continue;
        if (db.inTransaction) db.exec('ROLLBACK');
        // SQLite has a log open still that was removed: it puts all of it into the database.
        if (path === log && !isSame(before, now)) db.pragma('wal_checkpoint(PASSIVE)');
        throw lost(path);
      }
    },
    note() {
      for (const path of [file, log]) {
        const [before, now] = [left.get(path), look(path)];
        if (now !== undefined && (before === undefined || isSame(before, now))) left.set(path, now);
      }
    },
  };
};

const look = (path: string): BigIntStats | undefined =>
  statSync(path, { bigint: true, throwIfNoEntry: false });

const isSame = (a: BigIntStats, b: BigIntStats | undefined): boolean => a.ino === b?.ino && a.dev === b.dev;

const lost = (path: string): AppError => {
  const reason = `the file ${basename(path)} in its data folder was removed, replaced or cut`;
  return new AppError(
    'halted',
    `The treasury has stopped: ${reason} while it ran. Nothing new is paid. Find out which program did that, then start the treasury again: it compares its records with the chain before it pays. Then repeat the request with the same Idempotency-Key to learn its outcome.`,
    { outcome: 'unknown', reason },
  );
};
