// What a seller has sold, read from its store of grants. Nothing is written, and the store may be of an older version: the
// columns and tables that it lacks are null.
import type Database from 'better-sqlite3';
import { formatUsdc, usdc } from '../money.ts';
import { amountIn } from './instructions.ts';

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

type Row = Record<Exclude<keyof Sale, 'amount' | 'grantedAt' | 'refund'>, string> & {
  amount: bigint;
  grantedAt: bigint;
  refundTx: string | null;
  wire: string | null;
  landed: bigint | null;
};

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The last that a Date can hold whose year has four digits. */
const lastTime = Date.UTC(9999, 11, 31);

const laterColumns = ['recipient', 'network', 'route', 'service', 'dialect'] as const;

/** The sales in this database in the order of their grants. @throws Error when it is no store of grants */
export const readSales = function* (
  database: Database.Database,
  { from = 0, to = lastTime }: Period = {},
): Generator<Sale> {
  const grants = columnsOf(database, 'paywall_grant');
  if (grants.size === 0) throw new Error('this is no store of grants: it has no table paywall_grant');
  const hasRefunds = columnsOf(database, 'paywall_refund').size > 0;
  const later = laterColumns.map((name) => (grants.has(name) ? `g.${name}` : `NULL AS ${name}`));
  const refund = hasRefunds ? 'refund_signature AS refundTx, r.wire, r.landed' : 'NULL AS refundTx';
  const rows = database
    .prepare<[number, number], Row>(
      `SELECT g.tx_signature AS txSignature, g.amount, g.payer, g.granted_at AS grantedAt, ${later.join(', ')}, ${refund}
       FROM paywall_grant g ${hasRefunds ? 'LEFT JOIN paywall_refund r ON r.tx_signature = g.tx_signature' : ''}
       WHERE g.granted_at >= ? AND g.granted_at < ? ORDER BY g.granted_at, g.rowid`,
    )
    .safeIntegers(true);
  for (const { amount, grantedAt, refundTx, wire, landed, ...row } of rows.iterate(from, to)) {
    const repaid = amountIn(wire ?? '') ?? amount;
    yield {
      ...row,
      amount: formatUsdc(usdc(amount)),
      grantedAt: new Date(Number(grantedAt)).toISOString(),
      refund:
        refundTx === null
          ? null
          : { txSignature: refundTx, amount: formatUsdc(usdc(repaid)), landed: landed === 1n },
    };
  }
};

/** The offers that were made, by day (UTC), service and route. */
export const readOffers = (
  database: Database.Database,
  { from = 0, to = lastTime }: Period = {},
): Offers[] => {
  if (columnsOf(database, 'paywall_offer').size === 0) return [];
  return database
    .prepare<[string, string], Offers>(
      `SELECT day, nullif(service, '') AS service, nullif(route, '') AS route, made FROM paywall_offer
       WHERE day >= ? AND day < ?`,
    )
    .all(dayOf(from), dayOf(to));
};

export interface Offers {
  day: string;
  service: string | null;
  route: string | null;
  made: number;
}

/** The names of a table's columns; none for no such table. */
export const columnsOf = (database: Database.Database, table: string): ReadonlySet<string> =>
  new Set((database.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name));
