// Image tasks, and the owner's changes to image models.
import type { ModelChange, StoredImage, Store, Task, TaskState } from '../engine/ports.ts';
import { usdc } from '../money.ts';
import type { Db } from './db.ts';
import type { Journal, Row } from './journal.ts';
import { integer, integerOrNull, json, jsonOrNull, text, textOrNull, units } from './rows.ts';

export const createTasks = (db: Db, journal: Journal): Store['tasks'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO task (id, agent_id, model_id, model_name, prompt, resolution, cost, charge_id, state, created_at,
      journal_seq)
    VALUES (@id, @agentId, @modelId, @modelName, @prompt, @resolution, @cost, @chargeId, 'queued', @createdAt,
      @journalSeq) RETURNING *`);
  const get = db.prepare('SELECT * FROM task WHERE id = ?');
  const byCharge = db.prepare('SELECT * FROM task WHERE charge_id = ?');
  const list = db.prepare(/* sql */ `
    SELECT * FROM task WHERE (@agentId IS NULL OR agent_id = @agentId) AND (@state IS NULL OR state = @state)
      AND (@before IS NULL OR seq < @before) ORDER BY seq DESC LIMIT @limit`);
  const unsettled = db.prepare(
    `SELECT * FROM task WHERE state IN ('queued', 'generating') OR refund = 'owed' ORDER BY seq`,
  );
  const move = db.prepare(/* sql */ `
    UPDATE task SET state = @to, started_at = coalesce(@startedAt, started_at), ended_at = @endedAt, image = @image,
      failure = @failure, refund = @refund, journal_seq = @journalSeq
    WHERE id = @id AND state = @from RETURNING *`);
  const refund = db.prepare(/* sql */ `
    UPDATE task SET refund = @refund, refund_id = @refundId, journal_seq = @journalSeq
    WHERE id = @id AND refund = 'owed' AND refund_id IS @known RETURNING *`);

  const entered = (row: unknown): Task | null => {
    if (row === undefined) return null;
    journal.enter('task', row as Row, false);
    return toTask(row as Row);
  };

  return {
    insert(task) {
      const row = insert.get({ ...task, journalSeq: journal.next() }) as Row;
      journal.enter('task', row, true);
      return toTask(row);
    },
    get: (id) => found(get.get(id)),
    byCharge: (chargeId) => found(byCharge.get(chargeId)),
    list: ({ agentId = null, state = null, before = null, limit }) =>
      (list.all({ agentId, state, before, limit }) as Row[]).map(toTask),
    unsettled: () => (unsettled.all() as Row[]).map(toTask),
    move(
      id,
      from,
      to,
      { startedAt = null, endedAt = null, image = null, failure = null, refund: owed = null },
    ) {
      const change = { startedAt, endedAt, refund: owed, image: stringOf(image), failure: stringOf(failure) };
      return entered(move.get({ ...change, id, from, to, journalSeq: journal.next() }));
    },
    refund: (id, { refundId: known }, change) =>
      entered(refund.get({ ...change, id, known, journalSeq: journal.next() })),
  };
};

export const createModels = (db: Db, journal: Journal): Store['models'] => {
  const all = db.prepare('SELECT * FROM model');
  const one = db.prepare('SELECT 1 FROM model WHERE id = ?');
  const set = db.prepare(/* sql */ `
    INSERT INTO model (id, enabled, pricing, journal_seq) VALUES (@id, @enabled, @pricing, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET enabled = excluded.enabled, pricing = excluded.pricing,
      journal_seq = excluded.journal_seq RETURNING *`);
  const known = journal.cache<ReadonlyMap<string, ModelChange>>('model');

  return {
    changes: () =>
      known.get('all', () => new Map((all.all() as Row[]).map((row) => [text(row, 'id'), toChange(row)]))),
    change(id, { enabled, pricing }) {
      const created = one.get(id) === undefined;
      const values = {
        id,
        enabled: enabled === null ? null : Number(enabled),
        pricing: JSON.stringify(pricing),
        journalSeq: journal.next(),
      };
      journal.enter('model', set.get(values) as Row, created);
    },
  };
};

const found = (row: unknown): Task | undefined => (row === undefined ? undefined : toTask(row as Row));

const stringOf = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

const toChange = (row: Row): ModelChange => ({
  enabled: row['enabled'] === null ? null : row['enabled'] === 1n,
  pricing: json<ModelChange['pricing']>(row, 'pricing'),
});

const toTask = (row: Row): Task => ({
  seq: integer(row, 'seq'),
  id: text(row, 'id'),
  agentId: text(row, 'agent_id'),
  modelId: text(row, 'model_id'),
  modelName: text(row, 'model_name'),
  prompt: text(row, 'prompt'),
  resolution: text(row, 'resolution') as Task['resolution'],
  cost: usdc(units(row, 'cost')),
  chargeId: text(row, 'charge_id'),
  state: text(row, 'state') as TaskState,
  createdAt: integer(row, 'created_at'),
  startedAt: integerOrNull(row, 'started_at'),
  endedAt: integerOrNull(row, 'ended_at'),
  image: jsonOrNull<StoredImage>(row, 'image'),
  failure: jsonOrNull<NonNullable<Task['failure']>>(row, 'failure'),
  refund: textOrNull(row, 'refund') as Task['refund'],
  refundId: textOrNull(row, 'refund_id'),
});
