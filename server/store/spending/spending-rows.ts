// The rows that a sum of spending counts: transfers, and requests to language models once there is one.
import type { Scope } from '../../engine/ports.ts';
import { addUsdc, type Usdc } from '../../money.ts';
import type { Db } from '../db.ts';
import { mapper } from '../row.ts';
import { byScope } from './scopes.ts';

/** A refusal says when it is possible again only if so many rows tell: payments wait while they are read. */
const mostRead = 5_000;

interface Summed {
  amount: Usdc;
  /** Lamports. */
  fees: bigint;
}

export interface SpendingRows {
  open(): Summed;
  lastRatedAt(): number | null;
  /** Those that count after `low`, up to `high`. */
  between(low: number, high: number): Summed;
  /** The number of model requests reserved later that are open or settled. */
  requestsAfter(after: number): number;
  /** When enough rows after `edge` have left the window to free `needed`; null if they never do. */
  leavesAt(edge: number, needed: Usdc): number | null;
}

/** @param isAnyModel whether there is a model request: without one, its table is not read */
export const spendingRows = (db: Db, isAnyModel: () => boolean): ((scope: Scope) => SpendingRows) => {
  const requests = byScope((ofScope, { found, picked }) => ({
    open: db.prepare(/* sql */ `
      SELECT coalesce(sum(bound), 0) AS amount FROM model_request INDEXED BY model_request_open
      WHERE ${ofScope} is_open = 1`),
    between: db.prepare(/* sql */ `
      SELECT coalesce(sum(counted_amount), 0) AS amount FROM model_request
      WHERE ${ofScope} counted_at > @low AND counted_at <= @high`),
    number: db
      .prepare(/* sql */ `
      SELECT (SELECT count(*) FROM model_request WHERE ${ofScope} counted_at > @after AND corrects IS NULL) +
        (SELECT count(*) FROM model_request INDEXED BY model_request_open
          WHERE ${ofScope} is_open = 1 AND reserved_at > @after)`)
      .pluck(),
    oldest: db.prepare(/* sql */ `
      SELECT * FROM (SELECT * FROM (${oldestOf('transfer', found, picked)})
        UNION ALL SELECT * FROM (${oldestOf('model_request', found, picked)}))
      ORDER BY counted_at, counted_amount LIMIT ${mostRead}`),
  }));
  const statements = byScope((ofScope, { found, picked }) => ({
    open: db.prepare(/* sql */ `
      SELECT coalesce(sum(amount), 0) AS amount, coalesce(sum(fee_lamports), 0) AS fees
      FROM transfer INDEXED BY transfer_open WHERE ${ofScope} is_open = 1 AND kind IN ('payment', 'charge')`),
    lastRated: db.prepare(`SELECT max(rated_at) AS at FROM transfer WHERE ${ofScope} rated_at IS NOT NULL`),
    between: db.prepare(/* sql */ `
      SELECT coalesce(sum(counted_amount), 0) AS amount, coalesce(sum(fee_lamports), 0) AS fees FROM transfer
      WHERE ${ofScope} counted_at > @low AND counted_at <= @high`),
    oldest: db.prepare(oldestOf('transfer', found, picked)),
  }));
  return (scope) => {
    const { sql, bound } = statements(scope);
    const ofRequests = () => requests(scope).sql;
    return {
      open: () => together(toSummed(sql.open.get(bound)), isAnyModel() && ofRequests().open.get(bound)),
      lastRatedAt: () => toRatedAt(sql.lastRated.get(bound)),
      between(low, high) {
        const span = { ...bound, low, high };
        return together(toSummed(sql.between.get(span)), isAnyModel() && ofRequests().between.get(span));
      },
      requestsAfter: (after) => Number(ofRequests().number.get({ ...bound, after })),
      leavesAt(edge, needed) {
        let left = 0n;
        for (const row of (isAnyModel() ? ofRequests() : sql).oldest.iterate({ ...bound, edge })) {
          const { at, amount } = toCounted(row);
          left += amount;
          if (left >= needed) return at;
        }
        return null;
      },
    };
  };
};

/** @param requests the row of the sum of model requests; false without any */
const together = (summed: Summed, requests: unknown): Summed =>
  requests === false ? summed : { ...summed, amount: addUsdc(summed.amount, toAmount(requests)) };

/** The limit is on the rows that are read: at a service those of other nodes are among them. */
const oldestOf = (table: 'transfer' | 'model_request', found: string, picked: string): string => {
  const read = (columns: string): string => /* sql */ `
    SELECT ${columns} FROM ${table} WHERE ${found} counted_at > @edge
    ORDER BY counted_at, counted_amount LIMIT ${mostRead}`;
  if (picked === '') return read('counted_at, counted_amount');
  return /* sql */ `
    SELECT counted_at, counted_amount
    FROM (${read('counted_at, counted_amount, agent_id, group_id, key_1, key_2, key_3')})
    WHERE ${picked} 1 ORDER BY counted_at, counted_amount`;
};

const toSummed = mapper('transfer', (row) => ({ amount: row.usdc('amount'), fees: row.bigint('fees') }));
const toAmount = mapper('model_request', (row) => row.usdc('amount'));
const toCounted = mapper('transfer', (row) => ({
  at: row.integer('counted_at'),
  amount: row.usdc('counted_amount'),
}));
const toRatedAt = mapper('transfer', (row) => row.integerOrNull('at'));
