// The readings of other programs in the files, against a plain sum of the same entries.
import { describe, expect, it } from 'vitest';
import { createDays } from '../../../server/books/days.ts';
import { bookFormats } from '../../../server/contract/books/book-formats.ts';
import { useFolders } from '../../harness/folders.ts';
import { tries } from '../../harness/tries.ts';
import { bookOf, fileOf, readCsv, sumsOf, treasurySum, unitsOf, wholeDays } from './files.ts';
import { fileIn, isMissing, judgedBy, judges, readOfx } from './judges.ts';
import { pastOf } from './past.ts';

const newFolder = useFolders();

/** Clocks that are set back, that leap over a midnight, and that are 45 minutes off. */
const pasts = [
  {
    zone: 'Europe/Berlin',
    start: Date.parse('2026-10-20T08:00:00Z'),
    entries: tries(2_500, 10_000),
    seed: 1,
  },
  { zone: 'America/Sao_Paulo', start: Date.parse('2018-10-30T02:00:00Z'), entries: 2_500, seed: 2 },
  { zone: 'Asia/Kathmandu', start: Date.parse('2027-02-27T18:00:00Z'), entries: 1_500, seed: 3 },
].map((options) => {
  const entries = pastOf(options);
  return {
    ...options,
    entries,
    book: bookOf({ zone: options.zone, span: wholeDays(options.zone, entries) }),
  };
});

const [, small] = pasts;
if (small === undefined) throw new Error('no past');

const micros = (text: string): bigint => unitsOf(text, 6);
const sumOf = (amounts: (string | undefined)[]): bigint =>
  amounts.reduce((sum, amount = '') => sum + micros(amount), 0n);

/** Rounded down. */
const cents = (micro: bigint): bigint => (micro - (((micro % 10_000n) + 10_000n) % 10_000n)) / 10_000n;
const own = (sums: ReturnType<typeof sumsOf>) =>
  Object.fromEntries(Object.entries(sums).filter(([account]) => account.startsWith('Assets:')));

describe.each(judges)('$format', ({ tool, format, check, balances, ids }) => {
  const title = (text: string): string => judgedBy(text, tool);
  const save = (text: string): string => fileIn(newFolder(), `books.${bookFormats[format].extension}`, text);

  it.skipIf(isMissing(tool)).each(pasts)(
    title('holds each account to the unit in $zone'),
    ({ book, entries }) => {
      const text = fileOf(format, book, entries);
      const file = save(text);
      check(file);
      expect(balances(file)).toEqual(sumsOf(entries));
      expect(ids(file).filter((id) => id !== 'balances')).toEqual(entries.map(({ id }) => id));
      expect(text.split('\n\n')).toHaveLength(entries.length + 1);
    },
  );

  it.skipIf(isMissing(tool))(title('of an amount that is off by one unit is refused'), () => {
    const entries = small.entries.slice(0, 400);
    const text = fileOf(format, small.book, entries);
    const { amount = '' } =
      /^ +Assets:Treasury:Scout {2}(?<amount>-?\d+\.\d{6}) USDC$/m.exec(text)?.groups ?? {};
    const positive = amount.replace('-', '');
    const wrong = positive.slice(0, -1) + String((Number(positive.at(-1)) + 1) % 10);
    expect(text.split(` ${positive} USDC`).length, 'the amount is on one line').toBeLessThan(4);
    const planted = text.replaceAll(
      new RegExp(`([ -])${positive.replace('.', '\\.')} USDC`, 'g'),
      `$1${wrong} USDC`,
    );
    expect(planted).not.toBe(text);
    check(save(text));
    expect(() => check(save(planted))).toThrow();
    // The comparison with the plain sum finds it by itself.
    const unasserted = planted.replaceAll(/^.* balance .*\n|^.*\(balances\).*\n(?:.* = .*\n)+/gm, '');
    check(save(unasserted));
    expect(balances(save(unasserted))).not.toEqual(sumsOf(entries));
  });

  it.skipIf(isMissing(tool))(
    title('of a part begins with the balances before it, and ends with the same ones'),
    () => {
      const dayAt = createDays(small.zone);
      const { from } = dayAt(small.entries[1500]?.at ?? 0);
      const book = bookOf({ zone: small.zone, span: { from, to: small.book.span.to } });
      const file = save(fileOf(format, book, small.entries));
      check(file);
      expect(own(balances(file))).toEqual(own(sumsOf(small.entries)));
      const part = small.entries.filter(({ at }) => at >= from).map(({ id }) => id);
      expect(ids(file).filter((id) => id !== 'balances' && id !== 'opening' && id !== '')).toEqual(part);
    },
  );

  it.skipIf(isMissing(tool))(title('that goes on where another ended makes one file with it'), () => {
    const middle = createDays(small.zone)(small.entries[1500]?.at ?? 0).from;
    const { from, to } = small.book.span;
    const one = bookOf({ zone: small.zone, span: { from, to: middle } });
    const two = bookOf({ zone: small.zone, span: { from: middle, to }, continues: true });
    const file = save(fileOf(format, one, small.entries) + fileOf(format, two, small.entries));
    check(file);
    expect(balances(file)).toEqual(sumsOf(small.entries));
  });

  it('says the balances of every account that a final day has changed, and of no other day', () => {
    const { zone, book, entries } = small;
    const days = [...new Set(entries.map(({ at }) => book.dayAt(at).name))];
    const dayAt = createDays(zone);
    const finalUntil = dayAt(entries[1500]?.at ?? 0).from;
    const text = fileOf(format, bookOf({ zone, span: book.span, finalUntil }), entries);
    const told = new Set(
      [...text.matchAll(/^(\S+) (?:\* \(balances\)|balance Assets:Treasury:)/gm)].map(([, day]) => day),
    );
    const finalDays = days.filter((day) =>
      entries.some(({ at }) => dayAt(at).name === day && dayAt(at).to <= finalUntil),
    );
    // Beancount dates it to the next day, which is a day of the past too.
    expect([...told]).toEqual(format === 'beancount' ? days.slice(1, finalDays.length + 1) : finalDays);
  });
});

