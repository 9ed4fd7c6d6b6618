// The outbox of notices: each is written in the transaction of its event, with a delivery for each channel.
import { randomBytes } from 'node:crypto';
import { noticeKindNames } from '../contract/notices/notices.ts';
import { deliveryStates, foldMs, isUrgent, tryForMs, usualLowBalance } from '../engine/domain/notice.ts';
import type { Delivery, ListedNotice, News, Notice, NoticeStore } from '../engine/ports.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { createChannels, failedLately } from './notice-channels.ts';
import { ifAny, mapper } from './row.ts';

const dayMs = 86_400_000;
const keptMs = 30 * dayMs;
const mostKept = 10_000;
/** The number removed at once: a payment never waits long for it. */
const mostPruned = 500;

export const createNotices = (db: Db, journal: Journal): NoticeStore => {
  const channels = createChannels(db, journal);
  const listeners: (() => void)[] = [];
  const add = adder(db);
  return {
    isWanted: (kind) => channels.list().some(({ kinds }) => kinds.includes(kind)),
    add(news, timing) {
      const wanting = channels
        .list()
        .filter(({ kinds }) => timing.everywhere === true || kinds.includes(news.kind));
      if (wanting.length === 0) return;
      add(
        news,
        timing,
        wanting.map(({ id }) => id),
      );
      for (const listen of listeners) listen();
    },
    onAdded: (listen) => void listeners.push(listen),
    ...queue(db),
    ...history(db),
    ...lowBalances(db),
    channels,
  };
};

type Timing = Parameters<NoticeStore['add']>[1];

const adder = (db: Db) => {
  const last = db.prepare(/* sql */ `
    SELECT seq, due_at, NOT EXISTS (
      SELECT 1 FROM notice_delivery WHERE notice_seq = seq AND (attempts > 0 OR state <> 'waiting')
    ) AS untold FROM notice WHERE agent_id = ? AND kind = ? ORDER BY seq DESC LIMIT 1`);
  const count = db.prepare('UPDATE notice SET events = events + 1, due_at = min(due_at, ?) WHERE seq = ?');
  const sooner = db.prepare(
    'UPDATE notice_delivery SET due_at = min(due_at, @at), next_at = min(next_at, @at) WHERE notice_seq = @seq',
  );
  const insert = db.prepare(/* sql */ `
    INSERT OR IGNORE INTO notice (id, kind, agent_id, subject, title, text, events, created_at, due_at)
    VALUES (@id, @kind, @agentId, @subject, @title, @text, 1, @at, @dueAt) RETURNING seq`);
  const deliver = db.prepare(/* sql */ `
    INSERT INTO notice_delivery (notice_seq, channel_id, state, attempts, next_at, until_at, urgent, due_at)
    VALUES (@seq, @channelId, 'waiting', 0, @dueAt, @untilAt, @urgent, @dueAt)`);

  return (news: News, timing: Timing, channelIds: readonly string[]) => {
    const { at, latestAt = Infinity, id = newId(at), everywhere } = timing;
    const agentId = news.agentId ?? '';
    const urgent = isUrgent(news.kind);
    const before = urgent || everywhere === true ? undefined : lastIn(last.get(agentId, news.kind));
    const bound = Math.max(at, latestAt);
    if (before !== undefined && before.dueAt > at && before.untold) {
      const dueAt = Math.min(before.dueAt, bound);
      count.run(dueAt, before.seq);
      if (dueAt < before.dueAt) sooner.run({ at: dueAt, seq: before.seq });
      return;
    }
    const dueAt = Math.min(Math.max(at, before === undefined ? at : before.dueAt + foldMs), bound);
    const written = insert.get({ ...news, id, agentId, at, dueAt });
    // The same notice was sent before.
    if (written === undefined) return;
    const delivery = { seq: toSeq(written), dueAt, untilAt: dueAt + tryForMs, urgent: urgent ? 1 : 0 };
    for (const channelId of channelIds) deliver.run({ ...delivery, channelId });
  };
};

