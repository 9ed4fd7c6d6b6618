// What stands behind invoices that are signed: the store's secret, the prices that were asked, and how many offers were made.
import { randomBytes } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { InvoiceStore, Sold } from './invoice-store.ts';

/**
 * One secret is in force: the row without `replaced_at`. `sold` is JSON of service and route, and the amount of a price that is a
 * function is 0.
 */
export const invoiceSchema = `
  CREATE TABLE IF NOT EXISTS paywall_secret (
    key BLOB NOT NULL CHECK (length(key) = 32), replaced_at INTEGER, restored_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS paywall_secret_in_force ON paywall_secret (replaced_at IS NULL)
    WHERE replaced_at IS NULL;
  CREATE TABLE IF NOT EXISTS paywall_asking (
    sold TEXT NOT NULL, amount INTEGER NOT NULL, recipient TEXT NOT NULL, asked_at INTEGER NOT NULL,
    PRIMARY KEY (sold, amount, recipient)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS paywall_offer (
    day TEXT NOT NULL, sold TEXT NOT NULL, made INTEGER NOT NULL, PRIMARY KEY (day, sold)
  ) STRICT, WITHOUT ROWID;`;

type SecretRow = Record<'replacedAt' | 'restoredAt', number | null> & { key: Buffer };

const mostAskings = 100;
const writeEveryMs = 5_000;
const nameOf = ({ service, route }: Sold): string => JSON.stringify([service, route]);

/**
 * The secret, the prices and the offers in this database, whose schema has `invoiceSchema`. Offers are counted in memory and
 * written by `flush`, by itself every few seconds: a flood of requests costs a row now and then, and a crash the last ones.
 */
export const invoiceRecords = (database: Database.Database): Required<InvoiceStore> & { flush(): void } => {
  const select = database.prepare<[], SecretRow>(
    `SELECT key, replaced_at AS replacedAt, restored_at AS restoredAt FROM paywall_secret ORDER BY replaced_at IS NOT NULL`,
  );
  const insert = database.prepare<[Buffer]>(
    'INSERT INTO paywall_secret (key) VALUES (?) ON CONFLICT DO NOTHING',
  );
  const keep = database.prepare<[string, bigint, string, number]>(
    'INSERT INTO paywall_asking VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET asked_at = excluded.asked_at',
  );
  const prune = database.prepare<{ sold: string }>(
    `DELETE FROM paywall_asking WHERE sold = @sold AND (amount, recipient) NOT IN (SELECT amount, recipient
       FROM paywall_asking WHERE sold = @sold ORDER BY asked_at DESC LIMIT ${mostAskings})`,
  );
  const find = database
    .prepare<[string, number], { amount: bigint; recipient: string }>(
      'SELECT amount, recipient FROM paywall_asking WHERE sold = ? AND asked_at > ?',
    )
    .safeIntegers(true);
  const add = database.prepare<[string, string, number]>(
    'INSERT INTO paywall_offer VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET made = made + excluded.made',
  );
  const counted = new Map<Sold, number>();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (counted.size === 0 || !database.open) return;
    const day = new Date().toISOString().slice(0, 10);
    for (const [sold, made] of counted) add.run(day, nameOf(sold), made);
    counted.clear();
    // The next ones overwrite the log instead of growing it.
    database.pragma('wal_checkpoint(PASSIVE)');
  };
  return {
    secret() {
      let rows = select.all();
      if (rows.length === 0) {
        insert.run(randomBytes(32));
        rows = select.all();
      }
      const [current, ...former] = rows;
      if (current?.replacedAt !== null) throw new Error('the store of grants has no secret in force');
      return {
        key: current.key,
        former: former.map(({ key, replacedAt }) => ({ key, replacedAt: Number(replacedAt) })),
        restoredAt: current.restoredAt ?? undefined,
      };
    },
    keepAsking(sold, { amount, recipient }) {
      keep.run(nameOf(sold), amount ?? 0n, recipient, Date.now());
      prune.run({ sold: nameOf(sold) });
    },
    countOffer(sold) {
      counted.set(sold, (counted.get(sold) ?? 0) + 1);
      timer ??= setTimeout(flush, writeEveryMs).unref();
    },
    flush,
    findAsking: (sold, since) =>
      find.all(nameOf(sold), since).map((one) => ({ ...one, amount: one.amount === 0n ? null : one.amount })),
  };
};

/**
 * Signs with another secret from now on. The former ones are good as long as their invoices are; with `endsEarlier` each
 * invoice that was issued before ends, signed, kept or settled: this file may have forgotten which of them were granted.
 */
export const replaceSecret = (
  database: Database.Database,
  now: number,
  { endsEarlier }: { endsEarlier: boolean },
): void => {
  const replace = (): void => {
    // Of settled payments, for which request each was shown first stays: a digest, shorter than a signature.
    if (endsEarlier)
      database.exec(`DELETE FROM paywall_secret; DELETE FROM paywall_invoice;
        DELETE FROM paywall_settled WHERE length(tx_signature) > 44`);
    database.prepare('UPDATE paywall_secret SET replaced_at = ? WHERE replaced_at IS NULL').run(now);
    database
      .prepare(
        'INSERT INTO paywall_secret (key, restored_at) SELECT ?, coalesce(?, max(restored_at)) FROM paywall_secret',
      )
      .run(randomBytes(32), endsEarlier ? now : null);
  };
  database.transaction(replace).immediate();
};
