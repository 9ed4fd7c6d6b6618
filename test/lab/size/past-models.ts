// The models of the past: one payment, one denial and one allocation that a real host made, its agents and its
// services.
import type Database from 'better-sqlite3';
import type { Row } from '../../../server/store/records/digests.ts';
import { integer, json, text } from './row-values.ts';

export interface PastAgent {
  agentId: string;
  index: number;
  wallet: string;
}

export interface PastService {
  id: string;
  name: string;
  payee: string;
}

export interface Models {
  paid: Row;
  denied: Row;
  allocated: Row;
  /** The number of journal entries of a payment, and of an allocation. */
  entries: number;
  allocationEntries: number;
  /** Every wallet that has an account of its own in the ledger. */
  wallets: string[];
  /** By agent, the further values for copies of its allocation. */
  agents: PastAgent[];
}

const all = (db: Database.Database, sql: string, ...values: unknown[]): Row[] =>
  db.prepare(sql).all(...values) as Row[];

const one = (db: Database.Database, sql: string, ...values: unknown[]): Row => {
  const [row] = all(db, sql, ...values);
  if (row === undefined) throw new Error(`the store has no row for: ${sql}`);
  return row;
};

export const modelsOf = (db: Database.Database): Models => {
  const newest = (kind: string, state: string): Row =>
    one(
      db,
      'SELECT * FROM transfer WHERE kind = ? AND state = ? AND rent_lamports = 0 ORDER BY seq DESC LIMIT 1',
      kind,
      state,
    );
  const entriesOf = (row: Row): number =>
    integer(
      one(db, 'SELECT count(*) AS n FROM journal WHERE subject = ?', `transfer:${text(row, 'id')}`),
      'n',
    );
  const [paid, allocated] = [newest('payment', 'final'), newest('allocation', 'final')];
  return {
    paid,
    allocated,
    denied: newest('payment', 'denied'),
    entries: entriesOf(paid),
    allocationEntries: entriesOf(allocated),
    wallets: all(db, 'SELECT address FROM wallet').map((row) => text(row, 'address')),
    agents: agentsOf(db),
  };
};

export const agentsOf = (db: Database.Database): PastAgent[] =>
  all(db, 'SELECT agent_id, wallet_index, wallet FROM agent ORDER BY wallet_index').map((row) => ({
    agentId: text(row, 'agent_id'),
    index: integer(row, 'wallet_index'),
    wallet: text(row, 'wallet'),
  }));

/** Those that are paid over Solana. */
export const servicesOf = (db: Database.Database): PastService[] =>
  all(db, `SELECT id, name, payees FROM service WHERE source <> 'model-registry' ORDER BY id`).flatMap(
    (row) => {
      const [payee] = json<string[]>(row, 'payees');
      return payee === undefined ? [] : [{ id: text(row, 'id'), name: text(row, 'name'), payee }];
    },
  );
