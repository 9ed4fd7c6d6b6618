// The freeze in the store, and in a file beside it.
import type { Freeze } from '../../domain/policy.ts';

export interface FreezeStore {
  get(): Freeze | null;
  set(freeze: Freeze | null): void;
}

/** Keeps a stop in a file beside the database, for when the database takes no commit. */
export interface StopMarker {
  /** The stop in force, including one that could not be written or cannot be read. Null when there is none. */
  get(): Freeze | null;
  /** Takes effect in this process at once. When it returns, the stop is on disk. @throws the disk's error */
  set(stop: Freeze): void;
  /** @throws the disk's error; the stop then stays in force */
  clear(): void;
}
