// The watch over agents. The owner's choices, the mutes and the trips are protected rows; what the watch keeps in mind is
// not, as sums are not: it is written with every payment.
import {
  usualWatched,
  watchModes,
  watchRules,
  type AgentMemory,
  type ServiceMemory,
  type Watched,
  type WatchMute,
  type WatchTrip,
} from '../engine/domain/watch.ts';
import type { Store } from '../engine/ports.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { ifAny, mapper } from './row.ts';

/** The row of what is kept in mind of the agent itself. */
const ownMemory = '';

export const createWatch = (db: Db, journal: Journal): Store['watch'] => {
  const sql = statementsOf(db);
  const known = journal.cache<Watched>('watch');
  const memory = <T extends object>(agentId: string, serviceId: string): T | undefined =>
    memoryIn(sql.memory.get(agentId, serviceId)) as T | undefined;
  const keep = (agentId: string, serviceId: string, kept: object, at: number): void =>
    void sql.keep.run({ agentId, serviceId, at, memory: JSON.stringify(kept) });

  return {
    get: (agentId) => known.get(agentId, () => watchedIn(sql.get.get(agentId)) ?? usualWatched),
    set(agentId, { mode, asking }) {
      const created = sql.get.get(agentId) === undefined;
      const since = asking?.since ?? null;
      const tripId = asking?.tripId ?? null;
      const row = sql.set.get({ agentId, mode, since, tripId, journalSeq: journal.next() });
      journal.enter('watch', row, created);
    },
    insertTrip(trip) {
      const numbers = JSON.stringify(trip.numbers);
      journal.enter('watch_trip', sql.insertTrip.get({ ...trip, numbers, journalSeq: journal.next() }), true);
    },
    trip: (id) => tripIn(sql.trip.get(id)),
    trips: ({ agentId, before, limit }) => {
      const page = { before: before ?? Number.MAX_SAFE_INTEGER, limit };
      const rows = agentId === undefined ? sql.tripsOfAll.all(page) : sql.tripsOf.all({ ...page, agentId });
      return rows.map(toTrip);
    },
    mutes: (agentId, now) => sql.mutes.all(agentId, now).map(toMute),
    mute(mute) {
      const id = muteId(mute);
      const created = sql.muteById.get(id) === undefined;
      journal.enter('watch_mute', sql.mute.get({ ...mute, id, journalSeq: journal.next() }), created);
    },
    endMute(mute, now) {
      const row = sql.endMute.get(now, journal.next(), muteId(mute), now);
      if (row === undefined) return false;
      journal.enter('watch_mute', row, false);
      return true;
    },
    agentMemory: (agentId) => memory<AgentMemory>(agentId, ownMemory),
    serviceMemory: (agentId, serviceId) => memory<ServiceMemory>(agentId, serviceId),
    keepAgent: (agentId, kept, now) => keep(agentId, ownMemory, kept, now),
    keepService: keep,
    forget: (agentId, before) => void sql.forget.run(agentId, before),
  };
};

const muteId = ({ agentId, rule, about }: Pick<WatchMute, 'agentId' | 'rule' | 'about'>): string =>
  `${agentId} ${rule} ${about}`;

const statementsOf = (db: Db) => ({
  get: db.prepare('SELECT * FROM watch WHERE agent_id = ?'),
  set: db.prepare(/* sql */ `
    INSERT INTO watch (agent_id, mode, asking_since, asking_trip, journal_seq)
    VALUES (@agentId, @mode, @since, @tripId, @journalSeq)
    ON CONFLICT (agent_id) DO UPDATE SET mode = excluded.mode, asking_since = excluded.asking_since,
      asking_trip = excluded.asking_trip, journal_seq = excluded.journal_seq
    RETURNING *`),
  insertTrip: db.prepare(/* sql */ `
    INSERT INTO watch_trip (id, agent_id, at, rule, about, sentence, numbers, transfer_id, did, journal_seq)
    VALUES (@id, @agentId, @at, @rule, @about, @sentence, @numbers, @transferId, @did, @journalSeq) RETURNING *`),
  trip: db.prepare('SELECT * FROM watch_trip WHERE id = ?'),
  tripsOf: db.prepare(
    'SELECT * FROM watch_trip WHERE agent_id = @agentId AND seq < @before ORDER BY seq DESC LIMIT @limit',
  ),
  tripsOfAll: db.prepare('SELECT * FROM watch_trip WHERE seq < @before ORDER BY seq DESC LIMIT @limit'),
  mutes: db.prepare('SELECT * FROM watch_mute WHERE agent_id = ? AND until > ? ORDER BY since, id'),
  muteById: db.prepare('SELECT * FROM watch_mute WHERE id = ?'),
  mute: db.prepare(/* sql */ `
    INSERT INTO watch_mute (id, agent_id, rule, about, since, until, journal_seq)
    VALUES (@id, @agentId, @rule, @about, @since, @until, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET since = excluded.since, until = excluded.until,
      journal_seq = excluded.journal_seq
    RETURNING *`),
  endMute: db.prepare(
    'UPDATE watch_mute SET until = ?, journal_seq = ? WHERE id = ? AND until > ? RETURNING *',
  ),
  memory: db.prepare('SELECT memory FROM watch_memory WHERE agent_id = ? AND service_id = ?'),
  keep: db.prepare(/* sql */ `
    INSERT INTO watch_memory (agent_id, service_id, at, memory) VALUES (@agentId, @serviceId, @at, @memory)
    ON CONFLICT (agent_id, service_id) DO UPDATE SET at = excluded.at, memory = excluded.memory`),
  forget: db.prepare(`DELETE FROM watch_memory WHERE agent_id = ? AND service_id <> '' AND at < ?`),
});

const toWatched = mapper('watch', (row): Watched => ({
  mode: row.word('mode', watchModes),
  asking: row.isNull('asking_since')
    ? null
    : { since: row.integer('asking_since'), tripId: row.text('asking_trip') },
}));
const watchedIn = ifAny(toWatched);
const toTrip = mapper('watch_trip', (row): WatchTrip => ({
  seq: row.integer('seq'),
  id: row.text('id'),
  agentId: row.text('agent_id'),
  at: row.integer('at'),
  rule: row.word('rule', watchRules),
  about: row.text('about'),
  sentence: row.text('sentence'),
  numbers: row.object<WatchTrip['numbers']>('numbers'),
  transferId: row.textOrNull('transfer_id'),
  did: row.word('did', ['told', 'asked', 'paused', 'ended_key']),
}));
const tripIn = ifAny(toTrip);
const toMute = mapper('watch_mute', (row): WatchMute => ({
  agentId: row.text('agent_id'),
  rule: row.word('rule', watchRules),
  about: row.text('about'),
  since: row.integer('since'),
  until: row.integer('until'),
}));
const memoryIn = ifAny(mapper('watch_memory', (row) => row.object<object>('memory')));
