// The days of a time zone for moments that come in order: the zone's clock is read once for each day.
import { clockOf, midnightUtc } from '../lib/local-days.ts';

export interface Day {
  /** YYYY-MM-DD. */
  name: string;
  /** Unix milliseconds: the first of the day, and the first after it. */
  from: number;
  to: number;
}

const dayMs = 86_400_000;

export const createDays = (zone: string): ((at: number) => Day) => {
  const clock = clockOf(zone);
  let known: Day | null = null;
  return (at) => {
    if (known === null || at < known.from || at >= known.to) {
      const name = clock.dayAt(at);
      const midnight = midnightUtc(name);
      known = { name, from: clock.startOf(midnight), to: clock.startOf(midnight + dayMs) };
    }
    return known;
  };
};

/**
 * The start of a day of the zone, in Unix milliseconds.
 * @param name YYYY-MM-DD
 */
export const startOfDay = (zone: string, name: string): number => clockOf(zone).startOf(midnightUtc(name));

const isDay = (text: string): boolean => !text.includes('T');

/** The first moment of an ISO time, or of a day of the zone, in Unix milliseconds. */
export const momentIn = (zone: string, text: string): number =>
  isDay(text) ? startOfDay(zone, text) : Date.parse(text);

/** The first moment after it. */
export const endIn = (zone: string, text: string): number =>
  isDay(text) ? createDays(zone)(startOfDay(zone, text)).to : Date.parse(text) + 1;
