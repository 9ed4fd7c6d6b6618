// The journal as bookkeeping reads it: in the order of the blocks, page by page, so that payments go on meanwhile.
import { refundMemo, refundPrefix } from '../lib/solana/transfer-memo.ts';
import { transferKinds } from '../engine/domain/transfer.ts';
import type { BookedTransfer, BookMonth, BookRule, BookStore, Span, Split } from '../engine/ports.ts';
import { usdc } from '../money.ts';
import type { Db } from './db.ts';
import { toDeposit } from './deposits.ts';
import type { Journal } from './records/journal.ts';
import { amountIn, ifAny, mapper } from './row.ts';

/** Rows that are read at a time, in about a millisecond. */
const rowsPerPage = 100;

/** The block of a failed transfer may be unknown: it counts from when we saw the failure. */
const kinds = {
  final: { moment: 'block_time', index: 'transfer_booked', state: 'final' },
  failed: { moment: 'ended_at', index: 'transfer_failed', state: 'failed' },
} as const;
type Kind = (typeof kinds)[keyof typeof kinds];

/** A place in the order of the blocks: within one, the order of the rows. */
interface Cursor {
  at: number;
  seq: number;
}

export const createBooks = (db: Db, journal: Journal): BookStore => {
  const sql = statementsOf(db);
  return {
    final: (span) => pagesOf(span, (page) => sql.final.all(page).map(toBooked)),
    failed: (span) => pagesOf(span, (page) => sql.failed.all(page).map(toBooked)),
    deposits: (span) => pagesOf(span, (page) => sql.deposits.all(page).map(toDeposit)),
    depositOf: (txSignature, wallet, asset = 'USDC') =>
      ifAny(toDeposit)(sql.deposit.get({ txSignature, wallet, asset })),
    sentBack: (txSignature) => toCount(sql.sentBack.get(refundMemo(txSignature))),
    sentBackBy: (txSignature) => toId(sql.sentBack.get(refundMemo(txSignature))),
    openings: () => sql.openings.all().map(toOpening),
    openSol: (opening) => void sql.openSol.run(opening),
    count: (span) => toCount(sql.count.get(span)),
    words: (span) => toCount(sql.words.get(span)),
    firstAt: () => {
      const row = toFirst(sql.first.get({ from: 0, to: Number.MAX_SAFE_INTEGER }));
      const [opening] = sql.openings.all().map(toOpening);
      return opening === undefined ? row : Math.min(row ?? opening.at, opening.at);
    },
    unsettled: (before) => Object.fromEntries(sql.unsettled.all({ before }).map(toStateCount)),
    unsettledSince: () => toFirst(sql.unsettledSince.get()),
    rules: () => sql.rules.all().map(toRule),
    setRule(rule, rank, createdAt) {
      const created = sql.rule.get(rule.id) === undefined;
      const row = sql.putRule.get({ ...rule, rank, createdAt, journalSeq: journal.next() });
      journal.enter('book_rule', row, created);
    },
    endRule: (id, endedAt) =>
      journal.enter('book_rule', sql.endRule.get({ id, endedAt, journalSeq: journal.next() }), false),
    addSale(sale, createdAt) {
      const row = sql.addSale.get({ ...sale, createdAt, journalSeq: journal.next() });
      if (row !== undefined) journal.enter('book_sale', row, true);
      return row !== undefined;
    },
    saleOf: (depositId) => toSale(sql.saleOf.get(depositId)) ?? null,
    refundedSaleOf: (withdrawalId) => toSale(sql.refundedSaleOf.get(withdrawalId)) ?? null,
    months: () => sql.months.all().map(toMonth),
    setMonth({ differences, ...month }) {
      const created = sql.month.get(month.month) === undefined;
      const row = sql.putMonth.get({
        ...month,
        differences: JSON.stringify(differences),
        journalSeq: journal.next(),
      });
      journal.enter('book_month', row, created);
    },
    isAnchoring: () => isOn(sql.anchoring.get()) ?? false,
    setAnchoring(on, since) {
      const created = sql.anchoring.get() === undefined;
      const row = sql.putAnchoring.get({ on: on ? 1 : 0, since, journalSeq: journal.next() });
      journal.enter('anchoring', row, created);
    },
  };
};

/** Pages by cursor, so that nothing else waits for a long read. */
function* pagesOf<T extends Cursor>(
  { from, to }: Span,
  read: (page: Cursor & { to: number; limit: number }) => T[],
): IterableIterator<T> {
  let after: Cursor = { at: from, seq: 0 };
  for (;;) {
    const page = read({ ...after, to, limit: rowsPerPage });
    yield* page;
    if (page.length < rowsPerPage) return;
    after = page.at(-1) ?? after;
  }
}

