// A copy of the database, made while it is written: it is whole, of one commit, in one file, and the lock stays.
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openTo } from '../../server/lib/files/owner-only.ts';
import { verifyJournal } from '../../server/engine/records/audit.ts';
import { createBackups } from '../../server/store/records/backup.ts';
import { openDatabase } from '../../server/store/database.ts';
import { createTransactions } from '../../server/store/transfers/transactions.ts';
import { useFolders } from '../harness/folders.ts';
import { openStore } from '../harness/engine/store.ts';

const fresh = useFolders();

/** Whether another process is kept out. */
const isLocked = (file: string): boolean => {
  const script = `const D = require('better-sqlite3'); const d = new D(process.argv[1], { timeout: 100 });
    try { d.exec('BEGIN IMMEDIATE'); console.log('open') } catch { console.log('locked') }`;
  const cwd = new URL('../..', import.meta.url).pathname;
  return execFileSync(process.execPath, ['-e', script, file], { cwd }).toString().trim() === 'locked';
};

describe('a copy of the store', () => {
  it('made under load is of one commit, verifies, is one private file, and keeps the lock', async () => {
    const folder = fresh();
    const file = join(folder, 'treasury.db');
    const store = openStore(file);
    const end = new AbortController();
    let last = 0;
    const writing = (async () => {
      for (let n = 1; !end.signal.aborted; n += 1) {
        // Two transactions in one commit, and one that stays open for a while.
        store.grouped(() => store.meta.set('left', String(n)));
        store.grouped(() => store.freeze.set({ since: n, reason: String(n) }));
        store.lazily(() => store.meta.set('lazy', String(n)));
        last = n;
        await nextTurn();
      }
    })();
    for (let n = 0; n < 2; n += 1) {
      const before = last;
      const copy = join(folder, `copy-${n}.db`);
      const { bytes, head } = await store.copyTo(copy);
      expect(statSync(copy)).toMatchObject({ size: bytes });
      expect(openTo(copy)).toBeNull();
      expect(readdirSync(folder).filter((name) => name.startsWith(`copy-${n}`))).toEqual([`copy-${n}.db`]);
      const copied = openStore(copy);
      expect(copied.journal.head()).toEqual(head);
      expect(verifyJournal(copied)).toBeNull();
      expect(copied.meta.get('left')).toBe(copied.freeze.get()?.reason);
      expect(Number(copied.meta.get('left'))).toBeGreaterThanOrEqual(before);
      copied.close();
    }
    expect(isLocked(file)).toBe(true);
    end.abort();
    await writing;
    store.close();
    expect(isLocked(file)).toBe(false);
  });

  it('holds all committed work, and nothing of an open transaction', async () => {
    const folder = fresh();
    const db = openDatabase({ file: join(folder, 'a.db') });
    const transactions = createTransactions(
      db,
      () => {},
      () => {},
    );
    const head = () => {
      const { seq, hash } = db.prepare('SELECT seq, hash FROM journal').get() as {
        seq: bigint;
        hash: Buffer;
      };
      return { seq: Number(seq), hash };
    };
    db.exec(`INSERT INTO journal (seq, at, subject, created, digest, hash) VALUES (1, 1, 'x:1', 1, zeroblob(32), zeroblob(32));
      CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER, fill BLOB);
      WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 40000)
      INSERT INTO t SELECT n, 0, zeroblob(1000) FROM c;`);
    const backups = createBackups(db, join(folder, 'a.db'), transactions, head);
    const change = db.prepare('UPDATE t SET v = ? WHERE id % 400 = 1');
    const end = new AbortController();
    let copiedBack = 0;
    const writing = (async () => {
      for (let n = 1; !end.signal.aborted; n += 1) {
        transactions.grouped(() => change.run(n));
        await nextTurn();
        // As eager as possible: at every allowed moment.
        if (!backups.isHeld() && !db.inTransaction) {
          db.pragma('wal_checkpoint(PASSIVE)');
          copiedBack += 1;
        }
        await nextTurn();
      }
    })();
    await nextTurn();
    for (let n = 0; n < 2; n += 1) {
      await backups.copyTo(join(folder, `copy-${n}.db`));
      const copy = new Database(join(folder, `copy-${n}.db`));
      const values = copy.prepare('SELECT DISTINCT v FROM t WHERE id % 400 = 1').pluck().all();
      expect(values).toHaveLength(1);
      copy.close();
    }
    end.abort();
    await writing;
    expect(copiedBack).toBeGreaterThan(0);
    db.close();
    backups.close();
  });

  it('is not made over an existing file, of a damaged database, or twice at once', async () => {
    const folder = fresh();
    const file = join(folder, 'treasury.db');
    const store = openStore(file);
    writeFileSync(join(folder, 'mine'), 'mine');
    await expect(store.copyTo(join(folder, 'mine'))).rejects.toThrow('EEXIST');
    expect(statSync(join(folder, 'mine')).size).toBe(4);
    const [one, two] = await Promise.allSettled([
      store.copyTo(join(folder, 'one.db')),
      store.copyTo(join(folder, 'two.db')),
    ]);
    expect([one?.status, two?.status]).toEqual(['fulfilled', 'rejected']);
    expect(existsSync(join(folder, 'two.db'))).toBe(false);

    // It is never closed here: that would drop the lock.
    const handle = openSync(file, 'r+');
    const { size } = statSync(file);
    for (let page = 3; page * 4_096 < size; page += 1)
      writeSync(handle, Buffer.alloc(64, 7), 0, 64, page * 4_096);
    await expect(store.copyTo(join(folder, 'bad.db'))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('is damaged'),
    });
    expect(existsSync(join(folder, 'bad.db'))).toBe(false);
    store.close();
    closeSync(handle);
  });

  it('ends when the store is closed meanwhile, and leaves no file', async () => {
    const folder = fresh();
    const store = openStore(join(folder, 'treasury.db'));
    const copying = store.copyTo(join(folder, 'late.db'));
    const refused = expect(copying).rejects.toMatchObject({ code: 'conflict' });
    store.close();
    await refused;
    expect(existsSync(join(folder, 'late.db'))).toBe(false);
  });
});
