// The catalog's sources, and what each of them lists. Sources update the entries that came from them, except the
// payees: those stay as first pinned, and different ones are noted beside them.
import type { CatalogSource, ImportCounts, Service, Store } from '../../engine/ports.ts';
import { invariant } from '../../errors.ts';
import type { Db } from '../db.ts';
import { ifAny, mapper, type Columns } from '../row.ts';
import { placeOf } from '../transfers/places.ts';

export const createSources = (db: Db, services: Store['services']): Store['sources'] => {
  const all = db.prepare('SELECT * FROM catalog_source ORDER BY number');
  const one = db.prepare('SELECT * FROM catalog_source WHERE id = ?');
  const insert = db.prepare(/* sql */ `
    INSERT INTO catalog_source (id, url, name, added_at, counts, next_run_at)
    VALUES (@id, @url, @name, @addedAt, @counts, @addedAt)`);
  const write = db.prepare(/* sql */ `
    UPDATE catalog_source SET pass = @pass, offset = @offset, counts = @counts, last_run_at = @lastRunAt,
      next_run_at = @nextRunAt, error = @error WHERE id = @id`);
  const remove = db.prepare('DELETE FROM catalog_source WHERE id = ?');
  const past = createPast(db);
  const listings = createListings(db);

  const worked = (id: string): NumberedSource => {
    const source = numberedIn(one.get(id));
    invariant(source !== undefined, 'a source that is worked on is there');
    return source;
  };

  /** Whether the id or the place belongs to an entry that no import may touch. */
  const isTaken = (entry: Service, known: Service | undefined): boolean => {
    if (known !== undefined) {
      if (past.isOwners(known.id) || !isImported(known)) return true;
      if (known.origin !== entry.origin) return true;
    }
    const place = placeOf(entry);
    const there = place === null ? undefined : services.at(place.origin, place.path);
    return there !== undefined && !isImported(there) && placeOf(there)?.path === place?.path;
  };

  return {
    list: () => all.all().map(toSource),
    get: (id) => sourceIn(one.get(id)),
    add: ({ counts, ...source }) => void insert.run({ ...source, counts: JSON.stringify(counts) }),
    update(id, change) {
      const { pass, offset, counts, lastRunAt, nextRunAt, error } = { ...worked(id), ...change };
      write.run({ id, pass, offset, counts: JSON.stringify(counts), lastRunAt, nextRunAt, error });
    },
    remove: (id) => void remove.run(id),
    enter(id, { entry, updatedAt }) {
      const source = worked(id);
      const before = services.get(entry.id);
      if (isTaken(entry, before)) return 'taken';
      // A list may name a place several times, and a page is read again after a crash: the first one counts.
      if (listings.isMet(source, entry.id)) return 'same';
      const isListed = services.listed(entry.id) !== undefined;
      // A forgotten entry leaves its protected row: a list that names others at each reading must not fill the disk.
      if (before === undefined && past.isFull()) return 'full';
      const wasMarked = before !== undefined && services.listed(entry.id)?.vanishedAt !== undefined;
      // Of several sources that list it, the one that changed it last describes it.
      const isNews = before === undefined || !listings.isDescribed(source, entry.id, updatedAt);
      const next = isNews ? { ...entry, payees: before?.payees ?? entry.payees } : before;
      services.upsert(next, { addedByOwner: false });
      const isMarkedAnew = listings.enter(source, entry, updatedAt, next.payees);
      if (!isListed) return 'added';
      return wasMarked || isMarkedAnew || JSON.stringify(services.get(entry.id)) !== JSON.stringify(before)
        ? 'changed'
        : 'same';
    },
    forget(id, { all: isAll = false, now, limit }) {
      const source = worked(id);
      const gone = listings.toForget(source, isAll, limit);
      let vanished = 0;
      for (const listing of gone) {
        const pinned = services.get(listing.serviceId)?.payees ?? [];
        if (listings.drop(source, listing, pinned, now) === 'vanished') vanished += 1;
      }
      return { forgotten: gone.length, vanished };
    },
    vanishedLongAgo: past.vanishedLongAgo,
  };
};

/** Of entries that ever were in the catalog: some 100 MB. */
const mostEntries = 200_000;

const isImported = ({ source, vouched }: Service): boolean => source === 'x402-marketplace' && !vouched;

/** What the catalog knows of entries that it may not list any more. */
const createPast = (db: Db) => {
  const addedBy = db.prepare('SELECT added_by_owner FROM service_facts WHERE service_id = ?');
  const last = db.prepare('SELECT max(number) AS n FROM service_facts');
  // Paid, also by a payment that is under way.
  const unpaid = db.prepare(/* sql */ `
    SELECT service_id FROM service_facts WHERE listed = 1 AND vanished = 1 AND source = 'x402-marketplace'
      AND added_by_owner = 0 AND calls = 0
      AND NOT EXISTS (SELECT 1 FROM transfer WHERE transfer.service_id = service_facts.service_id AND counted_at IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM transfer WHERE transfer.service_id = service_facts.service_id AND is_open = 1)
      AND NOT EXISTS (SELECT 1 FROM service_rule WHERE service_rule.id = service_facts.service_id)
    ORDER BY vanished_at DESC, number DESC LIMIT -1 OFFSET ?`);

  return {
    /** Also for an entry that the owner removed. */
    isOwners: (id: string): boolean => byOwnerIn(addedBy.get(id)) !== false,
    isFull: (): boolean => countIn(last.get()) >= mostEntries,
    vanishedLongAgo: (keep: number): string[] => unpaid.all(keep).map(toServiceId),
  };
};

