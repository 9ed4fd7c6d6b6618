// The database file: one process, every commit synced, and a halt for good after an I/O error.
import { copyFileSync, renameSync, statSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../server/errors.ts';
import { openDatabase } from '../../server/store/database.ts';
import { createTransactions } from '../../server/store/transfers/transactions.ts';
import { createStore } from '../../server/store/store.ts';
import { useFolders } from '../harness/folders.ts';
import { instantly, openTreasury, spawnTreasury, until } from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';

const fresh = useFolders();
const cut = (path: string): void => truncateSync(path, Math.floor(statSync(path).size / 2));
const throwIt = (error: Error): never => {
  throw error;
};

describe('the database', () => {
  it('syncs every commit, by a setting that is read back and not assumed', () => {
    const db = openDatabase({ file: join(fresh(), 'a.db') });
    expect(db.pragma('synchronous', { simple: true })).toBe(2n);
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.pragma('locking_mode', { simple: true })).toBe('exclusive');
    db.close();
  });

  it('releases a file on which no store can be opened', () => {
    const file = join(fresh(), 'a.db');
    openDatabase({ file }).close();
    const db = new Database(file);
    db.exec('ALTER TABLE freeze RENAME TO gone');
    db.close();
    expect(() => createStore({ file, now: Date.now, onHalt: () => {} })).toThrow('freeze');
    openDatabase({ file, lockWaitMs: 0 }).close();
  });

  const hosts = tries(4, 10);
  it(`is opened by one of ${hosts} hosts that start at once; the others say why they cannot`, async () => {
    const folder = fresh();
    await (await openTreasury({ dataDir: folder })).close();
    const outcomes = await Promise.allSettled(
      Array.from({ length: hosts }, () => spawnTreasury(folder, instantly)),
    );
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(won).toHaveLength(1);
    for (const { reason } of lost) expect(String(reason)).toContain('Another Agent Treasury is using');
    await Promise.all(won.map(({ value }) => value.kill('SIGTERM')));
  });

  it('that was cut, or is none, is refused with what to do', () => {
    const file = join(fresh(), 'cut.db');
    createStore({ file, now: Date.now, onHalt: throwIt }).close();
    cut(file);
    const open = () => createStore({ file, now: Date.now, onHalt: throwIt });
    expect(open).toThrow(/it is damaged\. Put a backup in its place with --restore FILE/);
    writeFileSync(file, 'no database at all, but long enough to be taken for one'.repeat(100));
    expect(open).toThrow(AppError);
  });

  it('of a newer version is left alone', () => {
    const file = join(fresh(), 'newer.db');
    const db = new Database(file);
    db.pragma('user_version = 999');
    db.close();
    expect(() => openDatabase({ file })).toThrow(/newer Agent Treasury/);
  });
});

describe('work that can wait', () => {
  afterEach(() => vi.useRealTimers());

  it('is visible at once, and committed with the next, or soon by itself', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const db = openDatabase({ file: join(fresh(), 'l.db') });
    db.exec('CREATE TABLE t (x INTEGER)');
    const { lazily, grouped, commits } = createTransactions(
      db,
      () => {},
      () => {},
    );
    const add = (x: number): void => void db.prepare('INSERT INTO t VALUES (?)').run(x);
    const before = commits();
    lazily(() => add(1));
    lazily(() => add(2));
    expect(db.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 2n });
    await nextTurn();
    await nextTurn();
    expect([commits() - before, db.inTransaction]).toEqual([0, true]);
    await grouped(() => add(3)).durable;
    expect([commits() - before, db.inTransaction]).toEqual([1, false]);
    lazily(() => add(4));
    vi.advanceTimersByTime(20);
    expect([commits() - before, db.inTransaction]).toEqual([2, false]);
    db.close();
  });
});

