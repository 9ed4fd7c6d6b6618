// Months and days of the books, as `2026-11` and `2026-11-03`, and the states of a month in words.
import type { Reply } from '../../../server/contract/schemas.ts';

export type Month = Reply<'closeMonth'>;

const monthName = (style: 'long' | 'short') => (month: string) =>
  new Date(month).toLocaleDateString(undefined, { month: style, year: 'numeric', timeZone: 'UTC' });

/** `November 2026`. */
export const nameOfMonth = monthName('long');

/** `Nov 2026`. */
export const shortMonth = monthName('short');

/** The day of a moment by the clock of a zone: `2026-11-03`. */
export const dayIn = (zone: string, at: number): string =>
  new Date(at).toLocaleDateString('sv-SE', { timeZone: zone });

export type MonthState = Month['state'] | 'waiting';

export const stateOf = ({ state, waiting }: Month): MonthState =>
  state === 'open' && waiting.length > 0 ? 'waiting' : state;

/** After the name of the month in a list. */
export const stateWords: Record<MonthState, string> = {
  running: 'In progress',
  open: 'Can be closed',
  waiting: 'Waiting',
  closed: 'Closed',
  differs: 'Does not match',
  changed: 'Changed since it was closed',
};
