// The domain's other half: what can be bought, and pictures that agents asked for.
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

/** What we know of a service from dealing with it; nothing of it decides what may be paid. */
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
  /** Since when no source lists it any more. */
  vanishedAt?: number;
  /** Whom the sources name now, where that is not whom the entry pins: it needs the owner's word. */
  newPayees?: readonly string[];
  reputation: Reputation;
}

/** A facilitator whose list of paid APIs is imported. */
export interface CatalogSource {
  id: string;
  /** Without a slash at its end. */
  url: string;
  name: string;
  addedAt: number;
  /** Counts the passes over its list. */
  pass: number;
  /** Where the pass that goes on stands in the list; null when none does. */
  offset: number | null;
  counts: ImportCounts;
  lastRunAt: number | null;
  nextRunAt: number;
  /** Why the last pass did not come to its end. */
  error: string | null;
}

/** What a pass over a source has met. */
export interface ImportCounts {
  startedAt: number;
  /** Items of the list that were read. */
  done: number;
  /** As many as the source says it has. */
  total: number | null;
  added: number;
  changed: number;
  vanished: number;
  /** Cannot be read, or stand where the owner or the product has an entry. */
  skipped: number;
  /** Nothing in them can be paid on this network. */
  notPayable: number;
  /** Passes in a row that came to no end. */
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
  /** `owed` from the failure on, `paid` once the refund is final, `void` when the charge never was. */
  refund: 'owed' | 'paid' | 'void' | null;
  /** The transfer that pays it back, or tried to last. */
  refundId: string | null;
}
export type NewTask = Pick<
  Task,
  'id' | 'agentId' | 'modelId' | 'modelName' | 'prompt' | 'resolution' | 'cost' | 'chargeId' | 'createdAt'
>;

/** A picture on disk, as it was decoded. */
export interface StoredImage {
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
  width: number;
  height: number;
  bytes: number;
  /** In hexadecimal digits. */
  sha256: string;
}

/** What the owner changed of a model. */
export interface ModelChange {
  enabled: boolean | null;
  pricing: Readonly<Partial<Record<Resolution, string>>>;
}
