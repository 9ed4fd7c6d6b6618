// Copies the database while payments go on. SQLite's own sqlite3_backup would not do: it copies on the event loop and
// makes no step while a transaction is open, which under load is most of the time; better-sqlite3 then ends with an
// empty file and no error. Instead we checkpoint the WAL once, while no transaction is open. Until the next checkpoint
// the file does not change, and is read beside everything else.
import { constants, closeSync, fstatSync, fsync, openSync, read, unlinkSync, write } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { JournalHead, Store } from '../../engine/ports.ts';
import { AppError } from '../../errors.ts';
import type { Transactions } from '../transfers/transactions.ts';
import type { Db } from '../db.ts';

const [readAt, writeAt, sync] = [promisify(read), promisify(write), promisify(fsync)];
const chunk = 1_048_576;
/** Unsynced data holds up the commits of payments: keep it small. */
const syncEvery = 8 * chunk;
/** SQLite stores nothing in the page of its lock byte, and Windows lets nobody read it. */
const lockByte = 0x4000_0000;
const quietWithinMs = 2_000;
const quietMs = 100;

interface Backups {
  copyTo: Store['copyTo'];
  /** True while a copy is made: the WAL must not be checkpointed. */
  isHeld(): boolean;
  /** Call after the database is closed. A copy under way fails. */
  close(): void;
}

/** @param head of the journal, as committed */
export const createBackups = (
  db: Db,
  file: string,
  transactions: Pick<Transactions, 'commits' | 'flush' | 'halt'>,
  head: () => JournalHead,
): Backups => {
  // Stays open until the database is closed: closing any handle of the file would drop the database's locks.
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

  /** Puts every commit into the file; reads its size and the journal's head in the same turn of the event loop. */
  const settle = (fd: number): { bytes: number; head: JournalHead } => {
    transactions.flush();
    if (!db.open || db.inTransaction) throw notNow('the treasury is stopping');
    if (!isCopiedBack()) throw notNow('the log could not be copied back');
    return { bytes: fstatSync(fd).size, head: head() };
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
        const pageSize = Number(db.pragma('page_size', { simple: true }));
        await copyPages({ from: source, to: target, bytes, pageSize }, () => isClosed);
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
      // A copy under way closes it itself.
      if (!held && source !== null) closeSync(source);
    },
  };
};

interface Copy {
  /** File descriptors. */
  from: number;
  to: number;
  bytes: number;
  pageSize: number;
}

/** Copies all pages but the one that holds the locks, which SQLite never uses. */
const copyPages = async ({ from, to, bytes, pageSize }: Copy, isClosed: () => boolean): Promise<void> => {
  const skipped = Math.floor(lockByte / pageSize) * pageSize;
  const buffer = Buffer.alloc(chunk);
  for (let at = 0, unsynced = 0; at < bytes;) {
    if (isClosed()) throw notNow('the treasury is stopping');
    const until = at < skipped ? Math.min(bytes, skipped) : bytes;
    const { bytesRead } = await readAt(from, buffer, 0, Math.min(chunk, until - at), at);
    if (bytesRead === 0) throw notNow('the database ended early');
    await writeAll(to, buffer.subarray(0, bytesRead), at);
    at += bytesRead;
    if (at === skipped) at += pageSize;
    unsynced += bytesRead;
    if (unsynced < syncEvery && at < bytes) continue;
    await sync(to);
    unsynced = 0;
  }
};

const notNow = (why: string): AppError => new AppError('conflict', `No backup was made: ${why}. Try again.`);

const writeAll = async (fd: number, bytes: Buffer, position: number): Promise<void> => {
  for (let done = 0; done < bytes.length;)
    done += (await writeAt(fd, bytes, done, bytes.length - done, position + done)).bytesWritten;
};

/** Runs in a worker, since reading a large copy takes long. It is text because the desktop is one bundled file. */
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

/**
 * Turns the copy into one file without a WAL, and reads all of it.
 * @throws AppError `conflict` when it is not what was to be copied
 */
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
    `No backup was made: the copy is damaged (${why}). Check the disk, then try again.`,
  );
