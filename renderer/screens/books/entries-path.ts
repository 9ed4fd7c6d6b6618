// The path of Activity with the payments behind a row of a month.
import { dayIn, type Month } from './month-words.ts';

export const entriesPath = (
  { zone, from, to }: Month,
  filter: { agent: string } | { service: string },
): string => {
  const days = { from: dayIn(zone, Date.parse(from)), to: dayIn(zone, Date.parse(to) - 1) };
  return `/activity?${new URLSearchParams({ ...filter, ...days, kind: 'payment' }).toString()}`;
};
