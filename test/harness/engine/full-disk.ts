// A disk that takes no more commits of a treasury's database, as SQLite itself reports it, within this process. Files
// that have their room already can still be written in place.
import Database from 'better-sqlite3';

type Statement = Pick<Database.Statement, 'source' | 'run'> & { database: Database.Database };

/** Makes every commit fail until the returned function is called. */
export const fillDisk = (): (() => void) => {
  const db = new Database(':memory:');
  const prototype = Object.getPrototypeOf(db.prepare('SELECT 1')) as Statement;
  db.close();
  const { run } = prototype;
  prototype.run = function (this: Statement, ...values: unknown[]) {
    if (this.source === 'COMMIT' && this.database.name.endsWith('treasury.db'))
      throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
    return run.apply(this, values);
  };
  return () => void (prototype.run = run);
};
