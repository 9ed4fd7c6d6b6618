// The catalog: each service an origin with pinned payees and a price, in a protected row. Beside it, outside the journal,
// what is known of it: whether it is listed, who added it, and how its last calls went.
import type { ListedService, Service, Store } from '../engine/ports.ts';
import type { Db } from './database.ts';
import type { Journal, Row } from './journal.ts';
import { integer, integerOrNull, json, text, textOrNull } from './rows.ts';
import { createSearchIndex, sortName } from './search.ts';

/** So many calls tell how well a service answers now. */
const lastCalls = 50;

export const createServices = (db: Db, journal: Journal): Store['services'] => {
  const known = journal.cache<Service | undefined>('service');
  const index = createSearchIndex(db);
  const get = db.prepare('SELECT * FROM service WHERE id = ?');
  const facts = db.prepare('SELECT * FROM service_facts WHERE service_id = ?');
  const put = db.prepare(/* sql */ `
    INSERT INTO service (id, name, description, category, source, endpoint, origin, payees, pricing, price, vouched,
      journal_seq)
    VALUES (@id, @name, @description, @category, @source, @endpoint, @origin, @payees, @pricing, @price, @vouched,
      @journalSeq)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, description = excluded.description,
      category = excluded.category, source = excluded.source, endpoint = excluded.endpoint, origin = excluded.origin,
      payees = excluded.payees, pricing = excluded.pricing, price = excluded.price, vouched = excluded.vouched,
      journal_seq = excluded.journal_seq`);
  const list = db.prepare(/* sql */ `
    INSERT INTO service_facts (service_id, source, listed, added_by_owner, sort_name)
    VALUES (@id, @source, 1, @addedByOwner, @sortName)
    ON CONFLICT (service_id) DO UPDATE SET source = excluded.source, listed = 1,
      added_by_owner = excluded.added_by_owner, sort_name = excluded.sort_name`);
  const unlist = db.prepare('UPDATE service_facts SET listed = 0 WHERE number = ?');
  const listed = `SELECT service.*, added_by_owner, calls, successes, median_latency_ms, last_seen_at
    FROM service_facts JOIN service ON service.id = service_id WHERE listed = 1`;
  const listedById = db.prepare(`${listed} AND service_id = ?`);
  const listedByNumber = db.prepare(`${listed} AND number = ?`);
  const best = 'ORDER BY preferred DESC, standing DESC, sort_name, service_id LIMIT @limit';
  const useful = db.prepare(`SELECT number FROM service_facts WHERE listed = 1 ${best}`);
  const usefulOf = db.prepare(
    `SELECT number FROM service_facts WHERE listed = 1 AND source = @source ${best}`,
  );
  const count = db.prepare('SELECT count(*) AS n FROM service_facts WHERE listed = 1');
  const countOf = db.prepare('SELECT count(*) AS n FROM service_facts WHERE listed = 1 AND source = @source');
  const observe = createObserver(db);

  // Read again, since RETURNING would make the index write itself out with every entry.
  const write = (service: Service, row: ProtectedRow, created: boolean): void => {
    put.run({ ...row, id: service.id, journalSeq: journal.next() });
    journal.enter('service', get.get(service.id) as Row, created);
  };
  const enlist = (service: Service, addedByOwner: boolean): void => {
    const { id, source, name } = service;
    list.run({ id, source, addedByOwner: addedByOwner ? 1 : 0, sortName: sortName(name) });
    index.write(integer(facts.get(id) as Row, 'number'), service);
  };

  const show = (numbers: readonly unknown[]): ListedService[] =>
    numbers.map((number) => toListed(listedByNumber.get(number) as Row));

  /** Entries of a database that is older than the index. */
  const unindexed = db.prepare(
    'SELECT service.* FROM service_facts JOIN service ON id = service_id WHERE listed = 1 AND sort_name IS NULL',
  );
  db.transaction(() => (unindexed.all() as Row[]).forEach((row) => enlist(toService(row), false)))();

  return {
    get: (id) =>
      known.get(id, () => {
        const row = get.get(id) as Row | undefined;
        return row === undefined ? undefined : toService(row);
      }),
    upsert(service, { addedByOwner } = {}) {
      const before = get.get(service.id) as Row | undefined;
      const was = facts.get(service.id) as Row | undefined;
      const row = toRow(service);
      const isSame = before !== undefined && holds(before, row);
      const wasOwners = was?.['added_by_owner'] === 1n;
      if (!isSame) write(service, row, before === undefined);
      const isListed = was?.['listed'] === 1n && (addedByOwner ?? wasOwners) === wasOwners;
      if (!isSame || !isListed) enlist(service, addedByOwner ?? wasOwners);
    },
    remove(id) {
      const was = facts.get(id) as Row | undefined;
      const row = get.get(id) as Row | undefined;
      if (was?.['listed'] !== 1n || row === undefined) return;
      const unpayable = { ...toService(row), payees: [], vouched: false };
      write(unpayable, toRow(unpayable), false);
      unlist.run(was['number']);
      index.erase(integer(was, 'number'));
    },
    search({ limit: wished, source, ...query }) {
      const limit = Math.min(Math.max(Math.trunc(wished), 0), 100);
      const ofSource = source === undefined ? {} : { source };
      if (query.text.trim() !== '') {
        const { numbers, total } = index.find({ ...query, ...ofSource, limit });
        return { results: show(numbers), total };
      }
      const values = { ...ofSource, limit };
      const rows = (source === undefined ? useful : usefulOf).all(values) as Row[];
      const total = (source === undefined ? count : countOf).get(ofSource) as Row;
      return { results: show(rows.map(({ number }) => number)), total: integer(total, 'n') };
    },
    listed(id) {
      const row = listedById.get(id) as Row | undefined;
      return row === undefined ? undefined : toListed(row);
    },
    observed(id, call) {
      const row = facts.get(id) as Row | undefined;
      if (row !== undefined) observe(row, call);
    },
  };
};

