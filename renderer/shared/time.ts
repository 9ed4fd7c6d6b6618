// Points in time in words, in this machine's time zone.
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const shortClock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

export const dayOf = (iso: string): string => day.format(new Date(iso));
export const clockOf = (iso: string): string => clock.format(new Date(iso));
export const momentOf = (iso: string): string => `${dayOf(iso)}, ${clockOf(iso)}`;

/** `Nov 22 at 4:55 PM`. */
export const dayAndTimeOf = (iso: string): string =>
  `${shortDay.format(new Date(iso))} at ${shortClock.format(new Date(iso))}`;

/** Only the time of day for today, otherwise with its date. */
export const whenOf = (iso: string, now = new Date()): string => {
  const then = new Date(iso);
  const isToday = then.toDateString() === now.toDateString();
  return isToday ? shortClock.format(then) : `${shortDay.format(then)}, ${shortClock.format(then)}`;
};
