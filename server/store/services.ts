// The catalog: each service an origin with pinned payees and a price.
import type { Service, Store } from '../engine/ports.ts';
import type { Db } from './database.ts';
import type { Journal, Row } from './journal.ts';
import { json, text, textOrNull } from './rows.ts';

export const createServices = (db: Db, journal: Journal): Store['services'] => {
  const known = journal.cache<Service | undefined>('service');
  const get = db.prepare('SELECT * FROM service WHERE id = ?');
  const all = db.prepare('SELECT * FROM service ORDER BY name');
  const upsert = db.prepare(/* sql */ `
    INSERT INTO service (id, name, description, category, source, endpoint, origin, payees, pricing, price, vouched,
      journal_seq)
    VALUES (@id, @name, @description, @category, @source, @endpoint, @origin, @payees, @pricing, @price, @vouched,
      @journalSeq)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, description = excluded.description,
      category = excluded.category, source = excluded.source, endpoint = excluded.endpoint, origin = excluded.origin,
      payees = excluded.payees, pricing = excluded.pricing, price = excluded.price, vouched = excluded.vouched,
      journal_seq = excluded.journal_seq
    RETURNING *`);

  return {
    get: (id) =>
      known.get(id, () => {
        const row = get.get(id) as Row | undefined;
        return row === undefined ? undefined : toService(row);
      }),
    upsert(service) {
      const created = get.get(service.id) === undefined;
      const row = upsert.get({
        ...service,
        payees: JSON.stringify(service.payees),
        pricing: JSON.stringify(service.pricing),
        vouched: service.vouched ? 1 : 0,
        journalSeq: journal.next(),
      }) as Row;
      journal.enter('service', row, created);
    },
    search(query, limit) {
      const words = query
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== '');
      const scored = (all.all() as Row[])
        .map(toService)
        .map((service) => ({ service, score: score(service, words) }))
        .filter(({ score: points }) => points > 0 || words.length === 0)
        .toSorted((a, b) => b.score - a.score);
      return { results: scored.slice(0, limit).map(({ service }) => service), total: scored.length };
    },
  };
};

/** How many of the words are found, those in the name first. */
const score = (service: Service, words: readonly string[]): number => {
  const name = `${service.id} ${service.name}`.toLowerCase();
  const rest = `${service.description} ${service.category}`.toLowerCase();
  return words.reduce((sum, word) => sum + (name.includes(word) ? 3 : rest.includes(word) ? 1 : 0), 0);
};

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
