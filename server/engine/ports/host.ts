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