/** Which source lists which entry, since when and with which payees; and the marks that follow from it. */
const createListings = (db: Db) => {
  const put = db.prepare(/* sql */ `
    INSERT INTO catalog_listing (source, service, pass, updated_at, payees)
    VALUES (@source, (SELECT number FROM service_facts WHERE service_id = @id), @pass, @updatedAt, @payees)
    ON CONFLICT (source, service) DO UPDATE SET pass = excluded.pass, updated_at = excluded.updated_at,
      payees = excluded.payees`);
  const met = db.prepare(/* sql */ `
    SELECT 1 FROM service_facts JOIN catalog_listing AS listing ON service = number
    WHERE service_id = @id AND listing.source = @source AND pass = @pass`);
  const newer = db.prepare(/* sql */ `
    SELECT 1 FROM service_facts JOIN catalog_listing AS listing ON service = number
    WHERE service_id = @id AND (updated_at > @updatedAt AND listing.source <> @source
      OR updated_at = @updatedAt AND listing.source < @source)`);
  const claims = db.prepare(/* sql */ `
    SELECT payees FROM service_facts JOIN catalog_listing ON service = number WHERE service_id = ?`);
  const marks = db.prepare('SELECT new_payees FROM service_facts WHERE service_id = ?');
  const mark = db.prepare(/* sql */ `
    UPDATE service_facts SET new_payees = @payees, vanished_at = @vanishedAt WHERE service_id = @id`);
  const unmet = db.prepare(/* sql */ `
    SELECT service, service_id FROM catalog_listing JOIN service_facts ON service = number
    WHERE catalog_listing.source = @source AND pass < @pass LIMIT @limit`);
  const drop = db.prepare('DELETE FROM catalog_listing WHERE source = ? AND service = ?');

  return {
    isMet: ({ number, pass }: NumberedSource, id: string): boolean =>
      met.get({ id, source: number, pass }) !== undefined,
    /** Whether another source changed it later or, at the same time, was there first. */
    isDescribed: ({ number }: NumberedSource, id: string, updatedAt: number): boolean =>
      newer.get({ id, source: number, updatedAt }) !== undefined,
    /** Returns whether the note of differing payees has changed. */
    enter(
      { number, pass }: NumberedSource,
      { id, payees }: Service,
      updatedAt: number,
      pinned: readonly string[],
    ): boolean {
      put.run({ source: number, id, pass, updatedAt, payees: JSON.stringify(payees) });
      const change = changeOf(claims.all(id).map(toClaim), pinned);
      const before = toMark(marks.get(id));
      mark.run({ id, payees: change, vanishedAt: null });
      return change !== before;
    },
    toForget: ({ number, pass }: NumberedSource, isAll: boolean, limit: number): Listing[] =>
      unmet.all({ source: number, pass: isAll ? Number.MAX_SAFE_INTEGER : pass, limit }).map(toListing),
    drop(
      { number }: NumberedSource,
      { service, serviceId: id }: Listing,
      pinned: readonly string[],
      now: number,
    ): 'vanished' | 'listed' {
      drop.run(number, service);
      const rest = claims.all(id).map(toClaim);
      if (rest.length > 0) mark.run({ id, payees: changeOf(rest, pinned), vanishedAt: null });
      // The last source's payees are kept: the entry may come back.
      else mark.run({ id, payees: toMark(marks.get(id)), vanishedAt: now });
      return rest.length > 0 ? 'listed' : 'vanished';
    },
  };
};

/** The payees that all sources name together, sorted; null when they are the pinned ones. */
const changeOf = (claims: readonly string[][], pinned: readonly string[]): string | null => {
  const named = inOrder(claims.flat());
  const names = JSON.stringify(named);
  return names === JSON.stringify(inOrder(pinned)) ? null : names;
};

const inOrder = (payees: readonly string[]): string[] => [...new Set(payees)].toSorted();

interface NumberedSource extends CatalogSource {
  number: number;
}

const sourceOf = (row: Columns): CatalogSource => ({
  id: row.text('id'),
  url: row.text('url'),
  name: row.text('name'),
  addedAt: row.integer('added_at'),
  pass: row.integer('pass'),
  offset: row.integerOrNull('offset'),
  counts: row.object<ImportCounts>('counts'),
  lastRunAt: row.integerOrNull('last_run_at'),
  nextRunAt: row.integer('next_run_at'),
  error: row.textOrNull('error'),
});
const toSource = mapper('catalog_source', sourceOf);
const sourceIn = ifAny(toSource);
const numberedIn = ifAny(
  mapper('catalog_source', (row): NumberedSource => ({ ...sourceOf(row), number: row.integer('number') })),
);

/** An entry of a source's list. */
interface Listing {
  /** The service's number, and its id. */
  service: number;
  serviceId: string;
}
const toListing = mapper('catalog_listing', (row): Listing => ({
  service: row.integer('service'),
  serviceId: row.text('service_id'),
}));
const toServiceId = mapper('service_facts', (row) => row.text('service_id'));
const byOwnerIn = ifAny(mapper('service_facts', (row) => row.flag('added_by_owner')));
const countIn = mapper('service_facts', (row) => row.integerOrNull('n') ?? 0);
const toClaim = mapper('catalog_listing', (row) => row.strings('payees'));
const toMark = mapper('service_facts', (row) => row.textOrNull('new_payees'));
