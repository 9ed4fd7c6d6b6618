// Hours of a week in which something is allowed, by the clock of a place. Free of zod, since the renderer reads them too.

/** A span of some days; over midnight when it ends before it begins. */
export interface Hours {
  /** On which it begins: 1 for Monday to 7 for Sunday, in their order, each once. */
  days: readonly number[];
  /** HH:MM; never equal to `to`. */
  from: string;
  to: string;
}

export const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

const dayMinutes = 1_440;
const weekMinutes = 7 * dayMinutes;

/** Minutes since midnight of `08:30`. */
export const minutesOf = (clock: string): number => {
  const [hour = 0, minute = 0] = clock.split(':').map(Number);
  return hour * 60 + minute;
};

/** @param minute since Monday's midnight */
export const allowsMinute = ({ days, from, to }: Hours, minute: number): boolean => {
  const [begin, end] = [minutesOf(from), minutesOf(to)];
  const length = end > begin ? end - begin : end - begin + dayMinutes;
  return days.some((day) => {
    const since = (minute - (day - 1) * dayMinutes - begin + weekMinutes) % weekMinutes;
    return since < length;
  });
};

/** Whether `part` allows no minute of a week that `whole` does not. */
export const isWithinHours = (whole: Hours, part: Hours): boolean => {
  for (let minute = 0; minute < weekMinutes; minute += 1)
    if (allowsMinute(part, minute) && !allowsMinute(whole, minute)) return false;
  return true;
};

/** `Mon-Fri 08:00-19:00`, as the command takes and prints it. */
export const hoursText = ({ days, from, to }: Hours): string => {
  const names = runsOf(days).map(([first, last]) =>
    first === last ? nameOf(first) : `${nameOf(first)}-${nameOf(last)}`,
  );
  return `${names.join(',')} ${from}-${to}`;
};

/** Null when the text is none. Days stand alone, with commas or as a span: `mon`, `mon,wed`, `fri-mon`. */
export const readHours = (text: string): Hours | null => {
  const [, named, from, to] = /^([a-z,-]+) ([0-2]\d:[0-5]\d)-([0-2]\d:[0-5]\d)$/i.exec(text.trim()) ?? [];
  if (named === undefined || from === undefined || to === undefined || from === to) return null;
  if (minutesOf(from) >= dayMinutes || minutesOf(to) >= dayMinutes) return null;
  const days = new Set<number>();
  for (const run of named.split(',')) {
    const [first = 0, last = first] = run.split('-').map(numberOf);
    if (first === 0 || last === 0 || run.split('-').length > 2) return null;
    for (let day = first; ; day = (day % 7) + 1) {
      days.add(day);
      if (day === last) break;
    }
  }
  return { days: [...days].toSorted((a, b) => a - b), from, to };
};

const nameOf = (day: number): string => dayNames[day - 1] ?? '';
const numberOf = (name: string): number =>
  dayNames.findIndex((one) => one.toLowerCase() === name.toLowerCase()) + 1;

/** Days in a row as their first and last. */
const runsOf = (days: readonly number[]): [first: number, last: number][] => {
  const runs: [number, number][] = [];
  for (const day of days) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === day - 1) run[1] = day;
    else runs.push([day, day]);
  }
  return runs;
};