type Call = Parameters<Store['services']['observed']>[1];

/** Enters calls, and keeps what they say: it moves an entry a little in lists, and decides nothing. */
const createObserver = (db: Db): ((facts: Row, call: Call) => void) => {
  const enter = db.prepare(
    'INSERT OR REPLACE INTO service_call (number, slot, ok, latency_ms) VALUES (?, ?, ?, ?)',
  );
  const calls = db.prepare('SELECT ok, latency_ms FROM service_call WHERE number = ? ORDER BY latency_ms');
  const update = db.prepare(/* sql */ `
    UPDATE service_facts SET calls = calls + 1, successes = successes + @ok, median_latency_ms = @median,
      last_seen_at = iif(@ok, max(coalesce(last_seen_at, @at), @at), last_seen_at), standing = @standing
    WHERE number = @number`);

  return db.transaction((facts: Row, { at, ok, latencyMs }: Call) => {
    const { number } = facts;
    enter.run(number, integer(facts, 'calls') % lastCalls, ok ? 1 : 0, Math.round(latencyMs));
    const rows = calls.all(number) as Row[];
    const went = rows.filter((row) => row['ok'] === 1n).length;
    const median = middle(rows.map((row) => integer(row, 'latency_ms')));
    // As if one more call had gone well and one had not: few calls say little.
    update.run({ number, at, ok: ok ? 1 : 0, median, standing: (went + 1) / (rows.length + 2) });
  });
};

const middle = (sorted: readonly number[]): number => {
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return Math.round(((low ?? 0) + (high ?? 0)) / 2);
};

type ProtectedRow = ReturnType<typeof toRow>;

const toRow = ({
  payees,
  pricing,
  vouched,
  name,
  description,
  category,
  source,
  endpoint,
  origin,
  price,
}: Service) => ({
  name,
  description,
  category,
  source,
  endpoint,
  origin,
  payees: JSON.stringify(payees),
  pricing: JSON.stringify(pricing),
  price,
  vouched: vouched ? 1n : 0n,
});

const holds = (row: Row, values: ProtectedRow): boolean =>
  Object.entries(values).every(([name, value]) => row[name] === value);

const toService = (row: Row): Service => ({
  id: text(row, 'id'),
  name: text(row, 'name'),
  description: text(row, 'description'),
  category: text(row, 'category'),
  source: text(row, 'source') as Service['source'],
  endpoint: text(row, 'endpoint'),
  origin: text(row, 'origin'),
  payees: json<string[]>(row, 'payees'),
  pricing: json<Record<string, string>>(row, 'pricing'),
  price: textOrNull(row, 'price'),
  vouched: row['vouched'] === 1n,
});

const toListed = (row: Row): ListedService => ({
  ...toService(row),
  addedByOwner: row['added_by_owner'] === 1n,
  reputation: {
    calls: integer(row, 'calls'),
    successes: integer(row, 'successes'),
    medianLatencyMs: integerOrNull(row, 'median_latency_ms'),
    lastSeenAt: integerOrNull(row, 'last_seen_at'),
  },
});
