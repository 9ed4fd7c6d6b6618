// Requests to language models: one row each, held until it is settled or released.
import {
  amountMarks,
  modelRequestStates,
  type ModelInvoice,
  type ModelRequest,
  type TokenCounts,
} from '../engine/domain/model-request.ts';
import type { ModelUsage, Store } from '../engine/ports.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { ifAny, mapper } from './row.ts';
import type { Spending } from './spending/spending.ts';
import { keyColumns, keyPathIn, refusalColumns, refusalIn } from './transfers/transfer-rows.ts';

const dayMs = 86_400_000;

export const createModelRequests = (
  db: Db,
  journal: Journal,
  spending: Pick<Spending, 'requestMoved'>,
): Store['modelRequests'] => {
  const sql = statementsOf(db);
  const get = (id: string): ModelRequest | undefined => requestIn(sql.get.get(id));
  return {
    insert({ keyPath, prices, corrects = null, reservedAt, ...terms }, refusal, at) {
      const row = sql.insert.get({
        idempotencyKey: null,
        ...terms,
        ...keyColumns(keyPath),
        ...refusalColumns(refusal),
        prices: JSON.stringify(prices),
        state: refusal === null ? 'held' : 'denied',
        createdAt: at,
        corrects,
        reservedAt: refusal === null ? (reservedAt ?? at) : null,
        endedAt: refusal === null ? null : at,
        isOpen: refusal === null ? 1 : 0,
        journalSeq: journal.next(),
      });
      journal.enter('model_request', row, true);
      const inserted = toRequest(row);
      spending.requestMoved(null, inserted);
      return inserted;
    },
    get,
    named: (agentId, idempotencyKey) => requestIn(sql.named.get(agentId, idempotencyKey)),
    end(id, { state, usage, ...end }, at) {
      const before = get(id);
      if (before?.state !== 'held') return null;
      const row = sql.end.get({
        answeredModel: null,
        supplierRequest: null,
        status: null,
        mark: null,
        ...end,
        ...refusalColumns('refusal' in end ? end.refusal : null),
        amount: 'amount' in end ? end.amount : null,
        countedAt: 'amount' in end ? before.reservedAt : null,
        countedAmount: 'amount' in end ? end.amount : 0n,
        usage: usage == null ? null : JSON.stringify(usage),
        state,
        at,
        id,
        journalSeq: journal.next(),
      });
      journal.enter('model_request', row, false);
      const after = toRequest(row);
      spending.requestMoved(before, after);
      return after;
    },
    held: (agentId) => sql.held.all({ agentId: agentId ?? null }).map(toRequest),
    list: ({ agentId = null, keyId = null, before = Number.MAX_SAFE_INTEGER, limit }) =>
      sql
        .list(agentId !== null)
        .all({ agentId, keyId, before, limit })
        .map(toRequest),
    usage: ({ agentId = null, keyId = null, from, to, isUncorrected = false }) =>
      sql.usage.all({ agentId, keyId, from, to, isUncorrected: Number(isUncorrected) }).map(toUsage),
    countedFrom: (from) => toFirst(sql.countedFrom.get(from)),
    corrections: () => sql.corrections.all().map(toRequest),
    invoices: () => sql.invoices.all().map(toInvoice),
    addInvoice: (invoice) =>
      journal.enter('model_invoice', sql.addInvoice.get({ ...invoice, journalSeq: journal.next() }), true),
  };
};