describe('work that shares a commit', () => {
  it('is atomic separately, and durable together', async () => {
    const file = join(fresh(), 'c.db');
    const db = openDatabase({ file });
    db.exec('CREATE TABLE t (x INTEGER)');
    const { grouped, atomically, commits } = createTransactions(
      db,
      () => {},
      () => {},
    );
    const add = (x: number): void => void db.prepare('INSERT INTO t VALUES (?)').run(x);
    const before = commits();
    const one = grouped(() => add(1));
    expect(() =>
      grouped(() => {
        add(2);
        throw new Error('half');
      }),
    ).toThrow('half');
    const three = grouped(() => add(3));
    let durable = false;
    void one.durable.then(() => (durable = true));
    expect(durable).toBe(false);
    await three.durable;
    await three.durable;
    expect(durable).toBe(true);
    expect(commits() - before).toBe(1);
    // Work that commits at once commits the waiting work too.
    const four = grouped(() => add(4));
    atomically(() => add(5));
    await four.durable;
    expect(commits() - before).toBe(2);
    expect(db.prepare('SELECT x FROM t ORDER BY x').all()).toEqual([1n, 3n, 4n, 5n].map((x) => ({ x })));
    db.close();
  });

  it('is refused together when the disk fails at the commit', async () => {
    const db = openDatabase({ file: join(fresh(), 'd.db') });
    db.exec('CREATE TABLE t (x BLOB)');
    const halts: Error[] = [];
    const { grouped } = createTransactions(
      db,
      () => {},
      (error) => halts.push(error),
    );
    db.pragma('max_page_count = 60');
    const small = grouped(() => void db.prepare('INSERT INTO t VALUES (1)').run());
    expect(() =>
      grouped(() => {
        for (let n = 0; n < 200; n += 1) db.prepare('INSERT INTO t VALUES (zeroblob(4096))').run();
      }),
    ).toThrow(/disk failed/);
    await expect(small.durable).rejects.toThrow(/disk failed/);
    expect(halts).toHaveLength(1);
    expect(db.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 0n });
    db.close();
  });
});

