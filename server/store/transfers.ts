// The transfers: one row each, moved from state to state by compare-and-set.
import type {
  NewTransfer,
  Store,
  Transfer,
  TransferChange,
  TransferKind,
  TransferState,
} from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import type { Db } from './database.ts';
import type { Journal, Row } from './journal.ts';
import type { Ledger } from './ledger.ts';
import type { Purchases } from './purchases.ts';
import { integer, integerOrNull, jsonOrNull, text, textOrNull, units } from './rows.ts';
import { open, type Spending } from './spending.ts';
import { condition, unusual } from './transfer-query.ts';

const ended: ReadonlySet<TransferState> = new Set(['final', 'failed', 'dead', 'cancelled', 'denied']);

/** Rows that a statement reads at a time, in less than a millisecond. */
const rowsPerPage = 50;

export const createTransfers = (
  db: Db,
  journal: Journal,
  { spending, ledger, purchases }: { spending: Spending; ledger: Ledger; purchases: Purchases },
): Store['transfers'] => {
  const fromRow = (row: Row): Transfer => {
    const transfer = plainTransfer(row);
    return transfer.kind === 'payment' ? { ...transfer, purchase: purchases.get(transfer.id) } : transfer;
  };
  const mapped = (row: unknown): Transfer | undefined =>
    row === undefined ? undefined : fromRow(row as Row);

  const insert = db.prepare(/* sql */ `
    INSERT INTO transfer (id, kind, agent_id, wallet_index, wallet, payee, asset, amount, service_id, service_name,
      description, invoice, reason, key_id, state, refusal_code, refusal_message, refusal_details, policy_version, approval_id,
      grant_id, fee_lamports, rent_lamports, created_at, reserved_at, ended_at, is_open, journal_seq)
    VALUES (@id, @kind, @agentId, @walletIndex, @wallet, @payee, @asset, @amount, @serviceId, @serviceName,
      @description, @invoice, @reason, @keyId, @state, @refusalCode, @refusalMessage, @refusalDetails, @policyVersion, @approvalId,
      @grantId, @feeLamports, @rentLamports, @createdAt, @reservedAt, @endedAt, @isOpen, @journalSeq)
    RETURNING *`);
  const lastSeq = db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM transfer');
  const createdAt = db.prepare('SELECT seq, created_at FROM transfer WHERE seq >= ? ORDER BY seq LIMIT 1');
  // Exceptional states have a partial index; this never scans the table.
  const countByState = db.prepare(/* sql */ `
    SELECT state, count(*) AS rows FROM transfer INDEXED BY transfer_unusual WHERE ${unusual} GROUP BY state
    UNION ALL SELECT state, count(*) FROM transfer INDEXED BY transfer_open WHERE is_open = 1 AND state <> 'unknown' GROUP BY state`);
  const byId = db.prepare('SELECT * FROM transfer WHERE id = ?');
  const stateOf = db.prepare('SELECT state FROM transfer WHERE id = ?').pluck();
  const bySignature = db.prepare('SELECT * FROM transfer WHERE signature = ?');
  // Few rows are open. SQLite does not know that: on its own it would read the whole table to avoid a sort.
  const openRows = 'SELECT * FROM transfer INDEXED BY transfer_open WHERE is_open = 1';
  const allOpen = db.prepare(`${openRows} ORDER BY seq`);
  const openOf = db.prepare(`${openRows} AND agent_id IS ? ORDER BY seq`);
  const openLamports = db.prepare(
    `SELECT coalesce(sum(fee_lamports + rent_lamports + iif(asset = 'SOL' AND state <> 'seen', amount, 0)), 0) AS total
     FROM transfer INDEXED BY transfer_open WHERE is_open = 1`,
  );
  const rentPaid = db.prepare(
    `SELECT 1 FROM transfer WHERE payee = ? AND rent_lamports > 0 AND state NOT IN ('denied', 'cancelled', 'dead', 'failed', 'awaiting_approval') LIMIT 1`,
  );
  const rentSince = db.prepare(
    `SELECT coalesce(sum(rent_lamports), 0) AS total FROM transfer WHERE rent_lamports > 0 AND kind IN ('payment', 'charge')
     AND reserved_at > ? AND state NOT IN ('denied', 'cancelled', 'dead', 'failed')`,
  );

  const newestSeq = (): number => integer(lastSeq.get() as Row, 'seq');

  /** The first row at or after a time. Rows are in the order of their times, so bisection finds it. */
  const firstSince = (time: number): number => {
    let low = 1;
    let high = newestSeq() + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const row = createdAt.get(middle) as Row;
      if (integer(row, 'created_at') < time) low = integer(row, 'seq') + 1;
      else high = middle;
    }
    return low;
  };

  return {
    insert(transfer) {
      const { purchase, ...plain } = transfer;
      const row = insert.get({ ...bind(plain), journalSeq: journal.next() }) as Row;
      journal.enter('transfer', row, true);
      if (purchase !== null) purchases.insert(transfer.id, purchase);
      const inserted = fromRow(row);
      spending.moved(null, inserted);
      ledger.reserve(null, inserted);
      return inserted;
    },
    get: (id) => mapped(byId.get(id)),
    state: (id) => stateOf.get(id) as TransferState | undefined,
    move(id, from, to, { txSignature, ...change }) {
      const before = mapped(byId.get(id));
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
      }) as Row | undefined;
      invariant(row !== undefined, `transfer ${id} moved from ${from} to ${to}`);
      journal.enter('transfer', row, false);
      if (purchase !== before.purchase) purchases.name(id, purchase?.txSignature ?? null);
      spending.moved(before, after);
      ledger.reserve(before, after);
      if (to === 'final' || to === 'failed') ledger.post(after);
      return after;
    },
    open: () => (allOpen.all() as Row[]).map(fromRow),
    openOf: (agentId) => (openOf.all(agentId) as Row[]).map(fromRow),
    bySignature(signature) {
      const purchased = purchases.transferBySignature(signature);
      return mapped(purchased === undefined ? bySignature.get(signature) : byId.get(purchased));
    },
    list(query) {
      const { from, where, values } = condition(query);
      const rows = db.prepare(`SELECT * FROM ${from} ${where} ORDER BY seq DESC LIMIT @limit`);
      return (rows.all({ ...values, limit: query.limit }) as Row[]).map(fromRow);
    },
    *iterate(query) {
      // Pages by cursor, so that payments go on between two pages.
      let before = query.before;
      for (;;) {
        const page = this.list({ ...query, ...(before === undefined ? {} : { before }), limit: rowsPerPage });
        yield* page;
        before = page.at(-1)?.seq;
        if (page.length < rowsPerPage) return;
      }
    },
    lastSeq: newestSeq,
    between: ({ from, to }) => ({
      after: from === undefined ? 0 : firstSince(from) - 1,
      before: to === undefined ? newestSeq() + 1 : firstSince(to + 1),
    }),
    countByState() {
      const counts = (countByState.all() as Row[]).map(
        (row) => [text(row, 'state'), integer(row, 'rows')] as const,
      );
      // No row is ever deleted: all rows that are not counted above are final.
      const final = counts.reduce((left, [, rows]) => left - rows, newestSeq());
      return { ...Object.fromEntries(counts), ...(final > 0 ? { final } : {}) };
    },
    openLamports: () => (openLamports.get() as { total: bigint }).total,
    rentPaid: (payee) => rentPaid.get(payee) !== undefined,
    rentSince: (time) => (rentSince.get(time) as { total: bigint }).total,
  };
};