/** The leading time keeps new ids adjacent in the index. */
const newId = (at: number): string =>
  `ntc_${at.toString(36).padStart(9, '0')}${randomBytes(10).toString('hex')}`;

/** The columns of a notice and of one of its deliveries, joined. */
const columns = /* sql */ `notice.*, channel_id, state, attempts, next_at, until_at, ended_at, answer`;
const joined = /* sql */ `notice JOIN notice_delivery ON notice_seq = seq`;

type Queue = Pick<NoticeStore, 'next' | 'nextDue' | 'tried' | 'end' | 'retry' | 'retryAll'>;

const queue = (db: Db): Queue => {
  const next = db.prepare(/* sql */ `
    SELECT ${columns} FROM ${joined}
    WHERE channel_id = @channelId AND state = 'waiting' AND notice_delivery.due_at <= @now
    ORDER BY urgent DESC, notice_delivery.due_at, notice_seq LIMIT 1`);
  const nextDue = db.prepare(
    `SELECT min(due_at) AS at FROM notice_delivery WHERE channel_id = ? AND state = 'waiting'`,
  );
  const tried = db.prepare(/* sql */ `
    UPDATE notice_delivery SET attempts = attempts + 1, answer = @answer, next_at = @nextAt
    WHERE notice_seq = @seq AND channel_id = @channelId AND state = 'waiting'`);
  const end = db.prepare(/* sql */ `
    UPDATE notice_delivery SET attempts = attempts + 1, state = @state, answer = @answer, ended_at = @at
    WHERE notice_seq = @seq AND channel_id = @channelId AND state = 'waiting'`);
  const hasten = db.prepare(/* sql */ `
    UPDATE notice_delivery SET next_at = min(next_at, max(due_at, ?))
    WHERE channel_id = ? AND state = 'waiting' AND attempts > 0`);
  const begin = /* sql */ `
    UPDATE notice_delivery SET state = 'waiting', ended_at = NULL, next_at = @now, until_at = @untilAt,
      due_at = min(due_at, @now)`;
  const again = db.prepare(/* sql */ `
    ${begin} WHERE notice_seq = @seq AND state <> 'delivered'
      AND channel_id IN (SELECT id FROM notice_channel WHERE removed_at IS NULL)`);
  const allAgain = db.prepare(/* sql */ `
    ${begin} WHERE channel_id = @id AND state = 'waiting' AND attempts > 0 OR ${failedLately}`);
  return {
    next(channelId, now) {
      const row = next.get({ channelId, now });
      return row === undefined ? undefined : { notice: toNotice(row), delivery: toDelivery(row) };
    },
    nextDue: (channelId) => toTime(nextDue.get(channelId)),
    tried: (seq, channelId, attempt) => void tried.run({ seq, channelId, ...attempt }),
    end(seq, channelId, ending) {
      end.run({ seq, channelId, ...ending });
      if (ending.state === 'delivered') hasten.run(ending.at, channelId);
    },
    retry: (seq, now) => void again.run({ seq, now, untilAt: now + tryForMs }),
    retryAll: (id, now) => void allAgain.run({ id, now, untilAt: now + tryForMs }),
  };
};