const transfersOf = (db: Db, { moment, index, state }: Kind) =>
  db.prepare(/* sql */ `
    SELECT transfer.seq, transfer.id, kind, state, agent_id, group_id, coalesce(source, wallet) AS payer, source IS NOT NULL AS is_draw, payee, asset,
      amount, service_id, service_name, description, fee_lamports, rent_lamports, ${moment} AS at,
      iif(purchase.fee_payer IS NULL, transfer.signature, purchase.tx_signature) AS tx_signature, purchase.url, purchase.splits
    FROM transfer INDEXED BY ${index} LEFT JOIN purchase ON purchase.transfer_id = transfer.id
    WHERE state = '${state}' AND ${moment} >= @at AND ${moment} < @to AND (${moment} > @at OR transfer.seq > @seq)
    ORDER BY ${moment}, transfer.seq LIMIT @limit`);

const countOf = ({ moment, index, state }: Kind): string =>
  `SELECT count(*) AS rows, min(${moment}) AS at FROM transfer INDEXED BY ${index}
   WHERE state = '${state}' AND ${moment} >= @from AND ${moment} < @to`;

const counts = [
  countOf(kinds.final),
  countOf(kinds.failed),
  `SELECT count(*), min(at) FROM deposit INDEXED BY deposit_booked WHERE status = 'final' AND at >= @from AND at < @to`,
].join(' UNION ALL ');

/** A record counts for the final deposit that it names to the unit. The sign keeps the index of final ones out. */
const isSale = `+deposit.status = 'final' AND deposit.asset IS NULL
  AND deposit.wallet = book_sale.recipient AND deposit.amount = book_sale.amount`;

const statementsOf = (db: Db) => ({
  final: transfersOf(db, kinds.final),
  failed: transfersOf(db, kinds.failed),
  deposits: db.prepare(/* sql */ `
    SELECT * FROM deposit INDEXED BY deposit_booked
    WHERE status = 'final' AND at >= @at AND at < @to AND (at > @at OR seq > @seq) ORDER BY at, seq LIMIT @limit`),
  // Behind the signature of a deposit to an agent's wallet, `#` and the wallet's number follow; of one in SOL, `#SOL`.
  deposit: db.prepare(/* sql */ `
    SELECT * FROM deposit WHERE tx_signature >= @txSignature AND tx_signature < @txSignature || '$'
      AND wallet = @wallet AND status = 'final' AND coalesce(asset, 'USDC') = @asset`),
  count: db.prepare(`SELECT sum(rows) AS rows FROM (${counts})`),
  first: db.prepare(/* sql */ `
    SELECT min(at) AS at FROM (${counts} UNION ALL SELECT 0, min(counted_at) FROM model_request WHERE counted_at IS NOT NULL)`),
  openings: db.prepare(/* sql */ `
    SELECT substr(account, 6) AS wallet, amount, (SELECT at FROM journal WHERE seq = 1) AS at
    FROM entry INDEXED BY entry_opening WHERE source = 'opening' AND account LIKE 'USDC:%' AND account <> 'USDC:outside'
    UNION ALL SELECT NULL, amount, at FROM sol_opening ORDER BY at`),
  openSol: db.prepare('INSERT INTO sol_opening (at, amount) VALUES (@at, @amount)'),
  unsettled: db.prepare(/* sql */ `
    SELECT state, count(*) AS rows FROM transfer INDEXED BY transfer_open
    WHERE is_open = 1 AND reserved_at < @before GROUP BY state
    UNION ALL SELECT 'deposit', count(*) FROM deposit WHERE status = 'confirmed' AND at < @before HAVING count(*) > 0`),
  unsettledSince: db.prepare(/* sql */ `
    SELECT min(at) AS at FROM (SELECT min(reserved_at) AS at FROM transfer INDEXED BY transfer_open WHERE is_open = 1
    UNION ALL SELECT min(at) FROM deposit WHERE status = 'confirmed')`),
  words: db.prepare('SELECT count(*) AS rows FROM phone_word WHERE at >= @from AND at < @to'),
  rules: db.prepare('SELECT * FROM book_rule WHERE ended_at IS NULL ORDER BY rank, id'),
  rule: db.prepare('SELECT 1 FROM book_rule WHERE id = ?'),
  putRule: db.prepare(/* sql */ `
    INSERT INTO book_rule (id, rank, payee, service_id, origin, agent_id, group_id, account, cost_centre, created_at, journal_seq)
    VALUES (@id, @rank, @payee, @serviceId, @origin, @agentId, @groupId, @account, @costCentre, @createdAt, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET rank = excluded.rank, payee = excluded.payee, service_id = excluded.service_id,
      origin = excluded.origin, agent_id = excluded.agent_id, group_id = excluded.group_id, account = excluded.account,
      cost_centre = excluded.cost_centre, journal_seq = excluded.journal_seq
    RETURNING *`),
  endRule: db.prepare(
    'UPDATE book_rule SET ended_at = @endedAt, journal_seq = @journalSeq WHERE id = @id RETURNING *',
  ),
  addSale: db.prepare(/* sql */ `
    INSERT INTO book_sale (tx_signature, recipient, amount, name, created_at, journal_seq)
    VALUES (@txSignature, @recipient, @amount, @name, @createdAt, @journalSeq) ON CONFLICT DO NOTHING RETURNING *`),
  saleOf: db.prepare(/* sql */ `
    SELECT book_sale.name FROM deposit JOIN book_sale
      ON book_sale.tx_signature = substr(deposit.tx_signature, 1, instr(deposit.tx_signature || '#', '#') - 1)
    WHERE deposit.id = ? AND ${isSale}`),
  refundedSaleOf: db.prepare(/* sql */ `
    SELECT book_sale.name FROM transfer JOIN book_sale ON book_sale.tx_signature = substr(transfer.invoice, ${refundPrefix.length + 1})
      JOIN deposit ON deposit.tx_signature >= book_sale.tx_signature AND deposit.tx_signature < book_sale.tx_signature || '$'
    WHERE transfer.id = ? AND transfer.kind = 'withdrawal' AND ${isSale}`),
  sentBack: db.prepare(/* sql */ `
    SELECT count(*) AS rows, min(id) AS id FROM transfer INDEXED BY transfer_sent_back
    WHERE kind = 'withdrawal' AND invoice = ? AND state NOT IN ('denied', 'failed', 'dead', 'cancelled')`),
  months: db.prepare('SELECT * FROM book_month ORDER BY from_at'),
  month: db.prepare('SELECT 1 FROM book_month WHERE month = ?'),
  anchoring: db.prepare('SELECT is_on FROM anchoring WHERE id = 1'),
  putAnchoring: db.prepare(/* sql */ `
    INSERT INTO anchoring (id, is_on, since, journal_seq) VALUES (1, @on, @since, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET is_on = excluded.is_on, since = excluded.since, journal_seq = excluded.journal_seq
    RETURNING *`),
  putMonth: db.prepare(/* sql */ `
    INSERT INTO book_month (month, zone, from_at, to_at, closed_at, entries, root, differences, changed_at, journal_seq)
    VALUES (@month, @zone, @from, @to, @closedAt, @entries, @root, @differences, @changedAt, @journalSeq)
    ON CONFLICT (month) DO UPDATE SET zone = excluded.zone, from_at = excluded.from_at, to_at = excluded.to_at,
      closed_at = excluded.closed_at, entries = excluded.entries, root = excluded.root,
      differences = excluded.differences, changed_at = excluded.changed_at, journal_seq = excluded.journal_seq
    RETURNING *`),
});

