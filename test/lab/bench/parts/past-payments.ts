// A store with a long past, written by SQL in seconds: a payment that the store itself made is copied with another id,
// key and time, and the sums over all are entered. Every index is there. The parts that a decision never reads are
// left out: the copies' journal and ledger entries, their signed bytes and their receipts.
import Database from 'better-sqlite3';
import type { NewTransfer, Store } from '../../../../server/engine/ports.ts';

export interface Past {
  now: number;
  /** So many of `payments` are in the last 24 hours, the rest in the year before. */
  payments: number;
  inWindow: number;
}

const dayMs = 86_400_000;

/** One payment, all the way to `final`, for the copies. */
export const makeModel = (store: Store, payment: NewTransfer, now: number): void =>
  store.atomically(() => {
    const { id } = store.transfers.insert(payment);
    const lifetime = { blockhash: 'blockhash', lastValidHeight: 1, slot: 1, height: 1 };
    const signed = { messageHash: 'hash', signature: 'signature', wire: new Uint8Array(), lifetime, at: now };
    store.transfers.move(id, 'reserved', 'signed', { signed });
    store.transfers.move(id, 'signed', 'sent', { sentAt: now });
    store.transfers.move(id, 'sent', 'seen', { seenAt: now, seenSlot: 1, blockTime: now });
    store.transfers.move(id, 'seen', 'final', { endedAt: now });
  });

/**
 * The file's store must be closed. Ids and keys are random like real ones, so that a new one goes to any page; hashes
 * and signatures, which a decision leaves empty, are not.
 */
export const writePast = (file: string, past: Past): void => {
  const db = new Database(file);
  try {
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    db.pragma('foreign_keys = OFF');
    db.pragma('cache_size = -800000');
    const values = { ...past, edge: past.now - dayMs, dayMs };
    db.transaction(() => {
      const rebuild = dropIndexes(db);
      db.prepare(copies(db)).run(values);
      db.exec(keys);
      db.prepare(sums).run(values);
      rebuild();
    })();
  } finally {
    db.close();
  }
};

/** Building an index of all rows at once takes a fraction of the time. */
const dropIndexes = (db: Database.Database): (() => void) => {
  const of = `FROM sqlite_master WHERE type = 'index' AND tbl_name IN ('transfer', 'idempotency') AND sql IS NOT NULL`;
  const indexes = db.prepare(`SELECT name, sql ${of}`).all() as { name: string; sql: string }[];
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  return () => {
    for (const { sql } of indexes) db.exec(sql);
  };
};

const times = ['created', 'reserved', 'rated', 'signed', 'sent', 'seen', 'ended', 'counted'].map(
  (name) => `${name}_at`,
);
const differing: Readonly<Record<string, string>> = {
  id: `'pay_' || hex(randomblob(12))`,
  message_hash: `printf('%064d', n)`,
  signature: `printf('%088d', n)`,
  seen_slot: 'n',
  block_time: 'at',
  ...Object.fromEntries(times.map((name) => [name, 'at'])),
};

// The last `inWindow` are at equal steps after the window's edge, the older ones at equal steps over the year before
// it.
const copies = (db: Database.Database): string => {
  const columns = (db.pragma('table_info(transfer)') as { name: string }[]).map(({ name }) => name).slice(1);
  return /* sql */ `
    WITH RECURSIVE past (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM past WHERE n < @payments - 1),
    dated AS (
      SELECT n, CAST(iif(n > @payments - @inWindow,
        @now - (@payments - n) * @dayMs / @inWindow,
        @edge - (@payments - @inWindow - n + 1) * 364 * @dayMs / (@payments - @inWindow)) AS INTEGER) AS at
      FROM past
    )
    INSERT INTO transfer (${columns.join()})
    SELECT ${columns.map((name) => differing[name] ?? `model.${name}`).join()}
    FROM dated, (SELECT * FROM transfer) AS model ORDER BY n`;
};

const keys = /* sql */ `
  INSERT INTO idempotency (id, route, body_hash, transfer_id, created_at, journal_seq)
  SELECT 'agent:' || agent_id || ' ' || hex(randomblob(18)), 'pay', printf('%064d', seq), id, created_at, journal_seq
  FROM transfer`;

const sums = /* sql */ `
  UPDATE spending SET edge = @edge, (final_amount, final_fees, lifetime_amount, lifetime_payments) =
    (SELECT sum(iif(counted_at > @edge, counted_amount, 0)), sum(iif(counted_at > @edge, fee_lamports, 0)),
      sum(counted_amount), count(*) FROM transfer)`;
