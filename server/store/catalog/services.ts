// The catalog. A protected row holds a service's origin, pinned payees and price. Beside it, outside the journal, are
// its facts: whether it is listed, who added it, and how its last calls went.
import type { ListedService, Service, ServiceQuery, Store } from '../../engine/ports.ts';
import { invariant } from '../../errors.ts';
import type { Db } from '../db.ts';
import type { Journal, Row } from '../records/journal.ts';
import { placeOf, placesOf } from '../transfers/places.ts';
import { mapper } from '../row.ts';
import { createObserver } from './service-calls.ts';
import { createSearchIndex, rankedAtMost, type SearchIndex } from './search.ts';
import { createServiceFinder, usualOrder, type ServiceFinder } from './service-order.ts';
import { sortName } from './search-words.ts';
import {
  factsIn,
  holds,
  listedIn,
  serviceIn,
  toFacts,
  toListed,
  toRow,
  toService,
  type ProtectedRow,
} from './service-rows.ts';

interface Catalog {
  sql: ReturnType<typeof statementsOf>;
  journal: Journal;
  index: SearchIndex;
  found: ServiceFinder;
}

export const createServices = (db: Db, journal: Journal): Store['services'] => {
  const sql = statementsOf(db);
  const known = journal.cache<Service | undefined>('service');
  const catalog: Catalog = { sql, journal, index: createSearchIndex(db), found: createServiceFinder(db) };
  const observe = createObserver(db);
  db.transaction(enlistOld)(catalog);

  return {
    get: (id) => known.get(id, () => serviceIn(sql.get.get(id))),
    upsert: (service, { addedByOwner } = {}) => upsert(catalog, service, addedByOwner),
    remove: (id) => remove(catalog, id),
    forget: (id) => forget(catalog, id),
    search: (query) => search(catalog, query),
    listed: (id) => listedIn(sql.listedById.get(id)),
    categories: () => catalog.found.categories(),
    at(origin, pathname) {
      // Most places are not in the catalog, and payments wait for this.
      if (sql.anyAt.get(origin) === undefined) return undefined;
      const paths = placesOf(pathname);
      const rows = sql.placed.all({ origin, paths: JSON.stringify(paths) });
      return nearestOf(rows.map(toService), origin, paths);
    },
    pin(id, payees) {
      const service = serviceIn(sql.get.get(id));
      invariant(service !== undefined, 'payees are pinned for an entry');
      write(catalog, service, toRow({ ...service, payees }), false);
      sql.agree.run(id);
    },
    observed(id, call) {
      const facts = factsIn(sql.facts.get(id));
      if (facts !== undefined) observe(facts, call);
    },
  };
};

/** Entries from before the index existed. */
const enlistOld = (catalog: Catalog): void => {
  const { sql } = catalog;
  for (const service of sql.unindexed.all().map(toService)) enlist(catalog, service, false);
  for (const service of sql.unplaced.all().map(toService))
    sql.place.run({ id: service.id, ...placeValues(service) });
};

// Read again, since RETURNING would make the search index write itself out with every entry.
const write = ({ sql, journal }: Catalog, { id }: Service, row: ProtectedRow, created: boolean): void => {
  sql.put.run({ ...row, id, journalSeq: journal.next() });
  journal.enter('service', sql.get.get(id), created);
};

const enlist = ({ sql, index }: Catalog, service: Service, addedByOwner: boolean): void => {
  const { id, source, name } = service;
  sql.list.run({
    id,
    source,
    addedByOwner: addedByOwner ? 1 : 0,
    sortName: sortName(name),
    ...placeValues(service),
  });
  index.write(toFacts(sql.facts.get(id)).number, service);
};

const upsert = (catalog: Catalog, service: Service, addedByOwner: boolean | undefined): void => {
  const { sql } = catalog;
  const before = sql.get.get(service.id) as Row | undefined;
  const was = factsIn(sql.facts.get(service.id));
  const row = toRow(service);
  const isSame = before !== undefined && holds(before, row);
  const wasOwners = was?.addedByOwner === true;
  if (!isSame) write(catalog, service, row, before === undefined);
  const isListed = was?.isListed === true && (addedByOwner ?? wasOwners) === wasOwners;
  if (!isSame || !isListed) enlist(catalog, service, addedByOwner ?? wasOwners);
};

const remove = (catalog: Catalog, id: string): void => {
  const { sql, index } = catalog;
  const was = factsIn(sql.facts.get(id));
  const service = serviceIn(sql.get.get(id));
  if (was?.isListed !== true || service === undefined) return;
  const unpayable = { ...service, payees: [], vouched: false };
  write(catalog, unpayable, toRow(unpayable), false);
  sql.unlist.run(was.number);
  index.erase(was.number);
};

/** The protected row stays, and with it the payees that were pinned first. */
const forget = ({ sql, index }: Catalog, id: string): void => {
  const was = factsIn(sql.facts.get(id));
  if (was?.isListed !== true) return;
  sql.unlist.run(was.number);
  index.erase(was.number);
};

