// The chain's records, in SQLite: transactions, their participants, the newest accounts and their earlier versions. One
// transaction of the chain is one transaction here, committed before anybody learns of it.
import type { Database } from 'better-sqlite3';

import { openLedgerFile } from './ledger-file.ts';

export interface Landing {
  signature: Uint8Array;
  messageHash: Uint8Array;
  slot: number;
  atMs: number;
  /** JSON of the transaction's error; null when it succeeded. */
  err: string | null;
  memo: string | null;
  wire: Uint8Array;
  meta: string;
  addresses: readonly Uint8Array[];
  writes: readonly AccountWrite[];
}

/** Images are encoded accounts; null where there is none. */
export interface AccountWrite {
  address: Uint8Array;
  before: Buffer | null;
  after: Buffer | null;
}

export interface StatusRow {
  id: number;
  signature: Buffer;
  slot: number;
  atMs: number;
  err: string | null;
  memo: string | null;
}
export interface TransactionRow extends StatusRow {
  wire: Buffer;
  meta: string;
}
interface HistoryQuery {
  address: Uint8Array;
  beforeId: number;
  untilId: number;
  horizonMs: number;
  limit: number;
}

export interface Ledger {
  readNote(name: string): string | null;
  writeNote(name: string, text: string): void;
  /** Writes everything that a first start puts in place, at once. */
  inOneGo(write: () => void): void;
  saveAccount(address: Uint8Array, image: Buffer): void;
  accounts(): IterableIterator<{ address: Buffer; image: Buffer }>;
  /** Earlier versions of accounts are kept back to `keepBeforeMs`; null when nobody will ask for them. */
  land(landing: Landing, keepBeforeMs: number | null): void;
  isKnown(signature: Uint8Array, messageHash: Uint8Array): boolean;
  status(signature: Uint8Array): StatusRow | undefined;
  transaction(signature: Uint8Array): TransactionRow | undefined;
  transactionsOfSlot(slot: number): TransactionRow[];
  history(query: HistoryQuery): StatusRow[];
  /** The account as it was at `horizonMs`; undefined when it has not changed since. */
  accountBefore(address: Uint8Array, horizonMs: number): Buffer | null | undefined;
  changedSince(horizonMs: number): Buffer[];
  count(): number;
  newestMs(): number;
  close(): void;
}

/** Transactions between two scans for what nobody can ask for any more. */
const pruneEvery = 256;
const mergeFrom = 64;
const idleMs = 100;

export const openLedger = (dataDir: string): Ledger => {
  const db = openLedgerFile(dataDir);
  const land = db.transaction(prepareLanding(db));
  const merging = mergeWhenIdle(db);
  return {
    ...prepareNotes(db),
    ...prepareAccounts(db),
    ...prepareTransactions(db),
    ...prepareEarlierAccounts(db),
    inOneGo: (write) => db.transaction(write)(),
    land(landing, keepBeforeMs) {
      land(landing, keepBeforeMs);
      merging.landed();
    },
    close() {
      merging.stop();
      db.close();
    },
  };
};

const prepareNotes = (db: Database): Pick<Ledger, 'readNote' | 'writeNote'> => {
  const read = db.prepare<[string], { text: string }>('SELECT text FROM notes WHERE name = ?');
  const write = db.prepare('INSERT INTO notes VALUES (?, ?) ON CONFLICT DO UPDATE SET text = excluded.text');
  return {
    readNote: (name) => read.get(name)?.text ?? null,
    writeNote: (name, text) => void write.run(name, text),
  };
};

const upsertAccount = 'INSERT INTO accounts VALUES (?, ?) ON CONFLICT DO UPDATE SET image = excluded.image';

const prepareAccounts = (db: Database): Pick<Ledger, 'saveAccount' | 'accounts'> => {
  const save = db.prepare(upsertAccount);
  const all = db.prepare<[], { address: Buffer; image: Buffer }>('SELECT address, image FROM accounts');
  return {
    saveAccount: (address, image) => void save.run(address, image),
    accounts: () => all.iterate(),
  };
};