const statementsOf = (db: Db) => {
  const list = (ofAgent: string) =>
    db.prepare(/* sql */ `
    SELECT * FROM model_request WHERE ${ofAgent} seq < @before
      AND (@keyId IS NULL OR @keyId IN (key_1, key_2, key_3)) ORDER BY seq DESC LIMIT @limit`);
  const [ofAll, ofAgent] = [list(''), list('agent_id = @agentId AND')];
  return {
    insert: db.prepare(/* sql */ `
    INSERT INTO model_request (id, agent_id, key_id, group_id, key_1, key_2, key_3, service_id, model, wire, state,
      refusal_code, refusal_message, refusal_details, policy_version, grant_id, bound, prices, created_at, reserved_at,
      ended_at, is_open, corrects, idempotency_key, journal_seq)
    VALUES (@id, @agentId, @keyId, @groupId, @key1, @key2, @key3, @serviceId, @model, @wire, @state,
      @refusalCode, @refusalMessage, @refusalDetails, @policyVersion, @grantId, @bound, @prices, @createdAt, @reservedAt,
      @endedAt, @isOpen, @corrects, @idempotencyKey, @journalSeq)
    RETURNING *`),
    get: db.prepare('SELECT * FROM model_request WHERE id = ?'),
    named: db.prepare('SELECT * FROM model_request WHERE agent_id = ? AND idempotency_key = ?'),
    end: db.prepare(/* sql */ `
    UPDATE model_request SET state = @state, amount = @amount, mark = @mark, usage = @usage,
      answered_model = @answeredModel, supplier_request = @supplierRequest, status = @status,
      refusal_code = @refusalCode, refusal_message = @refusalMessage, refusal_details = @refusalDetails,
      ended_at = @at, counted_at = @countedAt, counted_amount = @countedAmount, is_open = 0, journal_seq = @journalSeq,
      idempotency_key = iif(@state = 'released', NULL, idempotency_key)
    WHERE id = @id AND state = 'held' RETURNING *`),
    held: db.prepare(/* sql */ `
    SELECT * FROM model_request INDEXED BY model_request_open
    WHERE is_open = 1 AND (@agentId IS NULL OR agent_id = @agentId) ORDER BY seq`),
    list: (isOfAgent: boolean) => (isOfAgent ? ofAgent : ofAll),
    usage: db.prepare(/* sql */ `
    SELECT counted_at / ${dayMs} * ${dayMs} AS day, agent_id, service_id, model, mark, sum(corrects IS NULL) AS requests,
      sum(amount) AS amount, sum(coalesce(usage ->> 'input', 0)) AS input,
      sum(coalesce(usage ->> 'cachedInput', 0)) AS cached_input, sum(coalesce(usage ->> 'output', 0)) AS output
    FROM model_request WHERE counted_at >= @from AND counted_at < @to AND (@agentId IS NULL OR agent_id = @agentId)
      AND (@keyId IS NULL OR @keyId IN (key_1, key_2, key_3)) AND (@isUncorrected = 0 OR corrects IS NULL)
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`),
    countedFrom: db.prepare('SELECT min(counted_at) AS at FROM model_request WHERE counted_at >= ?'),
    corrections: db.prepare('SELECT * FROM model_request WHERE corrects IS NOT NULL ORDER BY seq'),
    invoices: db.prepare('SELECT * FROM model_invoice ORDER BY created_at, rowid'),
    addInvoice: db.prepare(/* sql */ `
    INSERT INTO model_invoice (id, service_id, month, amount, cleared, created_at, journal_seq)
    VALUES (@id, @serviceId, @month, @amount, @cleared, @createdAt, @journalSeq) RETURNING *`),
  };
};

const toRequest = mapper('model_request', (row): ModelRequest => ({
  seq: row.integer('seq'),
  id: row.text('id'),
  agentId: row.text('agent_id'),
  keyId: row.text('key_id'),
  groupId: row.textOrNull('group_id'),
  keyPath: keyPathIn(row),
  serviceId: row.text('service_id'),
  model: row.text('model'),
  wire: row.text('wire'),
  state: row.word('state', modelRequestStates),
  refusal: refusalIn(row),
  policyVersion: row.integer('policy_version'),
  grantId: row.textOrNull('grant_id'),
  idempotencyKey: row.textOrNull('idempotency_key'),
  bound: row.usdc('bound'),
  amount: row.isNull('amount') ? null : row.usdc('amount'),
  mark: row.wordOrNull('mark', amountMarks),
  usage: row.objectOrNull<TokenCounts>('usage'),
  prices: row.object('prices'),
  answeredModel: row.textOrNull('answered_model'),
  supplierRequest: row.textOrNull('supplier_request'),
  status: row.integerOrNull('status'),
  createdAt: row.integer('created_at'),
  reservedAt: row.integerOrNull('reserved_at'),
  endedAt: row.integerOrNull('ended_at'),
  corrects: row.textOrNull('corrects'),
}));
const requestIn = ifAny(toRequest);
const toFirst = mapper('model_request', (row) => row.integerOrNull('at'));

const toUsage = mapper('model_request', (row): ModelUsage => ({
  day: row.integer('day'),
  agentId: row.text('agent_id'),
  serviceId: row.text('service_id'),
  model: row.text('model'),
  mark: row.word('mark', amountMarks),
  requests: row.integer('requests'),
  amount: row.usdc('amount'),
  input: row.integer('input'),
  cachedInput: row.integer('cached_input'),
  output: row.integer('output'),
}));

const toInvoice = mapper('model_invoice', (row): ModelInvoice => ({
  id: row.text('id'),
  serviceId: row.text('service_id'),
  month: row.text('month'),
  amount: row.usdc('amount'),
  cleared: row.usdc('cleared'),
  createdAt: row.integer('created_at'),
}));
