// Days of a time zone as spans of time. They have 23, 24 or 25 hours where clocks change.

const dayMs = 86_400_000;

export const isTimeZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

export interface LocalDay {
  /** YYYY-MM-DD. */
  day: string;
  /** Unix milliseconds: the first of the day, and the first after it. */
  from: number;
  to: number;
}

/** The last `count` days of the zone, today included, oldest first. */
export const localDays = (zone: string, count: number, now: number): LocalDay[] => {
  const clock = clockOf(zone);
  const today = midnightUtc(clock.dayAt(now));
  const starts = Array.from({ length: count + 1 }, (_, index) =>
    clock.startOf(today + (index - count + 1) * dayMs),
  );
  return starts.slice(0, count).map((from, index) => ({
    day: clock.dayAt(from),
    from,
    to: starts[index + 1] ?? from + dayMs,
  }));
};

export interface MonthIn {
  /** Unix milliseconds: the first of the month, and the first after it. */
  from: number;
  to: number;
}

/** The zone's calendar month, for many moments: it reads the zone's clock once a month. */
export const createMonths = (): ((zone: string, now: number) => MonthIn) => {
  let known: (MonthIn & { zone: string }) | null = null;
  return (zone, now) => {
    if (known === null || known.zone !== zone || now < known.from || now >= known.to)
      known = { zone, ...monthOf(zone, now) };
    return known;
  };
};

const monthOf = (zone: string, now: number): MonthIn => {
  const clock = clockOf(zone);
  return monthBy(clock, clock.dayAt(now));
};

/** @param month YYYY-MM */
export const monthIn = (zone: string, month: string): MonthIn => monthBy(clockOf(zone), month);

/** @param name of the month, or of one of its days */
const monthBy = (clock: ReturnType<typeof clockOf>, name: string): MonthIn => {
  const [year = 1970, month = 1] = name.split('-').map(Number);
  return {
    from: clock.startOf(Date.UTC(year, month - 1, 1)),
    to: clock.startOf(Date.UTC(year, month, 1)),
  };
};

/** 1 for Monday to 7 for Sunday. @param day its midnight in UTC */
export const weekdayOf = (day: number): number => ((new Date(day).getUTCDay() + 6) % 7) + 1;

export const midnightUtc = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** The clock of a zone. It is costly to make and cheap to read. */
export const clockOf = (zone: string) => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  /** The zone's date and time, read as if they were UTC. */
  const readAt = (time: number): number => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
    const { year, month, day, hour, minute, second } = parts;
    return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  };
  const dayAt = (time: number): string => new Date(readAt(time)).toISOString().slice(0, 10);
  const offsetAt = (time: number): number => readAt(time) - time;
  return {
    dayAt,
    /** The day as its midnight in UTC, its number from 1 for Monday to 7 for Sunday, and the minute of the day. */
    placeAt(time: number): { day: number; weekday: number; minute: number } {
      const read = readAt(time);
      const day = Math.floor(read / dayMs) * dayMs;
      return { day, weekday: weekdayOf(day), minute: Math.floor((read - day) / 60_000) };
    },
    /** The first moment at which the clock shows this minute of the day, or a later one where it leaps over it. */
    instantOf(day: number, minute: number): number {
      const wanted = day + minute * 60_000;
      const near = [wanted - dayMs, wanted + dayMs].map((time) => wanted - offsetAt(time));
      let [low, high] = [Math.min(...near), Math.max(...near)];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if (readAt(middle) >= wanted) high = middle;
        else low = middle + 1;
      }
      return low;
    },
    /** A day whose midnight the clocks leap over begins with its first hour that exists. */
    startOf(midnight: number): number {
      const day = new Date(midnight).toISOString().slice(0, 10);
      const candidates = [midnight - dayMs, midnight + dayMs].map((near) => midnight - offsetAt(near));
      const fit = candidates.filter((time) => dayAt(time) === day);
      return fit.length === 0 ? midnight : Math.min(...fit);
    },
  };
};

export interface Day {
  /** YYYY-MM-DD. */
  name: string;
  /** Unix milliseconds: the first of the day, and the first after it. */
  from: number;
  to: number;
}

/** For moments that come in order: the zone's clock is read once for each day. */
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
const startOfDay = (zone: string, name: string): number => clockOf(zone).startOf(midnightUtc(name));

const isDay = (text: string): boolean => !text.includes('T');

/** The first moment of an ISO time, or of a day of the zone, in Unix milliseconds. */
export const momentIn = (zone: string, text: string): number =>
  isDay(text) ? startOfDay(zone, text) : Date.parse(text);

/** The first moment after it. */
export const endIn = (zone: string, text: string): number =>
  isDay(text) ? createDays(zone)(startOfDay(zone, text)).to : Date.parse(text) + 1;
