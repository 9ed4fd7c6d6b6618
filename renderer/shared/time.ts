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

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const soonMs = 12 * hourMs;

/** `just now`, `5 min ago`, `3 h ago`; further back, the time of day or the date. `now` may be a little late. */
export const agoOf = (iso: string, now: number): string => {
  const past = now - Date.parse(iso);
  if (past >= soonMs) return whenOf(iso, new Date(now));
  if (past < minuteMs) return 'just now';
  if (past < hourMs) return `${Math.floor(past / minuteMs)} min ago`;
  return `${Math.floor(past / hourMs)} h ago`;
};

/** `2026-11-03`, in this machine's time zone. */
export const localDay = (time: Date): string =>
  [
    time.getFullYear(),
    String(time.getMonth() + 1).padStart(2, '0'),
    String(time.getDate()).padStart(2, '0'),
  ].join('-');

export const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The start of the day that many days ago, as ISO 8601. */
export const daysAgo = (days: number, now = new Date()): string =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).toISOString();

/** The first or the last millisecond of a day of this machine's time zone, as ISO 8601; the day is YYYY-MM-DD. */
export const startOfDay = (text: string): string => new Date(`${text}T00:00:00`).toISOString();
export const endOfDay = (text: string): string => new Date(`${text}T23:59:59.999`).toISOString();
