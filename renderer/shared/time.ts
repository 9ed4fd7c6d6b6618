// Points in time as a person says them, in this machine's zone.
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const shortClock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

export const dayOf = (iso: string): string => day.format(new Date(iso));
export const clockOf = (iso: string): string => clock.format(new Date(iso));
export const momentOf = (iso: string): string => `${dayOf(iso)}, ${clockOf(iso)}`;

/** The clock for today, otherwise the day with it. */
export const whenOf = (iso: string, now = new Date()): string => {
  const then = new Date(iso);
  const isToday = then.toDateString() === now.toDateString();
  return isToday ? shortClock.format(then) : `${shortDay.format(then)}, ${shortClock.format(then)}`;
};