/** Joins the surrounding transaction. */
const prepareLanding = (db: Database): Ledger['land'] => {
  const insert = db.prepare(
    `INSERT INTO transactions (signature, messageHash, slot, atMs, err, memo, meta, wire)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertHistory = db.prepare('INSERT OR IGNORE INTO history VALUES (?, ?)');
  const saveAccount = db.prepare(upsertAccount);
  const dropAccount = db.prepare('DELETE FROM accounts WHERE address = ?');
  const insertUndo = db.prepare('INSERT INTO undo (address, atMs, image) VALUES (?, ?, ?)');
  const pruneUndo = db.prepare('DELETE FROM undo WHERE atMs <= ?');
  return (landing, keepBeforeMs) => {
    const { signature, messageHash, slot, atMs, err, memo, meta, wire, addresses, writes } = landing;
    const { lastInsertRowid } = insert.run(signature, messageHash, slot, atMs, err, memo, meta, wire);
    for (const address of addresses) insertHistory.run(address, lastInsertRowid);
    for (const { address, before, after } of writes) {
      if (after) saveAccount.run(address, after);
      else dropAccount.run(address);
      if (keepBeforeMs !== null) insertUndo.run(address, atMs, before);
    }
    if (keepBeforeMs !== null && Number(lastInsertRowid) % pruneEvery === 0) pruneUndo.run(keepBeforeMs);
  };
};

type TransactionLookUps = Pick<
  Ledger,
  'isKnown' | 'status' | 'transaction' | 'transactionsOfSlot' | 'history' | 'count' | 'newestMs'
>;

const prepareTransactions = (db: Database): TransactionLookUps => {
  const statusColumns = 'id, signature, slot, atMs, err, memo';
  const rowColumns = `${statusColumns}, meta, wire`;
  const known = db.prepare<[Uint8Array, Uint8Array], unknown>(
    'SELECT 1 FROM transactions WHERE signature = ? OR messageHash = ?',
  );
  const status = db.prepare<[Uint8Array], StatusRow>(
    `SELECT ${statusColumns} FROM transactions WHERE signature = ?`,
  );
  const transaction = db.prepare<[Uint8Array], TransactionRow>(
    `SELECT ${rowColumns} FROM transactions WHERE signature = ?`,
  );
  const ofSlot = db.prepare<[number], TransactionRow>(
    `SELECT ${rowColumns} FROM transactions WHERE slot = ? ORDER BY id`,
  );
  const history = db.prepare<HistoryQuery, StatusRow>(
    `SELECT ${statusColumns} FROM history JOIN transactions USING (id)
     WHERE address = :address AND id < :beforeId AND id > :untilId AND atMs <= :horizonMs
     ORDER BY id DESC LIMIT :limit`,
  );
  const count = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM transactions').pluck();
  const newest = db
    .prepare<[], number>('SELECT coalesce((SELECT atMs FROM transactions ORDER BY id DESC LIMIT 1), 0)')
    .pluck();
  return {
    isKnown: (signature, messageHash) => known.get(signature, messageHash) !== undefined,
    status: (signature) => status.get(signature),
    transaction: (signature) => transaction.get(signature),
    transactionsOfSlot: (slot) => ofSlot.all(slot),
    history: (query) => history.all(query),
    count: () => count.get() ?? 0,
    newestMs: () => newest.get() ?? 0,
  };
};

const prepareEarlierAccounts = (db: Database): Pick<Ledger, 'accountBefore' | 'changedSince'> => {
  const before = db.prepare<[Uint8Array, number], { image: Buffer | null }>(
    'SELECT image FROM undo WHERE address = ? AND atMs > ? ORDER BY id LIMIT 1',
  );
  const changed = db.prepare<[number], Buffer>('SELECT DISTINCT address FROM undo WHERE atMs > ?').pluck();
  return {
    accountBefore: (address, horizonMs) => before.get(address, horizonMs)?.image,
    changedSince: (horizonMs) => changed.all(horizonMs),
  };
};

/** Merges the log into the database in idle moments: a checkpoint takes milliseconds, which nobody should wait for. */
const mergeWhenIdle = (db: Database) => {
  let unmerged = 0;
  const idle = setTimeout(() => {
    if (unmerged < mergeFrom) return;
    unmerged = 0;
    db.pragma('wal_checkpoint(PASSIVE)');
  }, idleMs).unref();
  return {
    landed(): void {
      unmerged += 1;
      idle.refresh();
    },
    stop: () => clearTimeout(idle),
  };
};