type PlainChange = Omit<TransferChange, 'txSignature'>;

const columns: Record<keyof PlainChange, readonly string[]> = {
  refusal: ['refusal_code', 'refusal_message', 'refusal_details'],
  policyVersion: ['policy_version'],
  grantId: ['grant_id'],
  feeLamports: ['fee_lamports'],
  rentLamports: ['rent_lamports'],
  reservedAt: ['reserved_at'],
  signed: [
    'message_hash',
    'signature',
    'wire',
    'blockhash',
    'last_valid_height',
    'signed_slot',
    'signed_height',
    'signed_at',
  ],
  sentAt: ['sent_at'],
  seenAt: ['seen_at'],
  seenSlot: ['seen_slot'],
  blockTime: ['block_time'],
  endedAt: ['ended_at'],
  receipt: ['receipt'],
  evidence: ['evidence'],
};

const columnsOf = (change: PlainChange): string[] =>
  (Object.keys(change) as (keyof PlainChange)[]).flatMap((field) => columns[field]);

/** Written only when they change: SQLite rewrites the index of every column that an UPDATE names. */
const derivedColumns = (before: Transfer, after: Transfer, spending: Spending): Record<string, unknown> => {
  const countedAt = spending.countedAt(after);
  return {
    ...(open.has(before.state) === open.has(after.state) ? {} : { is_open: open.has(after.state) ? 1 : 0 }),
    ...(countedAt === null ? {} : { counted_at: countedAt, counted_amount: spending.countedAmount(after) }),
  };
};

const statements = new WeakMap<Db, Map<string, ReturnType<Db['prepare']>>>();

