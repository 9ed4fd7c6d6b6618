// The services of the catalog, and the sources that list them.

export const serviceSources = ['svc-native', 'model-registry', 'x402-marketplace'] as const;

export interface Service {
  id: string;
  name: string;
  description: string;
  category: string;
  source: (typeof serviceSources)[number];
  endpoint: string;
  origin: string;
  /** Pinned payees; `/pay` pays the first. */
  payees: readonly string[];
  pricing: Readonly<Record<string, string>>;
  price: string | null;
  /** The owner confirmed it or it ships with the product: only then do we pay the rent of its token account. */
  vouched: boolean;
}

/** The owner's word on a service, for all agents; null: there is none. */
export interface ServiceRule {
  /** Since when no agent can pay it. */
  blockedAt: number | null;
  /** Since when its seller is trusted, as if the owner had added the service. */
  trustedAt: number | null;
}

/** Our own experience with a service; it never decides what may be paid. */
export interface Reputation {
  calls: number;
  successes: number;
  /** Over the last calls. */
  medianLatencyMs: number | null;
  lastSeenAt: number | null;
}

/** An entry of the catalog as lists show it. */
export interface ListedService extends Service {
  addedByOwner: boolean;
  /** When the last source stopped listing it. */
  vanishedAt?: number;
  /** The payees that the sources name now, if they differ from the pinned ones: these need the owner's approval. */
  newPayees?: readonly string[];
  reputation: Reputation;
}

/** A facilitator whose list of paid APIs is imported. */
export interface CatalogSource {
  id: string;
  /** Without a trailing slash. */
  url: string;
  name: string;
  addedAt: number;
  /** Counts the passes over its list. */
  pass: number;
  /** The current pass's offset in the list; null when no pass is running. */
  offset: number | null;
  counts: ImportCounts;
  lastRunAt: number | null;
  nextRunAt: number;
  /** Why the last pass did not finish. */
  error: string | null;
}

/** The counts of one pass over a source. */
export interface ImportCounts {
  startedAt: number;
  /** Items of the list that were read. */
  done: number;
  /** The number of items that the source claims to have. */
  total: number | null;
  added: number;
  changed: number;
  vanished: number;
  /** Items that cannot be read, or that collide with an entry of the owner or the product. */
  skipped: number;
  /** Items without anything that can be paid on this network. */
  notPayable: number;
  /** Consecutive passes that did not finish. */
  failures: number;
}
