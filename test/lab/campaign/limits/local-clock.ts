// The clock of a place, as the reference reads it: by the international calendar alone.

export interface LocalTime {
  /** `2026-03`: months compare as texts. */
  month: string;
  /** 1 for Monday to 7 for Sunday. */
  weekday: number;
  /** Since midnight. */
  minute: number;
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const formats = new Map<string, Intl.DateTimeFormat>();
const known = new Map<string, LocalTime>();
const mostKnown = 100_000;

const formatOf = (zone: string): Intl.DateTimeFormat => {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
  formats.set(zone, format);
  return format;
};

/** @param at Unix milliseconds */
export const localAt = (zone: string, at: number): LocalTime => {
  const name = `${zone} ${at}`;
  const found = known.get(name);
  if (found !== undefined) return found;
  const parts = formatOf(zone).formatToParts(at);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  const read = {
    month: `${part('year')}-${part('month')}`,
    weekday: weekdays.indexOf(part('weekday')) + 1,
    minute: Number(part('hour')) * 60 + Number(part('minute')),
  };
  if (known.size >= mostKnown) known.clear();
  known.set(name, read);
  return read;
};
