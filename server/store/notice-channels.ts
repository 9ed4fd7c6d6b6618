// The channels of notices.
import type { Channel, ChannelStore, Place } from '../engine/ports.ts';
import type { NoticeKind } from '../contract/notices/notices.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { ifAny, mapper } from './row.ts';

/** Of the channel `@id`: what failed since the newest notice that it delivered. */
export const failedLately = /* sql */ `
  channel_id = @id AND state = 'failed' AND notice_seq > coalesce((
    SELECT notice_seq FROM notice_delivery WHERE channel_id = @id AND state = 'delivered'
    ORDER BY notice_seq DESC LIMIT 1
  ), 0)`;

export const createChannels = (db: Db, journal: Journal): ChannelStore => {
  const list = db.prepare('SELECT * FROM notice_channel WHERE removed_at IS NULL ORDER BY created_at, id');
  const get = db.prepare('SELECT * FROM notice_channel WHERE id = ?');
  const desktop = db.prepare(
    `SELECT count(*) AS channels FROM notice_channel WHERE place ->> 'kind' = 'desktop'`,
  );
  const put = db.prepare(/* sql */ `
    INSERT INTO notice_channel (id, name, place, kinds, phone_links, created_at, removed_at, journal_seq)
    VALUES (@id, @name, @place, @kinds, @phoneLinks, @createdAt, @removedAt, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, place = excluded.place, kinds = excluded.kinds,
      phone_links = excluded.phone_links,      removed_at = excluded.removed_at, journal_seq = excluded.journal_seq RETURNING *`);
  const abandon = db.prepare(/* sql */ `
    UPDATE notice_delivery SET state = 'failed', ended_at = ?, answer = 'The channel was removed.'
    WHERE channel_id = ? AND state = 'waiting'`);
  // One at a time is tried, so the others wait behind it.
  const waiting = db.prepare(/* sql */ `
    SELECT count(*) AS notices, (
      SELECT answer FROM notice_delivery WHERE channel_id = @id AND state = 'waiting' AND attempts > 0
      ORDER BY urgent DESC, due_at, notice_seq LIMIT 1
    ) AS answer FROM notice_delivery WHERE channel_id = @id AND state = 'waiting'`);
  const failed = db.prepare(/* sql */ `
    SELECT count(*) AS notices, (
      SELECT answer FROM notice_delivery WHERE ${failedLately} ORDER BY notice_seq DESC LIMIT 1
    ) AS answer FROM notice_delivery WHERE ${failedLately}`);
  const known = journal.cache<readonly Channel[]>('notice_channel');

  const enter = (channel: Channel): void => {
    const values = {
      ...channel,
      place: JSON.stringify(channel.place),
      kinds: JSON.stringify(channel.kinds),
      phoneLinks: channel.hasPhoneLinks ? 1 : null,
      journalSeq: journal.next(),
    };
    const isNew = get.get(channel.id) === undefined;
    journal.enter('notice_channel', put.get(values), isNew);
  };
  const found = (id: string): Channel | undefined => channelIn(get.get(id));
  return {
    list: () => known.get('', () => list.all().map(toChannel)),
    get: found,
    hadDesktop: () => countOf(desktop.get()) > 0,
    put: enter,
    remove(id, now) {
      const channel = found(id);
      if (channel === undefined || channel.removedAt !== null) return;
      enter({ ...channel, removedAt: now });
      abandon.run(now, id);
    },
    trouble(id) {
      const [behind, given] = [toTrouble(waiting.get({ id })), toTrouble(failed.get({ id }))];
      return {
        waiting: behind.answer === null ? 0 : behind.notices,
        failed: given.notices,
        answer: behind.answer ?? given.answer,
      };
    },
  };
};

const toChannel = mapper('notice_channel', (row): Channel => ({
  id: row.text('id'),
  name: row.text('name'),
  place: row.object<Place>('place'),
  kinds: row.strings('kinds') as NoticeKind[],
  hasPhoneLinks: !row.isNull('phone_links'),
  createdAt: row.integer('created_at'),
  removedAt: row.integerOrNull('removed_at'),
}));
const channelIn = ifAny(toChannel);
const countOf = mapper('notice_channel', (row) => row.integer('channels'));
const toTrouble = mapper('notice_delivery', (row) => ({
  notices: row.integer('notices'),
  answer: row.textOrNull('answer'),
}));