const search = (
  { sql, index, found }: Catalog,
  { limit: wished, skip = 0, text, ...rest }: ServiceQuery,
): { results: ListedService[]; total: number } => {
  const show = (numbers: readonly number[]): ListedService[] =>
    numbers.map((number) => toListed(sql.listedByNumber.get(number)));
  const limit = Math.min(Math.max(Math.trunc(wished), 0), 100);
  const filter = { source: rest.source, category: rest.category, order: rest.order ?? usualOrder };
  const isPlain = filter.category === undefined && filter.order.by === 'best';
  const ofSource = filter.source === undefined ? {} : { source: filter.source };
  if (text.trim() !== '') {
    const most = isPlain ? Math.min(skip + limit, rankedAtMost) : rankedAtMost;
    const { numbers, total } = index.find({ text, ...ofSource, limit: most });
    if (isPlain) return { results: show(numbers.slice(skip)), total };
    const fit = found.among(numbers, filter);
    return { results: show(fit.slice(skip, skip + limit)), total: fit.length };
  }
  if (!isPlain) {
    const { numbers, total } = found.all(filter, { limit, skip });
    return { results: show(numbers), total };
  }
  const values = { ...ofSource, limit, skip };
  const rows = (filter.source === undefined ? sql.useful : sql.usefulOf).all(values);
  const total = (filter.source === undefined ? sql.count : sql.countOf).get(ofSource);
  return { results: show(rows.map(toNumber)), total: toCount(total) };
};

const statementsOf = (db: Db) => {
  const listed = `SELECT service.*, added_by_owner, calls, successes, median_latency_ms, last_seen_at, vanished_at,
      new_payees
    FROM service_facts JOIN service ON service.id = service_id WHERE listed = 1`;
  const best =
    'ORDER BY vanished, preferred DESC, standing DESC, sort_name, service_id LIMIT @limit OFFSET @skip';
  return {
    get: db.prepare('SELECT * FROM service WHERE id = ?'),
    facts: db.prepare('SELECT * FROM service_facts WHERE service_id = ?'),
    put: db.prepare(/* sql */ `
    INSERT INTO service (id, name, description, category, source, endpoint, origin, payees, pricing, price, vouched,
      journal_seq)
    VALUES (@id, @name, @description, @category, @source, @endpoint, @origin, @payees, @pricing, @price, @vouched,
      @journalSeq)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, description = excluded.description,
      category = excluded.category, source = excluded.source, endpoint = excluded.endpoint, origin = excluded.origin,
      payees = excluded.payees, pricing = excluded.pricing, price = excluded.price, vouched = excluded.vouched,
      journal_seq = excluded.journal_seq`),
    list: db.prepare(/* sql */ `
    INSERT INTO service_facts (service_id, source, listed, added_by_owner, sort_name, origin, path)
    VALUES (@id, @source, 1, @addedByOwner, @sortName, @origin, @path)
    ON CONFLICT (service_id) DO UPDATE SET source = excluded.source, listed = 1,
      added_by_owner = excluded.added_by_owner, sort_name = excluded.sort_name, origin = excluded.origin,
      path = excluded.path`),
    place: db.prepare('UPDATE service_facts SET origin = @origin, path = @path WHERE service_id = @id'),
    placed: db.prepare(/* sql */ `
    SELECT service.* FROM json_each(@paths) AS place CROSS JOIN service_facts INDEXED BY service_place
      ON service_facts.origin = @origin AND service_facts.path = place.value AND listed = 1
    JOIN service ON service.id = service_id`),
    anyAt: db.prepare('SELECT 1 FROM service_facts WHERE origin = ? AND listed = 1 LIMIT 1'),
    agree: db.prepare('UPDATE service_facts SET new_payees = NULL WHERE service_id = ?'),
    unlist: db.prepare('UPDATE service_facts SET listed = 0 WHERE number = ?'),
    listedById: db.prepare(`${listed} AND service_id = ?`),
    listedByNumber: db.prepare(`${listed} AND number = ?`),
    useful: db.prepare(`SELECT number FROM service_facts WHERE listed = 1 ${best}`),
    usefulOf: db.prepare(`SELECT number FROM service_facts WHERE listed = 1 AND source = @source ${best}`),
    count: db.prepare('SELECT count(*) AS n FROM service_facts WHERE listed = 1'),
    countOf: db.prepare('SELECT count(*) AS n FROM service_facts WHERE listed = 1 AND source = @source'),
    unindexed: db.prepare(
      'SELECT service.* FROM service_facts JOIN service ON id = service_id WHERE listed = 1 AND sort_name IS NULL',
    ),
    unplaced: db.prepare(
      'SELECT service.* FROM service_facts JOIN service ON id = service_id WHERE path IS NULL',
    ),
  };
};

/** The index is compared with the protected rows: it may hide an entry, but not move one. */
const nearestOf = (
  services: readonly Service[],
  origin: string,
  paths: readonly string[],
): Service | undefined => {
  const found = services.flatMap((service) => {
    const at = placeOf(service);
    const depth = at === null || at.origin !== origin ? -1 : paths.indexOf(at.path);
    return depth < 0 ? [] : [{ service, depth }];
  });
  const nearest = found.toSorted(
    (a, b) =>
      Number(b.service.vouched) - Number(a.service.vouched) ||
      a.depth - b.depth ||
      (a.service.id < b.service.id ? -1 : 1),
  );
  return nearest[0]?.service;
};

const placeValues = (service: Service): { origin: string | null; path: string } => {
  const place = placeOf(service);
  return { origin: place?.origin ?? null, path: place?.path ?? '' };
};

const toNumber = mapper('service_facts', (row) => row.integer('number'));
const toCount = mapper('service_facts', (row) => row.integer('n'));
