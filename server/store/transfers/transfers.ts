// The transfers: one row each, moved from state to state by compare-and-set.
import type {
  NewTransfer,
  Purchase,
  Store,
  Transfer,
  TransferChange,
  TransferQuery,
  TransferState,
} from '../../engine/ports.ts';
import { countedAmount, ratedAt } from '../../engine/domain/spending.ts';
import { allStates, isOpen } from '../../engine/domain/states.ts';
import { invariant } from '../../errors.ts';
import type { Db } from '../db.ts';
import type { Journal } from '../records/journal.ts';
import type { Ledger } from '../records/ledger.ts';
import type { Purchases } from './purchases.ts';
import { mapper, ifAny } from '../row.ts';
import { refillSums } from '../spending/refill-sums.ts';
import type { Spending } from '../spending/spending.ts';
import { condition, largestFirst, unusual } from './transfer-query.ts';
import { transferTotals } from '../spending/transfer-totals.ts';
import { bind, bindChange, columnsOf, plainTransfer, updateStatement } from './transfer-rows.ts';

/** Rows that a statement reads at a time, in less than a millisecond. */
const rowsPerPage = 50;

interface Table {
  db: Db;
  sql: ReturnType<typeof statementsOf>;
  journal: Journal;
  spending: Spending;
  ledger: Ledger;
  purchases: Purchases;
}

export const createTransfers = (
  db: Db,
  journal: Journal,
  sums: Pick<Table, 'spending' | 'ledger' | 'purchases'>,
): Store['transfers'] => {
  const sql = statementsOf(db);
  const table: Table = { db, sql, journal, ...sums };
  const mapped = (row: unknown): Transfer => fromRow(table, row);
  const newestSeq = (): number => toSeq(sql.lastSeq.get());

  return {
    insert: (transfer) => insert(table, transfer),
    get: (id) => find(table, id),
    state: (id) => stateIn(sql.stateOf.get(id)),
    move: (id, from, to, change) => move(table, { id, from, to }, change),
    deliver: (id, delivery, evidence) => deliver(table, id, delivery, evidence),
    open: () => sql.allOpen.all().map(mapped),
    openOf: (agentId) => sql.openOf.all(agentId).map(mapped),
    bySignature(signature) {
      const purchased = sums.purchases.transferBySignature(signature);
      if (purchased !== undefined) return find(table, purchased);
      return ifAny(mapped)(sql.bySignature.get(signature));
    },
    list: (query) => list(table, query),
    iterate: (query) => iterate(table, query),
    totals: transferTotals(db),
    lastSeq: newestSeq,
    between: ({ from, to }) => ({
      after: from === undefined ? 0 : firstSince(table, from) - 1,
      before: to === undefined ? newestSeq() + 1 : firstSince(table, to + 1),
    }),
    countByState() {
      const counts = sql.countByState.all().map(toStateCount);
      // No row is ever deleted: all rows that are not counted above are final.
      const final = counts.reduce((left, [, rows]) => left - rows, newestSeq());
      return { ...Object.fromEntries(counts), ...(final > 0 ? { final } : {}) };
    },
    openLamports: () => toTotal(sql.openLamports.get()),
    refills: refillSums(db),
    rentPaid: (payee) => sql.rentPaid.get(payee) !== undefined,
    rentSince: (time) => toTotal(sql.rentSince.get(time)),
  };
};

const fromRow = ({ purchases }: Table, row: unknown): Transfer => {
  const transfer = plainTransfer(row);
  return transfer.kind === 'payment' ? { ...transfer, purchase: purchases.get(transfer.id) } : transfer;
};

const find = (table: Table, id: string): Transfer | undefined =>
  ifAny((row) => fromRow(table, row))(table.sql.byId.get(id));

const insert = (table: Table, { purchase, ...plain }: NewTransfer): Transfer => {
  const { sql, journal, purchases, spending, ledger } = table;
  const row = sql.insert.get({ ...bind(plain), journalSeq: journal.next() });
  journal.enter('transfer', row, true);
  if (purchase !== null) purchases.insert(plain.id, purchase);
  const inserted = fromRow(table, row);
  spending.moved(null, inserted);
  ledger.reserve(null, inserted);
  return inserted;
};

/** Compare-and-set, and everything that follows from a row's new state. */
const move = (
  table: Table,
  { id, from, to }: { id: string; from: TransferState; to: TransferState },
  { txSignature, ...change }: TransferChange,
): Transfer => {
  const { db, journal, purchases, spending, ledger } = table;
  const before = find(table, id);
  invariant(before !== undefined, `transfer ${id} exists`);
  invariant(before.state === from, `transfer ${id} is ${from}, not ${before.state}`);
  const purchase =
    before.purchase === null || txSignature === undefined
      ? before.purchase
      : { ...before.purchase, txSignature };
  const after: Transfer = { ...before, ...change, purchase, state: to };
  const derived = derivedColumns(before, after, spending);
  const row = updateStatement(db, [...columnsOf(change), ...Object.keys(derived)]).get({
    ...bindChange(change),
    ...derived,
    id,
    from,
    to,
    journalSeq: journal.next(),
  });
  invariant(row !== undefined, `transfer ${id} moved from ${from} to ${to}`);
  journal.enter('transfer', row, false);
  if (purchase !== before.purchase) purchases.name(id, purchase?.txSignature ?? null);
  spending.moved(before, after);
  ledger.reserve(before, after);
  if (to === 'final' || to === 'failed') ledger.post(after);
  return after;
};

