// The ports to the machine below: its disk and its clocks.

/** The disk that holds the records. */
export interface Disk {
  freeBytes(): number;
}

/** In milliseconds; only `wall` counts from 1970. */
export interface Clock {
  wall(): number;
  monotonic(): number;
}

/** When agents and API keys were last heard of, by their ids. */
export interface LastSeen {
  /** Unix milliseconds; null: never, as far as is known. */
  of(id: string): number | null;
  /** Returns whether one of them was not heard of within the last minute. */
  note(ids: readonly string[], at: number): boolean;
}
