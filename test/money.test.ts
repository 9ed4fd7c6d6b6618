// Money at its borders: decimal strings in, integers inside, decimal strings out.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addUsdc, formatSol, formatUsdc, lamports, parseSol, parseUsdc, usdc } from '../server/money.ts';

const mostUnits = 999_999_999_999_999n;
const units = fc.bigInt(0n, mostUnits);

describe('USDC', () => {
  it.each([
    ['0', 0n],
    ['0.0', 0n],
    ['1', 1_000_000n],
    ['1.5', 1_500_000n],
    ['1.50', 1_500_000n],
    ['0.000001', 1n],
    ['1.005', 1_005_000n],
    ['0.100000', 100_000n],
    ['999999999.999999', mostUnits],
  ])('%s is %s units', (text, wanted) => {
    expect(parseUsdc(text)).toBe(wanted);
  });

  it.each([
    '',
    '.',
    '1.',
    '.5',
    '01',
    '00',
    '-1',
    '+1',
    ' 1',
    '1 ',
    '1\n',
    '1e3',
    '0x1',
    '1,5',
    '1.0000001',
    '1000000000',
    '١',
    '１',
    'NaN',
  ])('is not %j', (text) => {
    expect(parseUsdc(text)).toBeNull();
  });

  it.each([
    [0n, '0.00'],
    [1n, '0.000001'],
    [10n, '0.00001'],
    [1_500_000n, '1.50'],
    [1_000_000n, '1.00'],
    [1_050_000n, '1.05'],
    [1_005_000n, '1.005'],
    [123_456_789n, '123.456789'],
    [mostUnits, '999999999.999999'],
    [-1_500_000n, '-1.50'],
    [-1n, '-0.000001'],
  ])('of %s units is printed as %s', (amount, wanted) => {
    expect(formatUsdc(usdc(amount))).toBe(wanted);
  });

  it('is the same after being printed and read again, for every possible amount', () => {
    fc.assert(
      fc.property(units, (amount) => parseUsdc(formatUsdc(usdc(amount))) === amount),
      { numRuns: 100_000 },
    );
  });

  it('is printed with at least two fractional digits and no further trailing zero', () => {
    fc.assert(
      fc.property(units, (amount) => /^\d+\.(\d{2}|\d{2,5}[1-9])$/.test(formatUsdc(usdc(amount)))),
      { numRuns: 20_000 },
    );
  });

  it('keeps its order and its sums, unlike a floating-point number', () => {
    fc.assert(
      fc.property(units, units, (a, b) => {
        return addUsdc(usdc(a), usdc(b)) === a + b;
      }),
    );
    expect(0.1 + 0.2).not.toBe(0.3);
    expect(formatUsdc(addUsdc(parseUsdc('0.1') ?? usdc(0n), parseUsdc('0.2') ?? usdc(0n)))).toBe('0.30');
  });

  it('is the same number in every spelling', () => {
    fc.assert(
      fc.property(units, fc.nat(4), (amount, zeros) => {
        const [whole = '', fraction = ''] = formatUsdc(usdc(amount)).split('.');
        return parseUsdc(`${whole}.${`${fraction}${'0'.repeat(zeros)}`.slice(0, 6)}`) === amount;
      }),
    );
  });
});

describe('SOL', () => {
  it('has nine fractional digits and otherwise the rules of USDC', () => {
    expect(parseSol('0.000000001')).toBe(1n);
    expect(parseSol('0.0000000001')).toBeNull();
    expect(parseSol('999999999.999999999')).toBe(999_999_999_999_999_999n);
    expect(parseSol('1000000000')).toBeNull();
    expect(formatSol(lamports(1_500_000_000n))).toBe('1.50');
    fc.assert(
      fc.property(
        fc.bigInt(0n, 999_999_999_999_999_999n),
        (amount) => parseSol(formatSol(lamports(amount))) === amount,
      ),
      { numRuns: 20_000 },
    );
  });
});
