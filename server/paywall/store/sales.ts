// What a seller has sold, read from its store of grants. Nothing is written, and the store may be of an older version: the
// columns and tables that it lacks are null.
import type Database from 'better-sqlite3';
import { formatUsdc, usdc } from '../../money.ts';
import { amountIn } from '../instructions.ts';

/** One granted payment. Amounts are decimal USDC. Null stands for what an older version did not keep. */
export interface Sale {
  /** The payment's transaction, base58. */
  txSignature: string;
  amount: string;
  /** The wallet that was paid. */
  recipient: string | null;
  /** The wallet that paid. */
  payer: string;
  network: string | null;
  /** Method and path of the declared route, such as `GET /report`; never a query. */
  route: string | null;
  service: string | null;
  /** The protocol that it was paid in. */
  dialect: string | null;
  /** ISO 8601 in UTC. */
  grantedAt: string;
  /** `landed`: the chain has shown it. */
  refund: null | { txSignature: string; amount: string; landed: boolean };
}

/** Unix milliseconds; `to` is not included. */
export interface Period {
  from?: number | undefined;
  to?: number | undefined;
}

/** The offers that were made on a day (UTC). */
export interface Offers extends Pick<Sale, 'service' | 'route'> {
  day: string;
  made: number;
}

type Row = Record<'txSignature' | 'payer', string> &
  Record<'sale' | 'refundTx' | 'wire', string | null> &
  Record<'amount' | 'grantedAt' | 'landed', bigint>;

const unknown = { recipient: null, network: null, route: null, service: null, dialect: null };
/** The last that a Date can hold whose year has four digits. */
const lastTime = Date.UTC(9999, 11, 31);
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const textOf = (amount: bigint): string => formatUsdc(usdc(amount));

/** The sales in this database in the order of their grants. @throws Error when it is not a store of grants */
export const readSales = function* (
  database: Database.Database,
  { from = 0, to = lastTime }: Period = {},
): Generator<Sale> {
  const hasSale = columnsOf(database, 'paywall_grant').has('sale');
  const [refund, join] =
    columnsOf(database, 'paywall_refund').size > 0
      ? ['refund_signature AS refundTx, wire, landed', 'LEFT JOIN paywall_refund USING (tx_signature)']
      : ['NULL AS refundTx', ''];
  const rows = database
    .prepare<[number, number], Row>(
      `SELECT tx_signature AS txSignature, amount, payer, granted_at AS grantedAt, ${hasSale ? 'sale' : 'NULL AS sale'}, ${refund}
       FROM paywall_grant ${join} WHERE granted_at >= ? AND granted_at < ? ORDER BY granted_at, paywall_grant.rowid`,
    )
    .safeIntegers(true);
  for (const { amount, grantedAt, sale, refundTx, wire, landed, ...row } of rows.iterate(from, to)) {
    const repaid = { amount: textOf(amountIn(wire ?? '') ?? amount), landed: landed === 1n };
    yield {
      ...row,
      ...unknown,
      ...(JSON.parse(sale ?? '{}') as Partial<Sale>),
      amount: textOf(amount),
      grantedAt: new Date(Number(grantedAt)).toISOString(),
      refund: refundTx === null ? null : { txSignature: refundTx, ...repaid },
    };
  }
};

/** The offers in this database, by day, service and route. */
export const readOffers = (
  database: Database.Database,
  { from = 0, to = lastTime }: Period = {},
): Offers[] => {
  if (columnsOf(database, 'paywall_offer').size === 0) return [];
  return database
    .prepare<[string, string], Offers>(
      `SELECT day, sold ->> 0 AS service, sold ->> 1 AS route, made FROM paywall_offer WHERE day >= ? AND day < ?`,
    )
    .all(dayOf(from), dayOf(to));
};

/** The names of a table's columns; none for no such table. */
export const columnsOf = (database: Database.Database, table: string): ReadonlySet<string> =>
  new Set((database.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name));
