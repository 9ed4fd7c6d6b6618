// The periods of a file. Days are those of the owner's time zone.
import { nameOfMonth, type Month } from './month-words.ts';

export const periodKinds = ['month', 'year', 'all', 'days'] as const;
export type PeriodKind = (typeof periodKinds)[number];

export interface Period {
  from?: string;
  to?: string;
}

export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

/** The chosen month has a zone of its own, so it is given by its moments. Both ends of a period belong to it. */
export const periodOf = (kind: PeriodKind, { from, to, month }: Month, days: Period): Period => {
  if (kind === 'month') return { from, to: new Date(Date.parse(to) - 1).toISOString() };
  if (kind === 'all') return {};
  const year = month.slice(0, 4);
  return kind === 'year' ? { from: `${year}-01-01`, to: `${year}-12-31` } : days;
};

export const periodWords = ({ month }: Month): Record<PeriodKind, string> => ({
  month: nameOfMonth(month),
  year: `All of ${month.slice(0, 4)}`,
  all: 'Everything',
  days: 'Chosen days',
});

/** Null: the two days make a period. */
export const daysFault = ({ from = '', to = '' }: Period): string | null => {
  if (!isDay(from) || !isDay(to)) return 'Choose both days.';
  return from <= to ? null : 'The first day must not be after the last.';
};
