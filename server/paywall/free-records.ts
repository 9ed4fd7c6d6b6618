// The free requests of each payer in the current period.
import type Database from 'better-sqlite3';
import type { FreeRequest, GrantStore } from './types.ts';

export const freeSchema = `
  CREATE TABLE IF NOT EXISTS paywall_free (
    payer TEXT NOT NULL,
    until INTEGER NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (payer, until)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS paywall_free_end ON paywall_free (until);`;

/** The counters in this database, whose schema has `freeSchema`. One statement counts, also among several processes. */
export const freeRecords = (database: Database.Database): Required<Pick<GrantStore, 'takeFree'>> => {
  const count = database.prepare<FreeRequest>(
    `INSERT INTO paywall_free (payer, until, used) VALUES (@payer, @until, 1)
     ON CONFLICT DO UPDATE SET used = used + 1 WHERE used < @most`,
  );
  const prune = database.prepare<[number]>('DELETE FROM paywall_free WHERE until < ?');
  let newestEnd = 0;
  return {
    takeFree(free) {
      if (free.until > newestEnd) {
        newestEnd = free.until;
        prune.run(Date.now());
      }
      return count.run(free).changes === 1;
    },
  };
};
