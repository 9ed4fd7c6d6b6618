// Points in time in words: in a zone that is named, otherwise in this machine's.
type Format = (iso: string, zone?: string) => string;

/** A format, made once for each zone. */
const formatted = (options: Intl.DateTimeFormatOptions): Format => {
  const made = new Map<string, Intl.DateTimeFormat>();
  return (iso, zone = timeZone()) => {
    const format = made.get(zone) ?? new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone });
    made.set(zone, format);
    return format.format(new Date(iso));
  };
};

const hours = { hour: 'numeric', minute: '2-digit' } as const;
const date = { day: 'numeric', month: 'short' } as const;
const shortDay = formatted(date);
const shortClock = formatted(hours);

export const dayOf = formatted({ ...date, year: 'numeric' });
const monthAndYear = formatted({ month: 'long', year: 'numeric' });
/** @param day YYYY-MM-DD, of whichever zone */
export const dayNamed = (day: string): string => dayOf(`${day}T12:00:00Z`, 'UTC');
/** @param month YYYY-MM */
export const monthNamed = (month: string): string => monthAndYear(`${month}-15T12:00:00Z`, 'UTC');
/** `Thursday, November 26, 2026`. */
export const wholeDayOf = formatted({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
export const clockOf = formatted({ ...hours, second: '2-digit' });
export const momentOf: Format = (iso, zone) => `${dayOf(iso, zone)}, ${clockOf(iso, zone)}`;

/** `Nov 22 at 4:55 PM`. */
export const dayAndTimeOf = (iso: string): string => `${shortDay(iso)} at ${shortClock(iso)}`;

/** Only the time of day for today, otherwise with its date. */
export const whenOf = (iso: string, now = new Date(), zone?: string): string => {
  const isToday = dayOf(iso, zone) === dayOf(now.toISOString(), zone);
  return isToday ? shortClock(iso, zone) : `${shortDay(iso, zone)}, ${shortClock(iso, zone)}`;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const soonMs = 12 * hourMs;

/** `just now`, `5 min ago`, `3 h ago`; further back, the time of day or the date. `now` may be a little late. */
export const agoOf = (iso: string, now: number, zone?: string): string => {
  const past = now - Date.parse(iso);
  if (past >= soonMs) return whenOf(iso, new Date(now), zone);
  if (past < minuteMs) return 'just now';
  if (past < hourMs) return `${Math.floor(past / minuteMs)} min ago`;
  return `${Math.floor(past / hourMs)} h ago`;
};

export const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The start of the last days, today included, as ISO 8601. */
export const sinceDays = (days: number, now = new Date()): string =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - days + 1).toISOString();
