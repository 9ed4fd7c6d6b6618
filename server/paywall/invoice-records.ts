// What stands behind invoices that are signed: the store's secret, and what has been asked for.
import { randomBytes } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { Asking, InvoiceSecret, InvoiceStore, Sold } from './invoice-store.ts';

/** One secret is in force: the row without `replaced_at`. */
export const invoiceSchema = `
  CREATE TABLE IF NOT EXISTS paywall_secret (
    key BLOB NOT NULL CHECK (length(key) = 32),
    replaced_at INTEGER,
    restored_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS paywall_secret_in_force ON paywall_secret (replaced_at IS NULL)
    WHERE replaced_at IS NULL;
  CREATE TABLE IF NOT EXISTS paywall_asking (
    service TEXT NOT NULL,
    route TEXT NOT NULL,
    amount INTEGER NOT NULL,
    recipient TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    PRIMARY KEY (service, route, amount, recipient)
  ) STRICT, WITHOUT ROWID;`;

interface SecretRow {
  key: Buffer;
  replacedAt: number | null;
  restoredAt: number | null;
}
/** Empty for no service and no route, 0 for the price of a function. */
interface AskingRow {
  service: string;
  route: string;
  amount: bigint;
  recipient: string;
}

const mostAskings = 100;

/** The secret and the prices in this database, whose schema has `invoiceSchema`. */
export const invoiceRecords = (
  database: Database.Database,
): Required<Pick<InvoiceStore, 'secret' | 'keepAsking' | 'findAsking'>> => {
  const select = database.prepare<[], SecretRow>(
    `SELECT key, replaced_at AS replacedAt, restored_at AS restoredAt FROM paywall_secret
     ORDER BY replaced_at IS NOT NULL, replaced_at DESC`,
  );
  const insert = database.prepare<[Buffer]>(
    'INSERT INTO paywall_secret (key) VALUES (?) ON CONFLICT DO NOTHING',
  );
  const keep = database.prepare<AskingRow & { now: number }>(
    `INSERT INTO paywall_asking (service, route, amount, recipient, asked_at)
     VALUES (@service, @route, @amount, @recipient, @now) ON CONFLICT DO UPDATE SET asked_at = @now`,
  );
  const prune = database.prepare<AskingRow & { most: number }>(
    `DELETE FROM paywall_asking WHERE service = @service AND route = @route AND (amount, recipient) NOT IN
       (SELECT amount, recipient FROM paywall_asking WHERE service = @service AND route = @route
        ORDER BY asked_at DESC LIMIT @most)`,
  );
  const find = database
    .prepare<[string, string, number], { amount: bigint; recipient: string }>(
      'SELECT amount, recipient FROM paywall_asking WHERE service = ? AND route = ? AND asked_at > ?',
    )
    .safeIntegers(true);
  const keepOne = database.transaction((row: AskingRow) => {
    keep.run({ ...row, now: Date.now() });
    prune.run({ ...row, most: mostAskings });
  });

  return {
    secret(): InvoiceSecret {
      let rows = select.all();
      if (rows.length === 0) {
        insert.run(randomBytes(32));
        rows = select.all();
      }
      const [{ key, restoredAt } = noSecret(), ...former] = rows;
      return {
        key,
        former: former.flatMap((one) =>
          one.replacedAt === null ? [] : [{ key: one.key, replacedAt: one.replacedAt }],
        ),
        restoredAt: restoredAt ?? undefined,
      };
    },
    keepAsking: (sold, { amount, recipient }) =>
      keepOne.immediate({ ...namesOf(sold), amount: amount ?? 0n, recipient }),
    findAsking(sold, since): Asking[] {
      const { service, route } = namesOf(sold);
      return find
        .all(service, route, since)
        .map(({ amount, recipient }) => ({ amount: amount === 0n ? null : amount, recipient }));
    },
  };
};

/** Signs with another secret from now on; the former one is good as long as its invoices are. */
export const rotateSecret = (database: Database.Database, now: number): void => {
  database
    .transaction(() => {
      database.prepare('UPDATE paywall_secret SET replaced_at = ? WHERE replaced_at IS NULL').run(now);
      database
        .prepare(
          'INSERT INTO paywall_secret (key, restored_at) SELECT ?, max(restored_at) FROM paywall_secret',
        )
        .run(randomBytes(32));
    })
    .immediate();
};

/** Ends every invoice that was issued before, signed or kept: this file may have forgotten which of them were granted. */
export const refuseEarlier = (database: Database.Database, now: number): void => {
  database
    .transaction(() => {
      database.exec('DELETE FROM paywall_secret; DELETE FROM paywall_invoice');
      database
        .prepare('INSERT INTO paywall_secret (key, restored_at) VALUES (?, ?)')
        .run(randomBytes(32), now);
    })
    .immediate();
};

const noSecret = (): never => {
  throw new Error('the store of grants has lost its secret');
};

const namesOf = ({ service, route }: Sold): { service: string; route: string } => ({
  service: service ?? '',
  route: route ?? '',
});