const history = (db: Db): Pick<NoticeStore, 'get' | 'list' | 'prune'> => {
  const get = db.prepare(`SELECT ${columns} FROM ${joined} WHERE id = ? ORDER BY channel_id`);
  const list = db.prepare(/* sql */ `
    SELECT ${columns} FROM ${joined} WHERE seq IN (
      SELECT seq FROM notice WHERE seq < @before AND (@failed = 0 OR EXISTS (
        SELECT 1 FROM notice_delivery WHERE notice_seq = seq AND state = 'failed'
      )) ORDER BY seq DESC LIMIT @limit
    ) ORDER BY seq DESC, channel_id`);
  const prune = db.prepare(/* sql */ `
    DELETE FROM notice WHERE seq IN (
      SELECT seq FROM notice WHERE created_at < @before OR (
        seq <= (SELECT seq FROM notice ORDER BY seq DESC LIMIT 1 OFFSET @most)
        AND NOT EXISTS (SELECT 1 FROM notice_delivery WHERE notice_seq = seq AND state = 'waiting')
      ) ORDER BY seq LIMIT @atOnce
    )`);
  return {
    get: (id) => withDeliveries(get.all(id))[0],
    list: ({ before, limit, failed }) =>
      withDeliveries(list.all({ before: before ?? Number.MAX_SAFE_INTEGER, limit, failed: failed ? 1 : 0 })),
    prune: (now) => void prune.run({ before: now - keptMs, most: mostKept, atOnce: mostPruned }),
  };
};

const withDeliveries = (rows: readonly unknown[]): ListedNotice[] => {
  const found = new Map<number, ListedNotice>();
  for (const row of rows) {
    const notice = toNotice(row);
    const listed = found.get(notice.seq) ?? { ...notice, deliveries: [] };
    listed.deliveries.push(toDelivery(row));
    found.set(notice.seq, listed);
  }
  return [...found.values()];
};

const lowBalances = (db: Db): Pick<NoticeStore, 'lowBalance' | 'lowBalances' | 'setLowBalance'> => {
  const get = db.prepare(
    `SELECT units FROM low_balance WHERE agent_id IN (?, '') ORDER BY agent_id DESC LIMIT 1`,
  );
  const set = db.prepare(
    'INSERT INTO low_balance (agent_id, units) VALUES (?, ?) ON CONFLICT DO UPDATE SET units = excluded.units',
  );
  const list = db.prepare(`SELECT * FROM low_balance WHERE agent_id <> '' ORDER BY agent_id`);
  const forget = db.prepare('DELETE FROM low_balance WHERE agent_id = ?');
  return {
    lowBalance(agentId) {
      const limit = limitIn(get.get(agentId ?? ''));
      return limit === undefined ? usualLowBalance : limit;
    },
    lowBalances: () => list.all().map(toLowBalance),
    setLowBalance(agentId, limit) {
      if (limit === undefined) forget.run(agentId ?? '');
      else set.run(agentId ?? '', limit);
    },
  };
};

const toNotice = mapper('notice', (row): Notice => ({
  seq: row.integer('seq'),
  id: row.text('id'),
  kind: row.word('kind', noticeKindNames),
  agentId: row.text('agent_id') === '' ? null : row.text('agent_id'),
  subject: row.textOrNull('subject'),
  title: row.text('title'),
  text: row.text('text'),
  count: row.integer('events'),
  createdAt: row.integer('created_at'),
  dueAt: row.integer('due_at'),
}));
const toDelivery = mapper('notice_delivery', (row): Delivery => ({
  channelId: row.text('channel_id'),
  state: row.word('state', deliveryStates),
  attempts: row.integer('attempts'),
  nextAt: row.integer('next_at'),
  untilAt: row.integer('until_at'),
  endedAt: row.integerOrNull('ended_at'),
  answer: row.textOrNull('answer'),
}));
const toSeq = mapper('notice', (row) => row.integer('seq'));
const toTime = mapper('notice_delivery', (row) => row.integerOrNull('at'));
const toLowBalance = mapper('low_balance', (row) => ({
  agentId: row.text('agent_id'),
  limit: row.isNull('units') ? null : row.usdc('units'),
}));
const limitIn = ifAny(mapper('low_balance', (row) => (row.isNull('units') ? null : row.usdc('units'))));
const lastIn = ifAny(
  mapper('notice', (row) => ({
    seq: row.integer('seq'),
    dueAt: row.integer('due_at'),
    untold: row.flag('untold'),
  })),
);