const states = ['final', 'failed'] as const;

const toBooked = mapper('transfer', (row): BookedTransfer => ({
  seq: row.integer('seq'),
  id: row.text('id'),
  kind: row.word('kind', transferKinds),
  isFailed: row.word('state', states) === 'failed',
  agentId: row.textOrNull('agent_id'),
  groupId: row.textOrNull('group_id'),
  payer: row.text('payer'),
  isDraw: row.flag('is_draw'),
  payee: row.text('payee'),
  splits: row.objects<Record<keyof Split, string>>('splits').map(({ payee, amount }) => ({
    payee,
    amount: usdc(BigInt(amount)),
  })),
  ...amountIn(row, row.word('asset', ['USDC', 'SOL'])),
  serviceId: row.textOrNull('service_id'),
  serviceName: row.text('service_name'),
  url: row.textOrNull('url'),
  description: row.text('description'),
  feeLamports: row.bigint('fee_lamports'),
  rentLamports: row.bigint('rent_lamports'),
  // A debit that was restored from the chain may have `#` and a number after its signature.
  txSignature: row.textOrNull('tx_signature')?.split('#', 1)[0] ?? null,
  at: row.integer('at'),
}));

const toOpening = mapper('entry', (row) => ({
  wallet: row.textOrNull('wallet'),
  amount: row.bigint('amount'),
  at: row.integer('at'),
}));
const toCount = mapper('transfer', (row) => row.integer('rows'));
const toId = mapper('transfer', (row) => row.textOrNull('id'));
const toFirst = mapper('transfer', (row) => row.integerOrNull('at'));
const toStateCount = mapper('transfer', (row) => [row.text('state'), row.integer('rows')] as const);

const isOn = ifAny(mapper('anchoring', (row) => row.integer('is_on') === 1));

const toSale = ifAny(mapper('book_sale', (row) => row.text('name')));

const toRule = mapper('book_rule', (row): BookRule => ({
  id: row.text('id'),
  payee: row.textOrNull('payee'),
  serviceId: row.textOrNull('service_id'),
  origin: row.textOrNull('origin'),
  agentId: row.textOrNull('agent_id'),
  groupId: row.textOrNull('group_id'),
  account: row.text('account'),
  costCentre: row.textOrNull('cost_centre'),
}));

const toMonth = mapper('book_month', (row): BookMonth => ({
  month: row.text('month'),
  zone: row.text('zone'),
  from: row.integer('from_at'),
  to: row.integer('to_at'),
  closedAt: row.integer('closed_at'),
  entries: row.integer('entries'),
  root: row.text('root'),
  differences: row.strings('differences'),
  changedAt: row.integerOrNull('changed_at'),
}));
