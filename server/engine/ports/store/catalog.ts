// Services and their sources in the store.
import type { CatalogSource, ListedService, Service, ServiceRule } from '../../domain/service.ts';

/** `used`: by the payments of the last 90 days; `price`: the lowest first, those without a fixed one last. */
export type ServiceOrder = 'best' | 'used' | 'price' | 'name';

export interface ServiceQuery {
  text: string;
  source?: Service['source'];
  category?: string;
  /** Without one, as `best`. */
  order?: { by: ServiceOrder; now: number };
  limit: number;
  /** Passes over this many of the first; of a search for words, only the first 500 can be reached. */
  skip?: number;
}

/** An item of a source's list, as an entry of the catalog. */
export interface ListedItem {
  entry: Service;
  /** When the source last changed it, in Unix milliseconds; 0 when it does not say. */
  updatedAt: number;
}

export interface ServiceStore {
  get(id: string): Service | undefined;
  /** Lists it. `addedByOwner` keeps its value unless it is given. */
  upsert(service: Service, options?: { addedByOwner?: boolean }): void;
  /** Delists it and clears its payees, so that nobody pays it. */
  remove(id: string): void;
  /** Takes an entry off the catalog. Its pinned payees stay for the case that it comes back. */
  forget(id: string): void;
  /** Best match first; tolerates typing errors and partial words. Empty text: the most useful first. */
  search(query: ServiceQuery): { results: ListedService[]; total: number };
  listed(id: string): ListedService | undefined;
  /** With the most services first. */
  categories(): { category: string; services: number }[];
  /**
   * The listed entry that covers a URL: same origin, and its path is a prefix of the URL's in whole segments. An
   * entry that is vouched for wins over one that is not; after that, the longest path.
   */
  at(origin: string, pathname: string): Service | undefined;
  /** Records the outcome of a call to it. */
  observed(id: string, call: { at: number; ok: boolean; latencyMs: number }): void;
  /** Pins these payees, as the owner was shown them. */
  pin(id: string, payees: readonly string[]): void;
}

export interface BlockedPayment {
  serviceId: string;
  payee: string;
  /** Of a purchase, else null. */
  url: string | null;
}

export interface ServiceRuleStore {
  get(id: string): ServiceRule;
  /** Also of a service that the catalog does not have. A block is for the service's payees of that moment, too. */
  set(id: string, change: Partial<ServiceRule>): ServiceRule;
  /** The blocked service that this payment would pay, under its own name or another; null: none. */
  blocking(payment: BlockedPayment): string | null;
}

export interface SourceStore {
  list(): CatalogSource[];
  get(id: string): CatalogSource | undefined;
  add(source: Pick<CatalogSource, 'id' | 'url' | 'name' | 'addedAt' | 'counts'>): void;
  update(
    id: string,
    change: Partial<Pick<CatalogSource, 'pass' | 'offset' | 'counts' | 'lastRunAt' | 'nextRunAt' | 'error'>>,
  ): void;
  /** Only when it lists nothing. */
  remove(id: string): void;
  /**
   * Imports an item of the source's list in the current pass. An existing entry keeps its pinned payees. `taken`: the
   * owner or the product has an entry of that id or URL, or removed it. `full`: it is new, and the catalog has had too many.
   */
  enter(id: string, item: ListedItem): 'added' | 'changed' | 'same' | 'taken' | 'full';
  /**
   * Forgets up to `limit` items of the source: those that its last pass did not meet, or `all`. Entries that no
   * source lists any more are marked. Returns how many were forgotten, and how many of them are marked.
   */
  forget(
    id: string,
    options: { all?: boolean; now: number; limit: number },
  ): { forgotten: number; vanished: number };
  /**
   * Entries that no source lists any more, that were never paid, and that the owner has no rule for, but for the `keep`
   * that vanished last. It reads all that vanished: ask once in a pass.
   */
  vanishedLongAgo(keep: number): string[];
}
