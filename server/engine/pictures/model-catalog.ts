// Further domain types: the services of the catalog, and pictures that agents ask for.
import type { Usdc } from '../../money.ts';

export interface Service {
  id: string;
  name: string;
  description: string;
  category: string;
  source: 'svc-native' | 'model-registry' | 'x402-marketplace';
  endpoint: string;
  origin: string;
  /** Pinned payees; `/pay` pays the first. */
  payees: readonly string[];
  pricing: Readonly<Record<string, string>>;
  price: string | null;
  /** The owner confirmed it or it ships with the product: only then do we pay the rent of its token account. */
  vouched: boolean;
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

export type Resolution = '1k' | '2k' | '4k';
export type TaskState = 'queued' | 'generating' | 'success' | 'failed';

/** A picture that an agent asked for. Its charge is a transfer, and so is its refund. */
export interface Task {
  seq: number;
  id: string;
  agentId: string;
  modelId: string;
  modelName: string;
  prompt: string;
  resolution: Resolution;
  cost: Usdc;
  chargeId: string;
  state: TaskState;
  createdAt: number;
  /** When its provider was asked. */
  startedAt: number | null;
  endedAt: number | null;
  image: StoredImage | null;
  failure: { code: string; message: string } | null;
  /** `owed` from the failure on, `paid` once the refund is final, `void` when none is due. */
  refund: 'owed' | 'paid' | 'void' | null;
  /** The transfer of the latest attempt to refund. */
  refundId: string | null;
}
export type NewTask = Pick<
  Task,
  'id' | 'agentId' | 'modelId' | 'modelName' | 'prompt' | 'resolution' | 'cost' | 'chargeId' | 'createdAt'
>;

/** A picture on disk, as the decoder read it. */
export interface StoredImage {
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
  width: number;
  height: number;
  bytes: number;
  /** In hexadecimal digits. */
  sha256: string;
}

/** The owner's changes to an image model. */
export interface ModelChange {
  enabled: boolean | null;
  pricing: Readonly<Partial<Record<Resolution, string>>>;
}
