// Texts of strangers in every format: none of them changes an amount or an account, or adds a line or a transaction.
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../server/books/entry.ts';
import { bookFormatNames, bookFormats } from '../../../server/contract/books/book-formats.ts';
import type { Dice } from '../../harness/dice.ts';
import { useFolders } from '../../harness/folders.ts';
import { bookOf, fileOf, readCsv, sumsOf, treasurySum, unitsOf, wholeDays } from './files.ts';
import { fileIn, isMissing, judgedBy, judges, readOfx, run } from './judges.ts';
import { pastOf } from './past.ts';

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

const zone = 'Asia/Kathmandu';
const entries = pastOf({
  seed: 21,
  zone,
  start: Date.parse('2026-05-01T10:00:00Z'),
  entries: 4_000,
  text: hostile,
}).map((entry): Entry =>
  // A seller may name any address.
  entry.kind === 'spending' && entry.serviceName === '' && entry.to.kind === 'outside'
    ? { ...entry, to: { kind: 'outside', address: `${entry.description}x` } }
    : entry,
);
let groups = 0;
const book = bookOf({
  zone,
  span: wholeDays(zone, entries),
  groupName: () => entries[(groups += 1) % entries.length]?.description ?? '',
});
const texts = new Set(entries.flatMap(({ description, serviceName }) => [description, serviceName]));

it('are a thousand', () => {
  expect(texts.size).toBeGreaterThan(1000);
  for (const piece of pieces)
    expect(
      [...texts].some((text) => text.includes(piece)),
      piece,
    ).toBe(true);
});

describe.each(judges)('$format', ({ tool, format, check, balances, ids }) => {
  it.skipIf(isMissing(tool))(judgedBy('reads what we wrote', tool), () => {
    const text = fileOf(format, book, entries);
    const file = fileIn(newFolder(), `books.${bookFormats[format].extension}`, text);
    check(file);
    expect(balances(file)).toEqual(sumsOf(entries));
    expect(ids(file).filter((id) => id !== 'balances')).toEqual(entries.map(({ id }) => id));
  });
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

/** Without what XML escapes. */
const plainName = (name: string): string =>
  name.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const harmless = (entry: Entry): Entry => ({ ...entry, description: 'x', serviceName: 'y' });

it.skipIf(isMissing('ofxdump'))(judgedBy('libofx reads each line with its amount', 'ofxdump'), () => {
  const text = fileOf('ofx', book, entries);
  const { balance, lines } = readOfx(fileIn(newFolder(), 'books.ofx', text));
  const written = readCsv(fileOf('xero', book, entries)).slice(1);
  expect(lines.map(({ amount, id }) => [amount, id])).toEqual(written.map((row) => [row[1], row[4]]));
  expect(unitsOf(balance, 6)).toBe(lines.reduce((sum, { amount }) => sum + unitsOf(amount, 6), 0n));
  for (const [, name = ''] of text.matchAll(/<NAME>(.*?)<\/NAME>/g)) {
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
