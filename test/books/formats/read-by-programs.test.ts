// The readings of other programs in the files, against a plain sum of the same entries, also with hostile texts of
// strangers.
import { describe, expect, it } from 'vitest';
import { createDays } from '../../../server/lib/local-days.ts';
import type { Entry } from '../../../server/books/entry.ts';
import { bookFormatNames, bookFormats } from '../../../server/contract/books/book-formats.ts';
import type { Dice } from '../../harness/dice.ts';
import { useFolders } from '../../harness/folders.ts';
import { tries } from '../../harness/tries.ts';
import { bookOf, fileOf, readCsv, sumsOf, treasurySum, unitsOf, wholeDays } from './files.ts';
import { fileIn, isMissing, judgedBy, judges, readOfx, run } from './judges.ts';
import { pastOf, type PastOptions } from './past.ts';

const newFolder = useFolders();

const pieces = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '=HYPERLINK("http://evil.example","x")',
  '\t=1',
  '＝1',
  '-0.01',
  ';',
  '  ; ',
  '|',
  ' | ',
  '  ',
  '"',
  '""',
  "'",
  '\\',
  '\\"',
  '\\n',
  ',',
  '#tag',
  '^link',
  '%',
  '`',
  '~ 0',
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  '\t',
  '\0',
  '\u000b',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u00a0',
  '\ufeff',
  '\u202e',
  '\u2066',
  '\u200b',
  '\ufffe',
  '\uffff',
  '\ud800',
  '\udc00',
  '😀',
  '👩‍💻',
  'é',
  'e\u0301',
  '漢字',
  '[2020-01-01]',
  '[=2020/1/1]',
  '[999]',
  'date:2020-01-01',
  ':a:b:',
  'Value:: 1/0',
  'key: value',
  '(code)',
  '*',
  '!',
  '\n2020-01-01 * x\n  Assets:Cold  5 USDC\n  Equity:X\n',
  '\n  Assets:Cold  5 USDC',
  '\ninclude /etc/passwd\n',
  '\ncomment\n',
  '\nend comment\n',
  '\n2020-01-01 open Assets:X\n',
  '"\n',
  '{',
  '}',
  '{{',
  '@ 5 USD',
  '= 5 USDC',
  '</NAME>',
  '<STMTTRN>',
  '<![CDATA[',
  ']]>',
  '<!--',
  '-->',
  '&amp;',
  '&lt;',
  '&#10;',
  '&nbsp;',
  '&',
  '<',
  '<?x?>',
  'Assets:Treasury:Scout',
  'https://api.example.com/x?y=1;2',
  'http://[::1]/',
  '../../',
  'x'.repeat(300),
];
const hostile = (dice: Dice): string =>
  Array.from({ length: Math.floor(dice.roll() * 6) }, () => dice.pick(pieces as [string, ...string[]])).join(
    dice.isLucky(0.5) ? '' : ' ',
  );
/** A seller may name any address. */
const withHostileAddress = (entry: Entry): Entry =>
  entry.kind === 'spending' && entry.serviceName === '' && entry.to.kind === 'outside'
    ? { ...entry, to: { kind: 'outside', address: `${entry.description}x` } }
    : entry;

const pastIn = (options: PastOptions) => {
  const { zone } = options;
  const entries = pastOf(options);
  return { zone, entries, book: bookOf({ zone, span: wholeDays(zone, entries) }) };
};
const pastOfStrangers = () => {
  const zone = 'Asia/Kathmandu';
  const start = Date.parse('2026-05-01T10:00:00Z');
  const entries = pastOf({ seed: 21, zone, start, entries: 4_000, text: hostile }).map(withHostileAddress);
  let groups = 0;
  const groupName = (): string => entries[(groups += 1) % entries.length]?.description ?? '';
  return { zone, entries, book: bookOf({ zone, span: wholeDays(zone, entries), groupName }) };
};
/** Clocks that leap over a midnight, that are set back, and that are 45 minutes off, there with hostile texts. */
const small = pastIn({
  zone: 'America/Sao_Paulo',
  start: Date.parse('2018-10-30T02:00:00Z'),
  entries: 2_500,
  seed: 2,
});
const ofStrangers = pastOfStrangers();
const pasts = [
  pastIn({
    zone: 'Europe/Berlin',
    start: Date.parse('2026-10-20T08:00:00Z'),
    entries: tries(2_500, 10_000),
    seed: 1,
  }),
  small,
  ofStrangers,
];

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
    // Names of strangers may read alike once they are cleaned.
    if (book !== ofStrangers.book) expect(new Set(keys).size).toBe(rows.length);
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

