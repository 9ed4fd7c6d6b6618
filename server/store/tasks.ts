// Image tasks, and the owner's changes to image models.
import type { ModelChange, StoredImage, Store, Task } from '../engine/ports.ts';
import { refundStates, resolutions, taskStates } from '../engine/domain/task.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { ifAny, mapper } from './row.ts';

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
    journal.enter('task', row, false);
    return toTask(row);
  };

  return {
    insert(task) {
      const row = insert.get({ ...task, journalSeq: journal.next() });
      journal.enter('task', row, true);
      return toTask(row);
    },
    get: (id) => taskIn(get.get(id)),
    byCharge: (chargeId) => taskIn(byCharge.get(chargeId)),
    list: ({ agentId = null, state = null, before = null, limit }) =>
      list.all({ agentId, state, before, limit }).map(toTask),
    unsettled: () => unsettled.all().map(toTask),
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
    changes: () => known.get('all', () => new Map(all.all().map(toChange))),
    change(id, { enabled, pricing }) {
      const created = one.get(id) === undefined;
      const values = {
        id,
        enabled: enabled === null ? null : Number(enabled),
        pricing: JSON.stringify(pricing),
        journalSeq: journal.next(),
      };
      journal.enter('model', set.get(values), created);
    },
  };
};

const stringOf = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

const toChange = mapper('model', (row): [id: string, change: ModelChange] => [
  row.text('id'),
  {
    enabled: row.isNull('enabled') ? null : row.flag('enabled'),
    pricing: row.object<ModelChange['pricing']>('pricing'),
  },
]);

const toTask = mapper('task', (row): Task => ({
  seq: row.integer('seq'),
  id: row.text('id'),
  agentId: row.text('agent_id'),
  modelId: row.text('model_id'),
  modelName: row.text('model_name'),
  prompt: row.text('prompt'),
  resolution: row.word('resolution', resolutions),
  cost: row.usdc('cost'),
  chargeId: row.text('charge_id'),
  state: row.word('state', taskStates),
  createdAt: row.integer('created_at'),
  startedAt: row.integerOrNull('started_at'),
  endedAt: row.integerOrNull('ended_at'),
  image: row.objectOrNull<StoredImage>('image'),
  failure: row.objectOrNull<NonNullable<Task['failure']>>('failure'),
  refund: row.wordOrNull('refund', refundStates),
  refundId: row.textOrNull('refund_id'),
}));

const taskIn = ifAny(toTask);
