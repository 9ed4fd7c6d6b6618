// The calendar and the clock of the owner's time zone.
import { allowsMinute, minutesOf, type Hours } from '../../contract/limits/hours.ts';
import { clockOf, createMonths, weekdayOf, type MonthIn } from '../../lib/local-days.ts';

export interface Calendar {
  /** The calendar month of a moment in Unix milliseconds. */
  monthAt(now: number): MonthIn;
  /** The owner's next midnight, in Unix milliseconds. */
  midnightAfter(now: number): number;
  /** When the hours next begin, in Unix milliseconds; null when the moment is within them. */
  opensAt(hours: Hours, now: number): number | null;
}

const dayMs = 86_400_000;

/** @param zone its IANA name now */
export const createCalendar = (zone: () => string): Calendar => {
  const months = createMonths();
  let known: { zone: string; clock: ReturnType<typeof clockOf> } | null = null;
  const clockNow = () => {
    const name = zone();
    if (known?.zone !== name) known = { zone: name, clock: clockOf(name) };
    return known.clock;
  };
  return {
    monthAt: (now) => months(zone(), now),
    midnightAfter(now) {
      const clock = clockNow();
      const { day } = clock.placeAt(now);
      return clock.instantOf(day + dayMs, 0);
    },
    opensAt(hours, now) {
      const clock = clockNow();
      const isOpen = (time: number): boolean => {
        const { weekday, minute } = clock.placeAt(time);
        return allowsMinute(hours, (weekday - 1) * 1_440 + minute);
      };
      if (isOpen(now)) return null;
      const { day } = clock.placeAt(now);
      // Two weeks: hours of one day a week may all lie in the hour that the clock skips on the next such day.
      const begins = Array.from({ length: 16 }, (_, later) => day + later * dayMs)
        .filter((one) => hours.days.includes(weekdayOf(one)))
        .map((one) => clock.instantOf(one, minutesOf(hours.from)));
      return begins.find((time) => time > now && isOpen(time)) ?? now;
    },
  };
};