describe('a failing disk', () => {
  it('halts for good when the commit itself fails, and says so to all that waited for it', async () => {
    const db = openDatabase({ file: join(fresh(), 'commit.db') });
    const halts: Error[] = [];
    const { grouped, atomically } = createTransactions(
      db,
      () => {},
      (error) => halts.push(error),
    );
    // SQLite looks at a deferred key when it commits, and not before.
    db.pragma('foreign_keys = ON');
    db.exec('CREATE TABLE whole (id INTEGER PRIMARY KEY)');
    db.exec('CREATE TABLE part (id INTEGER REFERENCES whole DEFERRABLE INITIALLY DEFERRED)');
    const first = grouped(() => void db.prepare('INSERT INTO whole VALUES (1)').run());
    const second = grouped(() => void db.prepare('INSERT INTO part VALUES (2)').run());
    await expect(first.durable).rejects.toThrow(/disk failed/);
    await expect(second.durable).rejects.toThrow(/disk failed/);
    expect(halts).toHaveLength(1);
    expect(() => atomically(() => 1)).toThrow(/disk failed/);
    expect(db.prepare('SELECT count(*) AS n FROM whole').get()).toEqual({ n: 0n });
    db.close();
  });

  it('halts for good: SQLite would continue, the treasury does not', () => {
    const db = openDatabase({ file: join(fresh(), 'full.db') });
    const halts: Error[] = [];
    const { atomically } = createTransactions(
      db,
      () => {},
      (error) => halts.push(error),
    );
    db.exec('CREATE TABLE filler (x BLOB)');
    // A full disk, as SQLite itself reports it.
    db.pragma('max_page_count = 80');
    const fill = (): void => {
      for (let n = 0; n < 200; n += 1) db.prepare('INSERT INTO filler VALUES (zeroblob(4096))').run();
    };
    expect(() => atomically(fill)).toThrow(/disk failed/);
    expect(halts).toHaveLength(1);
    db.pragma('max_page_count = 100000');
    expect(() => atomically(() => 1)).toThrow(/disk failed/);
    expect(db.prepare('SELECT count(*) AS n FROM filler').get()).toEqual({ n: 0n });
    db.close();
  });

  it('undoes a dry run completely, keeps work that waits for its commit, and writes nothing by itself', async () => {
    const file = join(fresh(), 'a.db');
    const db = openDatabase({ file });
    let rollbacks = 0;
    const transactions = createTransactions(db, () => (rollbacks += 1), throwIt);
    db.exec('CREATE TABLE t (n INTEGER)');
    const rows = () => db.prepare('SELECT n FROM t').pluck().all();
    const insert = (n: number) => db.prepare('INSERT INTO t VALUES (?)').run(n);
    const logged = () => statSync(`${file}-wal`).size;
    const before = [logged(), transactions.commits()];
    for (let n = 0; n < 100; n += 1) {
      expect(transactions.undone(() => transactions.atomically(() => (insert(n), rows())))).toEqual([
        BigInt(n),
      ]);
      expect(() => transactions.undone(() => (insert(n), throwIt(new Error('refused'))))).toThrow('refused');
    }
    await nextTurn();
    expect([logged(), transactions.commits()]).toEqual(before);
    expect(rows()).toEqual([]);
    expect(rollbacks).toBe(200);

    const { durable } = transactions.grouped(() => insert(7));
    expect(transactions.undone(() => (insert(8), rows()))).toEqual([7n, 8n]);
    await durable;
    expect(rows()).toEqual([7n]);
    expect(() => transactions.atomically(() => transactions.undone(rows))).toThrow('no part of another');
    db.close();
  });

  it('rolls back work that a thrown error interrupts, and continues', () => {
    const store = createStore({ file: join(fresh(), 'b.db'), now: Date.now, onHalt: () => {} });
    expect(() =>
      store.atomically(() => {
        store.freeze.set({ since: 1, reason: 'half' });
        throw new Error('in the middle');
      }),
    ).toThrow('in the middle');
    expect(store.freeze.get()).toBeNull();
    store.atomically(() => store.freeze.set({ since: 2, reason: 'whole' }));
    expect(store.freeze.get()).toEqual({ since: 2, reason: 'whole' });
    store.close();
  });
});

const replace = (path: string): void => {
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
};

describe('a file of the database that changes under it', () => {
  it.each<[string, string, (path: string) => void]>([
    ['log is removed', '-wal', unlinkSync],
    ['log is replaced', '-wal', replace],
    ['log is cut in half', '-wal', cut],
    ['file is removed', '', unlinkSync],
    ['file is replaced', '', replace],
    ['file is cut in half', '', cut],
  ])('halts the store when its %s: before the next commit, and without one', async (_what, end, harm) => {
    for (const isIdle of [false, true]) {
      const file = join(fresh(), 'treasury.db');
      const halts: Error[] = [];
      const store = createStore({ file, now: Date.now, onHalt: (error) => halts.push(error) });
      store.atomically(() => store.meta.set('kept', 'yes'));
      harm(`${file}${end}`);
      if (isIdle) await until('it to be noticed', async () => halts.length > 0);
      const late = (): void => store.atomically(() => store.meta.set('kept', 'no'));
      expect(late).toThrow(`the file treasury.db${end} in its data folder was removed, replaced or cut`);
      expect(late).toThrow(AppError);
      expect(halts).toHaveLength(1);
      // What cannot be written any more can be read.
      if (end === '-wal' && harm !== cut) {
        copyFileSync(file, `${file}.copy`);
        const copied = new Database(`${file}.copy`).prepare(keptValue).get();
        expect(copied).toEqual({ value: 'yes' });
      }
      try {
        store.close();
      } catch {
        // SQLite cannot put a log into a file that is none.
      }
    }
  });
});

const keptValue = "SELECT value FROM meta WHERE name = 'kept'";