describe.each(pasts)('a bank statement in $zone', ({ book, entries, zone }) => {
  const exact = treasurySum(entries);

  it('of QuickBooks is within a cent of the chain', () => {
    const rows = readCsv(fileOf('quickbooks', book, entries)).slice(1);
    expect(sumOf(rows.map(([, , amount]) => amount))).toBe(cents(exact) * 10_000n);
    for (const row of rows) expect(row).toHaveLength(3);
    for (const [, , amount] of rows) expect(amount).toMatch(/^-?\d+\.\d\d$/);
  });

  it('of Xero is within a cent of the chain', () => {
    const rows = readCsv(fileOf('xero', book, entries)).slice(1);
    expect(sumOf(rows.map(([, amount]) => amount))).toBe(cents(exact) * 10_000n);
    expect(new Set(rows.map(([, , , , reference]) => reference)).size).toBe(rows.length);
  });

  it.skipIf(isMissing('ofxdump'))(
    judgedBy('of OFX is the chain without the carry that it states', 'ofxdump'),
    () => {
      const text = fileOf('ofx', book, entries);
      const { balance, lines } = readOfx(fileIn(newFolder(), 'books.ofx', text));
      const carry = /after this statement, the chain has (\S+) USDC/.exec(text)?.[1] ?? '';
      expect(sumOf(lines.map(({ amount }) => amount)) + micros(carry)).toBe(exact);
      expect(micros(balance) + micros(carry)).toBe(exact);
      expect(micros(carry)).toBeLessThan(10_000n);
      expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
      for (const { amount, type } of lines) expect(type.startsWith('DEBIT')).toBe(amount.startsWith('-'));
      expect(lines.map(({ amount, id }) => [amount, id])).toEqual(
        readCsv(fileOf('xero', book, entries))
          .slice(1)
          .map(([, amount, , , reference]) => [amount, reference]),
      );
    },
  );

  it('has a line for each day, kind and counterparty that moves a cent, and the carry depends on no path', () => {
    const rows = readCsv(fileOf('xero', book, entries)).slice(1);
    const dayAt = createDays(zone);
    let sum = 0n;
    for (const day of new Set(entries.map(({ at }) => dayAt(at).name))) {
      sum += treasurySum(entries.filter(({ at }) => dayAt(at).name === day));
      const upToNow = rows.filter(([date = '']) => date <= day).map(([, amount]) => amount);
      expect(sumOf(upToNow)).toBe(cents(sum) * 10_000n);
    }
    const keys = rows.map(
      ([date, , payee, description = '']) => `${date} ${payee} ${description.split(',')[0]}`,
    );
    expect(new Set(keys).size).toBe(rows.length);
  });
});

describe.each(pasts)('a file for tax returns in $zone', ({ book, entries }) => {
  const files = [
    { format: 'koinly', sent: 1, received: 3, fee: 5, asset: 1 },
    { format: 'coinledger', sent: 3, received: 5, fee: 7, asset: -1 },
    { format: 'cointracker', sent: 3, received: 1, fee: 5, asset: 1 },
    { format: 'cointracking', sent: 3, received: 1, fee: 5, asset: 1 },
  ] as const;
  it.each(files)(
    'of $format holds the treasury’s sum to the unit',
    ({ format, sent, received, fee, asset }) => {
      const rows = readCsv(fileOf(format, book, entries));
      const width = rows[0]?.length;
      let sum = 0n;
      let fees = 0n;
      for (const row of rows.slice(1)) {
        expect(row).toHaveLength(width ?? 0);
        for (const [column, sign] of [
          [sent, -1n],
          [received, 1n],
          [fee, -1n],
        ] as const) {
          if (row[column + asset] === 'USDC') sum += sign * micros(row[column] ?? '');
          if (row[column + asset] === 'SOL') fees += sign * unitsOf(row[column] ?? '', 9);
        }
      }
      expect(sum).toBe(treasurySum(entries));
      expect(fees).toBe(sumsOf(entries)['Assets:Treasury:Unallocated SOL']);
    },
  );
});
