// The payments that a seller settles by itself, in SQLite.
import type Database from 'better-sqlite3';
import type { Settling, SettlingEnd, SettlingLimits, SettlingOutcome, SettlingStore } from './settling.ts';

/** A landed payment keeps its invoice; one that failed or expired leaves it to another. */
export const settlingSchema = `
  CREATE TABLE IF NOT EXISTS paywall_settling (
    message TEXT PRIMARY KEY NOT NULL,
    invoice TEXT,
    network TEXT NOT NULL,
    payer TEXT NOT NULL,
    tx_signature TEXT NOT NULL,
    wire TEXT NOT NULL,
    last_valid_block_height INTEGER NOT NULL,
    lamports INTEGER NOT NULL CHECK (lamports >= 0),
    begun_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'landed', 'failed', 'expired'))
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS paywall_settling_invoice ON paywall_settling (invoice)
    WHERE invoice IS NOT NULL AND state IN ('open', 'landed');
  CREATE INDEX IF NOT EXISTS paywall_settling_open ON paywall_settling (payer) WHERE state = 'open';
  CREATE INDEX IF NOT EXISTS paywall_settling_begun ON paywall_settling (begun_at, lamports);`;

const keepMs = 2 * 86_400_000;
const columns = `message, invoice, network, payer, tx_signature AS txSignature, wire,
  last_valid_block_height AS lastValidBlockHeight, lamports, begun_at AS begunAt, state`;

/** The settlements in this database, whose schema has `settlingSchema`. */
export const settlingRecords = (database: Database.Database): SettlingStore => {
  const select = (where: string) =>
    database.prepare<string[], Settling>(`SELECT ${columns} FROM paywall_settling WHERE ${where}`);
  const number = (sql: string) => database.prepare<(string | number)[], number>(`SELECT ${sql}`).pluck();
  const byMessage = select('message = ?');
  const byInvoice = select(`invoice = ? AND state IN ('open', 'landed')`);
  const open = select(`state = 'open'`);
  const spent = number('coalesce(sum(lamports), 0) FROM paywall_settling WHERE begun_at > ?');
  const openOf = number(`count(*) FROM paywall_settling WHERE state = 'open' AND payer = ?`);
  const failedOf = number(
    `count(*) FROM paywall_settling WHERE state IN ('failed', 'expired') AND payer = ? AND begun_at > ?`,
  );
  const insert = database.prepare<Settling>(
    `INSERT INTO paywall_settling VALUES (@message, @invoice, @network, @payer, @txSignature, @wire,
       @lastValidBlockHeight, @lamports, @begunAt, @state)`,
  );
  const end = database.prepare<[SettlingEnd, number, string]>(
    `UPDATE paywall_settling SET state = ?, lamports = ? WHERE message = ? AND state = 'open'`,
  );
  const prune = database.prepare<[number]>(
    `DELETE FROM paywall_settling WHERE begun_at < ? AND state <> 'open'`,
  );

  const whyNot = (
    { message, invoice, payer, lamports }: Settling,
    limits: SettlingLimits,
  ): SettlingOutcome | null => {
    if (byMessage.get(message) !== undefined) return 'known';
    if (invoice !== null && byInvoice.get(invoice) !== undefined) return 'invoice_busy';
    if ((failedOf.get(payer, limits.hourSince) ?? 0) >= limits.mostFailed) return 'payer_failed';
    if ((openOf.get(payer) ?? 0) >= limits.mostOpen) return 'payer_busy';
    return (spent.get(limits.daySince) ?? 0) + lamports > limits.mostLamports ? 'lamports_spent' : null;
  };

  const begin = database.transaction((settling: Settling, limits: SettlingLimits): SettlingOutcome => {
    prune.run(settling.begunAt - keepMs);
    const refused = whyNot(settling, limits);
    if (refused === null) insert.run(settling);
    return refused ?? 'begun';
  });

  return {
    // It locks for writing before it reads, so that no other process begins a payment in between.
    beginSettling: (settling, limits) => begin.immediate(settling, limits),
    endSettling: (message, state, lamports) => void end.run(state, lamports, message),
    findSettling: (by, value) => (by === 'message' ? byMessage : byInvoice).get(value),
    openSettlings: () => open.all(),
    settlingLamports: (since) => spent.get(since) ?? 0,
  };
};
