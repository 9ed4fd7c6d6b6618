// How steadily an agent pays. Work comes in bursts, or ends with the day; a job that was forgotten goes on.
import type { Part, Rhythm } from '../domain/watch.ts';
import { countIn, partOf, raise, spans } from './pace.ts';

/** Half of the ten parts of an hour. */
const steadyParts = 5;
const hoursKept = spans.twelveHours / spans.hour;

export const newRhythm = (): Rhythm => ({ part: 0, hours: [], fourHours: [], twelveHours: [], least: [] });

/** The last twelve hours, with a payment of this moment. Hours still to come are of a clock that was set back. */
export const hoursWith = ({ part, hours }: Rhythm, now: number, amount: number): Part[] => {
  const from = Math.floor(now / spans.hour) * spans.hour;
  const added = part === partOf(now, spans.hour) ? 0 : 1;
  const kept = hours.filter(([start]) => start > now - spans.twelveHours && start <= from);
  const last = kept.at(-1);
  return last?.[0] === from
    ? [...kept.slice(0, -1), [from, last[1] + added, last[2] + amount]]
    : [...kept, [from, added, amount]];
};

/** The least that was spent in one of twelve steady hours in a row; 0 where one was not steady. */
export const leastIn = (hours: readonly Part[]): number =>
  hours.length < hoursKept || hours.some(([, count]) => count < steadyParts)
    ? 0
    : Math.min(...hours.map(([, , amount]) => amount));

/** A payment was reserved. */
export const noteRhythm = (rhythm: Rhythm, now: number, amount: number): void => {
  rhythm.hours = hoursWith(rhythm, now, amount);
  rhythm.part = partOf(now, spans.hour);
  for (const span of ['fourHours', 'twelveHours'] as const)
    raise(rhythm[span], now, countIn(rhythm.hours, spans[span], now));
  raise(rhythm.least, now, leastIn(rhythm.hours));
};