/** Without what XML escapes. */
const plainName = (name: string): string =>
  name.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const harmless = (entry: Entry): Entry => ({ ...entry, description: 'x', serviceName: 'y' });

describe('texts of strangers', () => {
  const { book, entries } = ofStrangers;
  const texts = new Set(entries.flatMap(({ description, serviceName }) => [description, serviceName]));

  it('are a thousand', () => {
    expect(texts.size).toBeGreaterThan(1000);
    for (const piece of pieces)
      expect(
        [...texts].some((text) => text.includes(piece)),
        piece,
      ).toBe(true);
  });

  describe.each(bookFormatNames.filter((name) => bookFormats[name].extension === 'csv'))('%s', (format) => {
    it('has as many lines and fields as there should be, and no formula', () => {
      const text = fileOf(format, book, entries);
      const plain = fileOf(format, book, entries.map(harmless));
      const [rows, expected] = [readCsv(text), readCsv(plain)];
      const bank = bookFormats[format].unit === 'day';
      if (!bank) expect(text.split('\r\n')).toHaveLength(rows.length + 1);
      expect(rows.map((row) => row.length)).toEqual(rows.map(() => rows[0]?.length));
      if (!bank) expect(rows).toHaveLength(expected.length);
      for (const field of rows.flat()) {
        expect(field).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202e\u2066]/u);
        if (!/^-\d+\.\d\d$/.test(field) || !bank) expect(field).not.toMatch(/^[=+\-@\t\r＝＋－＠]/);
      }
      const amounts = rows.slice(1).map((row) => row[rows[0]?.indexOf('Amount') ?? -1] ?? '0');
      const sum = amounts.reduce((total, amount) => total + (bank ? unitsOf(amount, 6) : 0n), 0n);
      if (bank) expect(treasurySum(entries) - sum).toBeLessThan(10_000n);
      if (bank) expect(treasurySum(entries) - sum).toBeGreaterThanOrEqual(0n);
    });
  });

  it('fit the name of a line of a statement, and bring no tag into it', () => {
    for (const [, name = ''] of fileOf('ofx', book, entries).matchAll(/<NAME>(.*?)<\/NAME>/g)) {
      expect([...plainName(name)].length).toBeLessThanOrEqual(32);
      expect(name).not.toMatch(/[<>]/);
    }
  });

  it.skipIf(isMissing('python3-ofxparse'))(
    judgedBy('ofxparse reads each line with its name', 'python3-ofxparse'),
    () => {
      const text = fileOf('ofx', book, entries);
      const file = fileIn(newFolder(), 'books.ofx', text);
      const lines = run('/usr/bin/python3', ['-c', readByOfxparse, file]).split('\n').slice(0, -1);
      const written = [...text.matchAll(/<TRNAMT>(.*?)<.*<FITID>(.*?)<.*<NAME>(.*?)</g)];
      expect(written.length).toBeGreaterThan(300);
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
        written.map(([, amount, id, name = '']) => [id, amount, plainName(name)]),
      );
    },
  );
  const readByOfxparse = `
import json, sys
from ofxparse import OfxParser
with open(sys.argv[1], 'rb') as file:
    for line in OfxParser.parse(file).account.statement.transactions:
        print(json.dumps([line.id, str(line.amount), line.payee]))`;

  it.skipIf(isMissing('bean-check'))(
    judgedBy('a strict reader of XML reads the statement behind its header', 'bean-check'),
    () => {
      const text = fileOf('ofx', book, entries);
      const file = fileIn(newFolder(), 'books.ofx', text.slice(text.indexOf('\n\n') + 2));
      // Beancount brings Python.
      const count =
        'import sys, xml.etree.ElementTree as tree; print(len(tree.parse(sys.argv[1]).findall(".//STMTTRN")))';
      const written = readCsv(fileOf('xero', book, entries)).length - 1;
      expect(Number(run('python3', ['-c', count, file]))).toBe(written);
    },
  );

  it('a service whose name shows nothing is called unnamed in a statement', () => {
    const named = entries.map((entry) => ({ ...entry, serviceName: '\u202e\ufffe ' }));
    expect(fileOf('ofx', book, named)).toContain('<NAME>Unnamed service</NAME>');
  });
});