const deliver = (
  table: Table,
  id: string,
  delivery: Purchase['delivery'],
  evidence: NonNullable<Purchase['evidence']>,
): void => {
  const { purchases, spending } = table;
  const before = find(table, id);
  invariant(before !== undefined && before.purchase !== null, `transfer ${id} is a purchase`);
  purchases.deliver(id, delivery, evidence);
  spending.report(before, { ...before, purchase: { ...before.purchase, delivery, evidence } });
};

const list = (table: Table, query: TransferQuery): Transfer[] => {
  const { from, where, values } = condition(query);
  const rows = table.db.prepare(
    `SELECT * FROM ${from} ${where} ORDER BY ${query.byAmount === true ? largestFirst : 'seq DESC'} LIMIT @limit`,
  );
  return rows.all({ ...values, limit: query.limit }).map((row) => fromRow(table, row));
};

/** Pages by cursor, so that payments go on between two pages. */
function* iterate(table: Table, query: Omit<TransferQuery, 'limit'>): IterableIterator<Transfer> {
  let before = query.before;
  for (;;) {
    const page = list(table, { ...query, ...(before === undefined ? {} : { before }), limit: rowsPerPage });
    yield* page;
    before = page.at(-1)?.seq;
    if (page.length < rowsPerPage) return;
  }
}

/** The first row at or after a time. Rows are in the order of their times, so bisection finds it. */
const firstSince = ({ sql }: Table, time: number): number => {
  let low = 1;
  let high = toSeq(sql.lastSeq.get()) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { seq, createdAt } = toCreated(sql.createdAt.get(middle));
    if (createdAt < time) low = seq + 1;
    else high = middle;
  }
  return low;
};

const statementsOf = (db: Db) => {
  // Few rows are open. SQLite does not know that: on its own it would read the whole table to avoid a sort.
  const openRows = 'SELECT * FROM transfer INDEXED BY transfer_open WHERE is_open = 1';
  return {
    insert: db.prepare(/* sql */ `
    INSERT INTO transfer (id, kind, agent_id, wallet_index, wallet, payee, asset, amount, service_id, service_name,
      description, invoice, reason, key_id, group_id, key_1, key_2, key_3, cause, source, state, refusal_code, refusal_message, refusal_details, policy_version, approval_id,
      grant_id, fee_lamports, rent_lamports, created_at, reserved_at, rated_at, ended_at, is_open, journal_seq)
    VALUES (@id, @kind, @agentId, @walletIndex, @wallet, @payee, @asset, @amount, @serviceId, @serviceName,
      @description, @invoice, @reason, @keyId, @groupId, @key1, @key2, @key3, @cause, @source, @state, @refusalCode, @refusalMessage, @refusalDetails, @policyVersion, @approvalId,
      @grantId, @feeLamports, @rentLamports, @createdAt, @reservedAt, @ratedAt, @endedAt, @isOpen, @journalSeq)
    RETURNING *`),
    lastSeq: db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM transfer'),
    createdAt: db.prepare('SELECT seq, created_at FROM transfer WHERE seq >= ? ORDER BY seq LIMIT 1'),
    // Exceptional states have a partial index; this never scans the table.
    countByState: db.prepare(/* sql */ `
    SELECT state, count(*) AS rows FROM transfer INDEXED BY transfer_unusual WHERE ${unusual} GROUP BY state
    UNION ALL SELECT state, count(*) FROM transfer INDEXED BY transfer_open WHERE is_open = 1 AND state <> 'unknown' GROUP BY state`),
    byId: db.prepare('SELECT * FROM transfer WHERE id = ?'),
    stateOf: db.prepare('SELECT state FROM transfer WHERE id = ?'),
    bySignature: db.prepare('SELECT * FROM transfer WHERE signature = ?'),
    allOpen: db.prepare(`${openRows} ORDER BY seq`),
    openOf: db.prepare(`${openRows} AND agent_id IS ? ORDER BY seq`),
    openLamports: db.prepare(
      `SELECT coalesce(sum(fee_lamports + rent_lamports + iif(asset = 'SOL' AND state <> 'seen', amount, 0)), 0) AS total
     FROM transfer INDEXED BY transfer_open WHERE is_open = 1`,
    ),
    rentPaid: db.prepare(
      `SELECT 1 FROM transfer WHERE payee = ? AND rent_lamports > 0 AND state NOT IN ('denied', 'cancelled', 'dead', 'failed', 'awaiting_approval') LIMIT 1`,
    ),
    rentSince: db.prepare(
      `SELECT coalesce(sum(rent_lamports), 0) AS total FROM transfer WHERE rent_lamports > 0 AND kind IN ('payment', 'charge')
     AND reserved_at > ? AND state NOT IN ('denied', 'cancelled', 'dead', 'failed')`,
    ),
  };
};

/** Written only when they change: SQLite rewrites the index of every column that an UPDATE names. */
const derivedColumns = (before: Transfer, after: Transfer, spending: Spending): Record<string, unknown> => {
  const countedAt = spending.countedAt(after);
  const rated = ratedAt(after);
  return {
    ...(ratedAt(before) === rated ? {} : { rated_at: rated }),
    ...(isOpen(before) === isOpen(after) ? {} : { is_open: isOpen(after) ? 1 : 0 }),
    ...(countedAt === null ? {} : { counted_at: countedAt, counted_amount: countedAmount(after) }),
  };
};

const toSeq = mapper('transfer', (row) => row.integer('seq'));
const toCreated = mapper('transfer', (row) => ({
  seq: row.integer('seq'),
  createdAt: row.integer('created_at'),
}));
const stateIn = ifAny(mapper('transfer', (row) => row.word('state', allStates)));
const toStateCount = mapper(
  'transfer',
  (row) => [row.word('state', allStates), row.integer('rows')] as const,
);
const toTotal = mapper('transfer', (row) => row.bigint('total'));
