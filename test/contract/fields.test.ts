// The fields of the contract by themselves: amounts, text that an agent writes, and hours of a week: which minutes they allow,
// and how they are written.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from '../../server/contract/field-errors.ts';
import { allowsMinute, hoursText, isWithinHours, readHours } from '../../server/contract/limits/hours.ts';
import { exchanges } from '../../server/contract/schemas.ts';
import { anyHours } from '../harness/engine/any-hours.ts';

/** Character by character, without a pattern. */
const reference = (text: string): bigint | null => {
  let units = 0n;
  let whole = 0;
  let fraction = -1;
  for (const character of text) {
    const digit = '0123456789'.indexOf(character);
    if (character === '.' && fraction < 0 && whole > 0) fraction = 0;
    else if (digit < 0) return null;
    else {
      units = units * 10n + BigInt(digit);
      if (fraction < 0) whole += 1;
      else fraction += 1;
    }
  }
  const leadingZero = whole > 1 && text.startsWith('0');
  if (whole === 0 || whole > 9 || leadingZero || fraction === 0 || fraction > 6) return null;
  units *= 10n ** BigInt(6 - Math.max(fraction, 0));
  return units > 0n ? units : null;
};

describe('an amount', () => {
  const schema = exchanges.allocate.body;
  const read = (amount: unknown): bigint | null => {
    const result = schema.safeParse({ amount, currency: 'USDC' });
    return result.success ? result.data.amount : null;
  };

  const near = fc
    .tuple(fc.integer({ min: 0, max: 1_999_999_999 }), fc.integer({ min: -1, max: 8 }), fc.nat(9_999_999))
    .map(([whole, places, rest]) =>
      places < 0 ? `${whole}` : `${whole}.${String(rest).padStart(8, '0').slice(0, places)}`,
    );
  const odd = fc.string({
    unit: fc.constantFrom(
      ...'0123456789',
      '.',
      '.',
      '-',
      '+',
      'e',
      'E',
      'x',
      ' ',
      '\n',
      ',',
      '_',
      '０',
      '٣',
      '१',
      '\u0000',
    ),
    maxLength: 14,
  });

  it('is read as an independent reader reads it: 100,000 strings', () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.oneof(near, odd, fc.string({ unit: 'binary' })), (text) => {
        const units = read(text);
        if (units !== null) accepted += 1;
        return units === reference(text);
      }),
      { numRuns: 100_000 },
    );
    expect(accepted).toBeGreaterThan(10_000);
  });

  it('is always a string', () => {
    const value = fc
      .anything({ withBigInt: true, withBoxedValues: true, withDate: true })
      .filter((one) => typeof one !== 'string');
    fc.assert(
      fc.property(value, (amount) => read(amount) === null),
      { numRuns: 10_000 },
    );
  });
});

describe('text from an agent', () => {
  const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/u;
  const hostile = fc.string({
    unit: fc.constantFrom(
      '\u202e',
      '\u2066',
      '\u200f',
      '\u0000',
      '\u001b',
      '\r',
      '\n',
      '\u2028',
      '\ud800',
      '\u{e0041}',
      '\ufeff',
      '<b>',
      '&',
      'a',
      ' ',
      '😀',
    ),
    maxLength: 300,
  });

  it('is shown without control and bidirectional characters and never longer than it may be', () => {
    const { body } = exchanges.pay;
    fc.assert(
      fc.property(hostile, (description) => {
        const result = body.safeParse({ service: 'x', amount: '1', currency: 'USDC', description });
        return (
          !result.success || (!hidden.test(result.data.description) && result.data.description.length <= 280)
        );
      }),
      { numRuns: 5_000 },
    );
    fc.assert(
      fc.property(hostile, (displayName) => {
        const result = exchanges.rename.body.safeParse({ displayName });
        return (
          !result.success || (!hidden.test(result.data.displayName) && result.data.displayName.length <= 80)
        );
      }),
      { numRuns: 5_000 },
    );
  });

  it('in a list of services is refused when it hides something', () => {
    fc.assert(
      fc.property(hostile, (service) => {
        const result = exchanges.setPolicy.body.safeParse({ allowedServices: [service] });
        return result.success === (service.length > 0 && service.length <= 200 && !hidden.test(service));
      }),
      { numRuns: 5_000 },
    );
  });
});

it.each([
  ['pay', { service: 'x', amount: '1' }, 'currency: is required and must be "USDC"'],
  ['generate', { prompt: 'x', resolution: '1k' }, 'modelId: is required and must be a service id'],
] as const)('a field that is left out of %s is told as required', (route, body, told) => {
  expect(() => parse(exchanges[route].body, body)).toThrow(told);
});

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
