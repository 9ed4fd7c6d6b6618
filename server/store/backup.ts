// A copy of the database while payments go on. SQLite's own way (sqlite3_backup) is not taken: it copies on the event
// loop, makes no step while a transaction is open, which here is most of the time under load, and better-sqlite3 then
// ends with an empty file and no error. Instead the log is copied back once, in a moment in which no transaction is open;
// until it is copied back again the file stays as it is, and is read beside everything else.
import { constants, closeSync, fstatSync, fsync, openSync, read, unlinkSync, write } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { JournalHead, Store } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { Db, Transactions } from './database.ts';

const [readAt, writeAt, sync] = [promisify(read), promisify(write), promisify(fsync)];
const chunk = 1_048_576;
/** What is not on disk yet holds up the commits of payments: it is kept small. */
const syncEvery = 8 * chunk;
/** SQLite never stores anything in the page of its lock, and Windows lets nobody read it. */
const lockByte = 0x4000_0000;
const quietWithinMs = 2_000;
const quietMs = 100;

export interface Backups {
  copyTo: Store['copyTo'];
  /** While a copy is made the log must not be copied back. */
  isHeld(): boolean;
  /** After the database was closed. What is under way fails. */
  close(): void;
}

/** @param head of the journal, as committed */
export const createBackups = (
  db: Db,
  file: string,
  transactions: Pick<Transactions, 'commits' | 'flush' | 'halt'>,
  head: () => JournalHead,
): Backups => {
  // Opened once and never closed before the database is: closing any handle of it would drop the locks on it.
  let source: number | null = null;
  let held = false;
  let isClosed = false;
  let checker: Worker | null = null;

  const quiet = async (): Promise<void> => {
    const deadline = performance.now() + quietWithinMs;
    for (let seen = -1; seen !== transactions.commits() && performance.now() < deadline;) {
      seen = transactions.commits();
      await new Promise((resolve) => setTimeout(resolve, quietMs));
    }
  };

  const isCopiedBack = (): boolean => {
    try {
      const [row] = db.pragma('wal_checkpoint(PASSIVE)') as Record<'busy' | 'log' | 'checkpointed', bigint>[];
      return row?.busy === 0n && row.log === row.checkpointed;
    } catch (error) {
      throw transactions.halt(error);
    }
  };

  /** Everything that is committed is in the file; in one turn of the event loop with its size and the journal's head. */
  const settle = (fd: number): { bytes: number; head: JournalHead } => {
    transactions.flush();
    if (!db.open || db.inTransaction) throw notNow('the treasury is stopping');
    if (!isCopiedBack()) throw notNow('the log could not be copied back');
    return { bytes: fstatSync(fd).size, head: head() };
  };

  const copy = async (fd: number, target: number, bytes: number): Promise<void> => {
    const pageSize = Number(db.pragma('page_size', { simple: true }));
    const skipped = Math.floor(lockByte / pageSize) * pageSize;
    const buffer = Buffer.alloc(chunk);
    for (let at = 0, unsynced = 0; at < bytes;) {
      if (isClosed) throw notNow('the treasury is stopping');
      const until = at < skipped ? Math.min(bytes, skipped) : bytes;
      const { bytesRead } = await readAt(fd, buffer, 0, Math.min(chunk, until - at), at);
      if (bytesRead === 0) throw notNow('the database ended early');
      await writeAll(target, buffer.subarray(0, bytesRead), at);
      at += bytesRead;
      if (at === skipped) at += pageSize;
      unsynced += bytesRead;
      if (unsynced < syncEvery && at < bytes) continue;
      await sync(target);
      unsynced = 0;
    }
  };

  return {
    isHeld: () => held,
    async copyTo(path) {
      if (held) throw notNow('another copy is being made');
      held = true;
      let target: number | null = null;
      try {
        await quiet();
        source ??= openSync(file, 'r');
        const { bytes, head: expected } = settle(source);
        target = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600);
        await copy(source, target, bytes);
        held = false;
        checker = startCheck(path);
        await checkCopy(checker, expected);
        await sync(target);
        return { bytes, head: expected };
      } catch (error) {
        if (target !== null) unlinkSync(path);
        throw error;
      } finally {
        held = false;
        if (target !== null) closeSync(target);
        if (isClosed && source !== null) closeSync(source);
      }
    },
    close() {
      isClosed = true;
      void checker?.terminate();
      // A copy that is under way lets go of it itself.
      if (!held && source !== null) closeSync(source);
    },
  };
};

const notNow = (why: string): AppError => new AppError('conflict', `No backup was made: ${why}. Try again.`);

const writeAll = async (fd: number, bytes: Buffer, position: number): Promise<void> => {
  for (let done = 0; done < bytes.length;)
    done += (await writeAt(fd, bytes, done, bytes.length - done, position + done)).bytesWritten;
};

/** Runs beside the event loop: reading a large copy takes long. As text, since the desktop is one bundled file. */
const checking = `
const { parentPort, workerData: { sqlite, file } } = require('node:worker_threads');
const Database = require(sqlite);
const db = new Database(file);
try {
  db.pragma('journal_mode = DELETE');
  const found = db.pragma('quick_check(1)', { simple: true });
  const last = db.prepare('SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1').get();
  parentPort.postMessage({ found, seq: last?.seq ?? 0, hash: last?.hash.toString('hex') ?? '' });
} finally {
  db.close();
}`;

const startCheck = (file: string): Worker => {
  const sqlite = createRequire(import.meta.url).resolve('better-sqlite3');
  return new Worker(checking, { eval: true, workerData: { sqlite, file } });
};

/** Makes it one file without a log, and reads all of it. @throws AppError `conflict` when it is not what was to be copied */
const checkCopy = async (worker: Worker, expected: JournalHead): Promise<void> => {
  let answer: { found: string; seq: number; hash: string } | undefined;
  worker.once('message', (message: typeof answer) => (answer = message));
  await new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', resolve);
  }).catch((error: unknown) => {
    throw damaged(error instanceof Error ? error.message : String(error));
  });
  if (answer === undefined) throw damaged('it could not be read');
  if (answer.found !== 'ok') throw damaged(answer.found);
  if (answer.seq !== expected.seq || answer.hash !== expected.hash.toString('hex'))
    throw damaged('its journal does not end where it has to');
};

const damaged = (why: string): AppError =>
  new AppError(
    'conflict',
    `No backup was made: the copy is not whole (${why}). See to the disk, then try again.`,
  );