/** One prepared statement for each set of columns that a step writes. */
const updateStatement = (db: Db, names: readonly string[]): ReturnType<Db['prepare']> => {
  const key = names.join();
  const prepared = statements.get(db) ?? new Map<string, ReturnType<Db['prepare']>>();
  statements.set(db, prepared);
  let statement = prepared.get(key);
  if (statement === undefined) {
    const sets = names.map((name) => `${name} = @${name}, `).join('');
    statement = db.prepare(
      `UPDATE transfer SET ${sets} state = @to, journal_seq = @journalSeq WHERE id = @id AND state = @from RETURNING *`,
    );
    prepared.set(key, statement);
  }
  return statement;
};

const bindChange = (change: PlainChange): Record<string, unknown> => {
  const { refusal, signed, ...plain } = change;
  const values: Record<string, unknown> = {};
  for (const field of Object.keys(plain) as (keyof typeof plain)[]) {
    for (const column of columns[field]) values[column] = plain[field];
  }
  if (refusal !== undefined) {
    values['refusal_code'] = refusal?.code ?? null;
    values['refusal_message'] = refusal?.message ?? null;
    values['refusal_details'] = refusal === null ? null : JSON.stringify(refusal.details);
  }
  if (signed !== undefined) {
    values['message_hash'] = signed?.messageHash ?? null;
    values['signature'] = signed?.signature ?? null;
    values['wire'] = signed?.wire ?? null;
    values['blockhash'] = signed?.lifetime.blockhash ?? null;
    values['last_valid_height'] = signed?.lifetime.lastValidHeight ?? null;
    values['signed_slot'] = signed?.lifetime.slot ?? null;
    values['signed_height'] = signed?.lifetime.height ?? null;
    values['signed_at'] = signed?.at ?? null;
  }
  return values;
};

const bind = ({
  refusal,
  reason = null,
  keyId = null,
  ...transfer
}: Omit<NewTransfer, 'purchase'>): Record<string, unknown> => ({
  ...transfer,
  reason,
  keyId,
  refusalCode: refusal?.code ?? null,
  refusalMessage: refusal?.message ?? null,
  refusalDetails: refusal === null ? null : JSON.stringify(refusal.details),
  endedAt: ended.has(transfer.state) ? transfer.createdAt : null,
  isOpen: open.has(transfer.state) ? 1 : 0,
});

const plainTransfer = (row: Row): Transfer => ({
  seq: integer(row, 'seq'),
  id: text(row, 'id'),
  kind: text(row, 'kind') as TransferKind,
  agentId: textOrNull(row, 'agent_id'),
  walletIndex: integer(row, 'wallet_index'),
  wallet: text(row, 'wallet'),
  payee: text(row, 'payee'),
  asset: text(row, 'asset') as Transfer['asset'],
  amount: units(row, 'amount'),
  serviceId: textOrNull(row, 'service_id'),
  serviceName: text(row, 'service_name'),
  description: text(row, 'description'),
  invoice: textOrNull(row, 'invoice'),
  reason: textOrNull(row, 'reason'),
  keyId: textOrNull(row, 'key_id'),
  state: text(row, 'state') as TransferState,
  refusal: refusalOf(row),
  policyVersion: integer(row, 'policy_version'),
  approvalId: textOrNull(row, 'approval_id'),
  grantId: textOrNull(row, 'grant_id'),
  feeLamports: units(row, 'fee_lamports'),
  rentLamports: units(row, 'rent_lamports'),
  createdAt: integer(row, 'created_at'),
  reservedAt: integerOrNull(row, 'reserved_at'),
  signed: signedOf(row),
  sentAt: integerOrNull(row, 'sent_at'),
  seenAt: integerOrNull(row, 'seen_at'),
  seenSlot: integerOrNull(row, 'seen_slot'),
  blockTime: integerOrNull(row, 'block_time'),
  endedAt: integerOrNull(row, 'ended_at'),
  receipt: textOrNull(row, 'receipt'),
  evidence: textOrNull(row, 'evidence'),
  purchase: null,
});

const refusalOf = (row: Row): Transfer['refusal'] => {
  const code = textOrNull(row, 'refusal_code');
  if (code === null) return null;
  return {
    code: code as NonNullable<Transfer['refusal']>['code'],
    message: text(row, 'refusal_message'),
    details: jsonOrNull(row, 'refusal_details') ?? {},
  };
};

const signedOf = (row: Row): Transfer['signed'] => {
  const signature = textOrNull(row, 'signature');
  if (signature === null) return null;
  return {
    messageHash: text(row, 'message_hash'),
    signature,
    wire: row['wire'] as Buffer,
    lifetime: {
      blockhash: text(row, 'blockhash'),
      lastValidHeight: integer(row, 'last_valid_height'),
      slot: integer(row, 'signed_slot'),
      height: integer(row, 'signed_height'),
    },
    at: integer(row, 'signed_at'),
  };
};
