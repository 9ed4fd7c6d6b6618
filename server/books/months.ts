// The months of the books: their spans, and how each of them stands.
import type { Reply } from '../contract/schemas.ts';
import { iso, isoOrNull } from '../engine/calls/views.ts';
import type { BookMonth } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import { zoneOf, type BooksContext } from './context.ts';
import { createDays, monthIn } from '../lib/local-days.ts';
import { monthWaitsFor } from './final.ts';

type View = Reply<'closeMonth'>;
export interface MonthSpan extends Pick<BookMonth, 'month' | 'zone' | 'from' | 'to'> {
  /** As it was closed; null: it was not. */
  closed: BookMonth | null;
}

/** From the month of the first entry to the running one, oldest first. */
export const monthsOf = (context: BooksContext): MonthSpan[] => {
  const { store, time } = context;
  const zone = zoneOf(context);
  const closed = new Map(store.books.months().map((month) => [month.month, month]));
  const nameAt = (at: number): string => createDays(zone)(at).name.slice(0, 7);
  const first = store.books.firstAt() ?? time.now();
  const names = namesBetween([nameAt(first), ...closed.keys()].toSorted()[0] ?? '', nameAt(time.now()));
  return names.map((month) => {
    const known = closed.get(month);
    if (known !== undefined) return { ...known, closed: known };
    // A closed month keeps its zone: where the zone changed since, the next one begins where it ended.
    const { from, to } = monthIn(zone, month);
    return {
      month,
      zone,
      from: closed.get(shifted(month, -1))?.to ?? from,
      to: closed.get(shifted(month, 1))?.from ?? to,
      closed: null,
    };
  });
};

/** @throws AppError `not_found` for a month without entries or one that is yet to come */
export const monthNamed = (context: BooksContext, name: string): MonthSpan => {
  const found = monthsOf(context).find(({ month }) => month === name);
  if (found !== undefined) return found;
  throw new AppError('not_found', `There is no month ${name} in the books.`);
};

/** @param month YYYY-MM @param by months, also below 0 */
export const shifted = (month: string, by: number): string => {
  const [year = 1970, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
};

const namesBetween = (first: string, last: string): string[] => {
  const names: string[] = [];
  for (let name = first; name <= last; name = shifted(name, 1)) names.push(name);
  return names;
};

export const monthView = (context: BooksContext, { month, zone, from, to, closed }: MonthSpan): View => {
  const hasEnded = to <= context.time.now();
  return {
    month,
    zone,
    from: iso(from),
    to: iso(to),
    state: closed === null ? (hasEnded ? 'open' : 'running') : stateOf(closed),
    waiting: closed === null && hasEnded ? monthWaitsFor(context, to) : [],
    closedAt: isoOrNull(closed?.closedAt ?? null),
    entries: closed?.entries ?? null,
    root: closed?.root ?? null,
    differences: [...(closed?.differences ?? [])],
    changedAt: isoOrNull(closed?.changedAt ?? null),
  };
};

const stateOf = ({ changedAt, differences }: BookMonth): View['state'] => {
  if (changedAt !== null) return 'changed';
  return differences.length > 0 ? 'differs' : 'closed';
};
