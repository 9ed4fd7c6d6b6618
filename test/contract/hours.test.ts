// Hours of a week: which minutes they allow, and how they are written.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowsMinute, hoursText, isWithinHours, readHours } from '../../server/contract/limits/hours.ts';
import { anyHours } from '../harness/any-hours.ts';

const week = Array.from({ length: 10_080 }, (_, minute) => minute);

describe('hours', () => {
  it.each([
    ['mon-fri 08:00-19:00', 'Mon-Fri 08:00-19:00', 5 * 660],
    ['sat,SUN 00:00-12:30', 'Sat-Sun 00:00-12:30', 2 * 750],
    ['fri-mon 22:00-06:00', 'Mon,Fri-Sun 22:00-06:00', 4 * 480],
    ['wed 23:59-00:00', 'Wed 23:59-00:00', 1],
    ['mon-sun 12:00-11:59', 'Mon-Sun 12:00-11:59', 7 * 1_439],
  ])('%s are read, written and counted', (text, written, minutes) => {
    const hours = readHours(text);
    if (hours === null) throw new Error('they are not read');
    expect([hoursText(hours), week.filter((minute) => allowsMinute(hours, minute)).length]).toEqual([
      written,
      minutes,
    ]);
  });

  it.each([
    '',
    'mon',
    '08:00-19:00',
    'mon 8:00-19:00',
    'mon 08:00-08:00',
    'mon 08:00-24:00',
    'mo 08:00-09:00',
    'mon-fri-sun 08:00-09:00',
    'mon 29:00-09:00',
  ])('are not %j', (text) => {
    expect(readHours(text)).toBeNull();
  });

  it('over midnight belong to the day on which they begin', () => {
    const hours = { days: [7], from: '22:00', to: '02:00' };
    const sunday = 6 * 1_440;
    const at = [sunday + 1_319, sunday + 1_320, sunday + 1_439, 0, 119, 120, sunday];
    expect(at.map((minute) => allowsMinute(hours, minute))).toEqual([
      false,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('are within others exactly when each of their minutes is', () => {
    fc.assert(
      fc.property(anyHours, anyHours, (whole, part) => {
        const inside = week.every((minute) => !allowsMinute(part, minute) || allowsMinute(whole, minute));
        expect(isWithinHours(whole, part)).toBe(inside);
        expect([isWithinHours(part, part), readHours(hoursText(part))]).toEqual([true, part]);
      }),
    );
  });
});
