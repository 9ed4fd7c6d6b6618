// The payments that were settled and may not be granted yet.
import type Database from 'better-sqlite3';
import type { GrantStore, SettledPayment } from './types.ts';

export const settledSchema = `
  CREATE TABLE IF NOT EXISTS paywall_settled (
    message TEXT PRIMARY KEY NOT NULL,
    tx_signature TEXT NOT NULL,
    until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS paywall_settled_end ON paywall_settled (until);`;

/** The settlements in this database, whose schema has `settledSchema`. */
export const settledRecords = (
  database: Database.Database,
): Required<Pick<GrantStore, 'findSettled' | 'saveSettled'>> => {
  const select = database
    .prepare<[string], string>('SELECT tx_signature FROM paywall_settled WHERE message = ?')
    .pluck();
  const insert = database.prepare<SettledPayment>(
    `INSERT INTO paywall_settled (message, tx_signature, until) VALUES (@message, @txSignature, @until)
     ON CONFLICT DO NOTHING`,
  );
  const prune = database.prepare<[number]>('DELETE FROM paywall_settled WHERE until < ?');
  return {
    findSettled: (message) => select.get(message),
    saveSettled(settled) {
      prune.run(Date.now());
      insert.run(settled);
    },
  };
};
