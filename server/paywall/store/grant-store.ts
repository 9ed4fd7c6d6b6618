// A seller's durable records in SQLite: the invoices it issued, the payments it granted, its refunds, settlements, and free requests.
import { closeSync, existsSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import type Database from 'better-sqlite3';
import { invariant } from '../../errors.ts';
import { invoiceRecords, invoiceSchema } from './invoice-records.ts';
import { refundRecords, refundSchema } from './refund-records.ts';
import { columnsOf } from './sales.ts';
import { settlingRecords, settlingSchema } from '../settle/settling-records.ts';
import type { Grant, GrantStore, Invoice, SqliteDatabase, FreeRequest, SettledPayment } from '../types.ts';

/** The payments that were settled and may not be granted yet. */
const settledSchema = `
  CREATE TABLE IF NOT EXISTS paywall_settled (
    message TEXT PRIMARY KEY NOT NULL,
    tx_signature TEXT NOT NULL,
    until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS paywall_settled_end ON paywall_settled (until);`;

/** The settlements in this database, whose schema has `settledSchema`. */
const settledRecords = (
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

/** The free requests of each payer in the current period. */
const freeSchema = `
  CREATE TABLE IF NOT EXISTS paywall_free (
    payer TEXT NOT NULL,
    until INTEGER NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (payer, until)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS paywall_free_end ON paywall_free (until);`;

/** The counters in this database, whose schema has `freeSchema`. One statement counts, also among several processes. */
const freeRecords = (database: Database.Database): Required<Pick<GrantStore, 'takeFree'>> => {
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

const schema = `
  CREATE TABLE IF NOT EXISTS paywall_invoice (
    id TEXT PRIMARY KEY,
    method TEXT NOT NULL,
    url TEXT NOT NULL,
    body_sha256 TEXT NOT NULL CHECK (length(body_sha256) = 64),
    amount INTEGER NOT NULL CHECK (amount > 0),
    recipient TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS paywall_invoice_expiry ON paywall_invoice (expires_at);
  CREATE TABLE IF NOT EXISTS paywall_grant (
    tx_signature TEXT PRIMARY KEY NOT NULL,
    invoice TEXT UNIQUE,
    payment_id TEXT NOT NULL,
    payer TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    granted_at INTEGER NOT NULL
  ) STRICT;
  ${refundSchema}
  ${invoiceSchema}
  ${settledSchema}
  ${settlingSchema}
  ${freeSchema}`;

// Asking is free, so invoices cannot be kept for ever; a payment made in time has long been presented by then.
const keepExpiredMs = 86_400_000;
const pruneEvery = 1000;

interface InvoiceRow extends Omit<Invoice, 'expiresAt'> {
  expiresAt: bigint;
}

/**
 * A store in SQLite. Opens the file, or uses an open database (which then runs in WAL mode with `synchronous=FULL`);
 * several processes may share the file.
 * @throws Error when the database cannot be made to keep what it acknowledged, or Node is older than 22
 */
export const createGrantStore = (
  pathOrDatabase: string | SqliteDatabase,
): Required<GrantStore> & { close(): void } => {
  // `SqliteDatabase` names as much of it as sellers' types can without better-sqlite3's.
  const database =
    typeof pathOrDatabase === 'string' ? openPrivate(pathOrDatabase) : (pathOrDatabase as Database.Database);
  makeDurable(database);
  const { flush, ...invoices } = invoiceRecords(database);
  return {
    ...keptInvoices(database),
    ...invoices,
    ...grantRecords(database),
    ...refundRecords(database),
    ...settledRecords(database),
    ...settlingRecords(database),
    ...freeRecords(database),
    close() {
      flush();
      database.close();
    },
  };
};

/** Invoices of stores that older versions made, or that sign none. */
const keptInvoices = (database: Database.Database): Pick<GrantStore, 'saveInvoice' | 'findInvoice'> => {
  const insert = database.prepare<Invoice>(
    `INSERT INTO paywall_invoice (id, method, url, body_sha256, amount, recipient, expires_at)
     VALUES (@id, @method, @url, @bodySha256, @amount, @recipient, @expiresAt)`,
  );
  const prune = database.prepare<[number]>('DELETE FROM paywall_invoice WHERE expires_at < ?');
  const select = database
    .prepare<[string], InvoiceRow>(
      `SELECT id, method, url, body_sha256 AS bodySha256, amount, recipient, expires_at AS expiresAt
       FROM paywall_invoice WHERE id = ?`,
    )
    .safeIntegers(true);
  let saved = 0;
  return {
    saveInvoice(invoice) {
      if (saved++ % pruneEvery === 0) prune.run(invoice.expiresAt - keepExpiredMs);
      insert.run(invoice);
    },
    findInvoice(id) {
      const row = select.get(id);
      return row && { ...row, expiresAt: Number(row.expiresAt) };
    },
  };
};

const grantRecords = (
  database: Database.Database,
): Required<Pick<GrantStore, 'isUsed' | 'isInvoiceUsed' | 'grant'>> => {
  const insertGrant = database.prepare<Omit<Grant, 'sale'> & { sale: string | null }>(
    `INSERT INTO paywall_grant (tx_signature, invoice, payment_id, payer, amount, granted_at, sale)
     VALUES (@txSignature, @invoice, @paymentId, @payer, @amount, @grantedAt, @sale) ON CONFLICT DO NOTHING`,
  );
  const selectGrant = database.prepare<[string]>('SELECT 1 FROM paywall_grant WHERE tx_signature = ?');
  const selectInvoice = database.prepare<[string]>('SELECT 1 FROM paywall_grant WHERE invoice = ?');
  const isUsed = (txSignature: string) => selectGrant.get(txSignature) !== undefined;
  return {
    isUsed,
    isInvoiceUsed: (invoice) => selectInvoice.get(invoice) !== undefined,
    grant(grant) {
      // One statement is one transaction: both UNIQUE constraints and the row succeed or fail together.
      const sale = grant.sale === undefined ? null : JSON.stringify(grant.sale);
      if (insertGrant.run({ ...grant, sale }).changes === 1) return 'granted';
      return isUsed(grant.txSignature) ? 'transaction_used' : 'invoice_used';
    },
  };
};

/** For this user alone; SQLite gives the WAL the permissions of the file. */
const openPrivate = (path: string): Database.Database => {
  const Sqlite = loadSqlite();
  // Only a new file: closing a handle of an open database would drop this process's locks on it.
  if (path !== ':memory:' && !existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  return new Sqlite(path);
};

/** Loaded when it is used: a seller with a store of its own may do without it, and an older Node would crash in it. */
export const loadSqlite = (): typeof Database => {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) < 22)
    throw new Error(
      `createGrantStore needs Node 22 or newer, and this is Node ${node}: update Node, or bring a store of your own`,
    );
  return createRequire(import.meta.url)('better-sqlite3') as typeof Database;
};

const makeDurable = (database: Database.Database): void => {
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  // On macOS a plain fsync does not reach the disk; elsewhere these do nothing.
  database.pragma('fullfsync = ON');
  database.pragma('checkpoint_fullfsync = ON');
  database.exec(schema);
  addSale(database);
  // Read back only now: better-sqlite3 is built to drop to NORMAL when the first statement opens a WAL database.
  invariant(database.pragma('journal_mode', { simple: true }) === 'wal', 'grants are kept in WAL mode');
  invariant(
    Number(database.pragma('synchronous', { simple: true })) === 2,
    'grants are kept with synchronous=FULL',
  );
};

/** Stores of older versions lack this column. Looks again under the lock: another process may be adding it. */
const addSale = (database: Database.Database): void => {
  const isMissing = (): boolean => !columnsOf(database, 'paywall_grant').has('sale');
  const add = (): void => {
    if (isMissing()) database.exec('ALTER TABLE paywall_grant ADD COLUMN sale TEXT');
  };
  if (isMissing()) database.transaction(add).immediate();
};
