import { describe, expect, it } from 'vitest';
import { changeOf, compared } from '../../renderer/screens/books/changes.ts';
import { dayIn, shifted } from '../../renderer/screens/books/month-words.ts';
import { daysFault, periodOf } from '../../renderer/screens/books/periods.ts';

const timezoneId = 'Pacific/Kiritimati';
const row = (id: string, amount: string) => ({ id, name: id, amount, entries: 1 });

describe('the months', () => {
  it('follow each other over the end of a year, and have days of their zone', () => {
    expect([shifted('2026-01', -1), shifted('2026-12', 1)]).toEqual(['2025-12', '2027-01']);
    const at = Date.parse('2026-11-30T23:30:00Z');
    expect([dayIn('UTC', at), dayIn(timezoneId, at)]).toEqual(['2026-11-30', '2026-12-01']);
  });

  it('list what was only in the month before, too, and tell changes in whole percent', () => {
    expect(compared([row('a', '2.00')], [row('a', '1.00'), row('b', '3.00')])).toEqual([
      { ...row('a', '2.00'), before: '1.00' },
      { ...row('b', '0.00'), entries: 0, before: '3.00' },
    ]);
    expect(changeOf('1.50', '1.00')).toEqual({ way: 'more', by: '0.50', percent: 50 });
    expect(changeOf('0.00', '4.00')).toEqual({ way: 'less', by: '4.00', percent: 100 });
    expect(changeOf('-3.00', '-1.00')).toMatchObject({ way: 'less', by: '2.00' });
    expect(changeOf('1.00', '0.00').percent).toBeNull();
  });

  it('give a file its period: their own moments, a year, everything, or two days in order', () => {
    const span = { from: '2026-11-01T05:00:00.000Z', to: '2026-12-01T05:00:00.000Z' };
    const some = { ...span, month: '2026-11' } as Parameters<typeof periodOf>[1];
    expect(periodOf('month', some, {})).toEqual({ from: span.from, to: '2026-12-01T04:59:59.999Z' });
    expect(periodOf('year', some, {})).toEqual({ from: '2026-01-01', to: '2026-12-31' });
    expect(periodOf('all', some, {})).toEqual({});
    expect(daysFault({ from: '2026-11-02', to: '2026-11-01' })).toContain('must not be after');
    expect(daysFault({ from: '', to: '2026-11-01' })).toBe('Choose both days.');
    expect(daysFault({ from: '2026-11-01', to: '2026-11-01' })).toBeNull();
  });
});
