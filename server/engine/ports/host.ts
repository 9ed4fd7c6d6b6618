// The ports to the machine below: its disk and its clocks.

/** The disk that holds the records. */
export interface Disk {
  freeBytes(): number;
}

/** A machine's clocks as they are read, in milliseconds that may have fractions; only `wall` counts from 1970. */
export interface MachineClock {
  wall(): number;
  monotonic(): number;
}

/** Whole milliseconds, the only ones that the records take; `wholeClock` alone makes them. */
export type Milliseconds = number & { readonly unit: 'whole milliseconds' };

/** Clocks in whole milliseconds: no fraction of a reading gets past it. */
export interface Clock {
  wall(): Milliseconds;
  monotonic(): Milliseconds;
}

/** When agents and API keys were last seen, by their ids. */
export interface LastSeen {
  /** Unix milliseconds; null: never, as far as is known. */
  of(id: string): number | null;
  /** Returns whether one of them was not seen within the last minute. */
  note(ids: readonly string[], at: number): boolean;
}
