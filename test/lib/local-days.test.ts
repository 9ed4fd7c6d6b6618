// Days of time zones: whole, in order, without a gap or an overlap, also where clocks change.
import { describe, expect, it } from 'vitest';
import { isTimeZone, localDays } from '../../server/lib/local-days.ts';

const hourMs = 3_600_000;
const hours = (zone: string, day: string, now: string): number => {
  const found = localDays(zone, 10, Date.parse(now)).find((one) => one.day === day);
  return found === undefined ? 0 : (found.to - found.from) / hourMs;
};

describe('the days of a zone', () => {
  it.each([
    ['UTC', '2026-03-02T23:59:59.999Z', '2026-03-02', '2026-03-02T00:00:00.000Z'],
    ['America/Los_Angeles', '2026-03-02T07:59:59.999Z', '2026-03-01', '2026-03-01T08:00:00.000Z'],
    ['America/Los_Angeles', '2026-03-02T08:00:00.000Z', '2026-03-02', '2026-03-02T08:00:00.000Z'],
    ['Asia/Kathmandu', '2026-03-01T18:15:00.000Z', '2026-03-02', '2026-03-01T18:15:00.000Z'],
    ['Pacific/Kiritimati', '2026-12-31T10:00:00.000Z', '2027-01-01', '2026-12-31T10:00:00.000Z'],
  ])('end today: %s at %s', (zone, now, day, from) => {
    const last = localDays(zone, 3, Date.parse(now)).at(-1);
    expect([last?.day, new Date(last?.from ?? 0).toISOString()]).toEqual([day, from]);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29', '2026-04-01T12:00:00Z', 23],
    ['Europe/Berlin', '2026-10-25', '2026-10-27T12:00:00Z', 25],
    ['Australia/Lord_Howe', '2026-10-04', '2026-10-06T12:00:00Z', 23.5],
    // Its clocks leap over midnight.
    ['Africa/Cairo', '2026-04-24', '2026-04-27T12:00:00Z', 23],
    ['Europe/Berlin', '2026-03-28', '2026-04-01T12:00:00Z', 24],
  ])('have as many hours as its clocks show: %s on %s', (zone, day, now, wanted) => {
    expect(hours(zone, day, now)).toBe(wanted);
  });

  it.each(['Europe/Berlin', 'Africa/Cairo', 'America/Santiago', 'Asia/Beirut', 'Pacific/Apia'])(
    'follow each other without a gap in a whole year: %s',
    (zone) => {
      const days = localDays(zone, 400, Date.parse('2026-12-31T12:00:00Z'));
      for (const [index, { from, to, day }] of days.entries()) {
        expect(to).toBeGreaterThan(from);
        const next = days[index + 1];
        if (next === undefined) continue;
        expect(next.from).toBe(to);
        expect(next.day > day).toBe(true);
      }
      expect(new Set(days.map(({ day }) => day)).size).toBe(400);
    },
  );

  it('are known by the names of zones alone', () => {
    expect(['UTC', 'Europe/Lisbon', 'Mars/Base', '', '../etc'].map(isTimeZone)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
