// A second export: of the same days, of more days, and of a part of them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDays } from '../../../server/books/days.ts';
import { bookFormatNames, bookFormats } from '../../../server/contract/books/book-formats.ts';
import { useFolders } from '../../harness/folders.ts';
import { bookOf, fileOf, readCsv, sumsOf, wholeDays } from './files.ts';
import { isMissing, judgedBy, judges, run } from './judges.ts';
import { pastOf } from './past.ts';

const newFolder = useFolders();
const zone = 'Europe/Berlin';
const entries = pastOf({ seed: 11, zone, start: Date.parse('2026-03-26T20:00:00Z'), entries: 2_000 });
const whole = wholeDays(zone, entries);
const startOf = (number: number): number => createDays(zone)(entries[number]?.at ?? 0).from;
const from = startOf(400);
const to = startOf(1700);
const partOf = (format: (typeof bookFormatNames)[number]): string =>
  fileOf(format, bookOf({ zone, span: { from, to } }), entries);

/** Between two lines or transactions. */
const separators: Record<string, string> = { csv: '\r\n', ofx: '\n' };

describe.each(bookFormatNames)('%s', (format) => {
  const separator = separators[bookFormats[format].extension] ?? '\n\n';

  it('is the same bytes twice', () => {
    const once = fileOf(format, bookOf({ zone, span: whole }), entries);
    expect(fileOf(format, bookOf({ zone, span: whole }), entries)).toBe(once);
  });

  it('of a part has the same lines as the whole', () => {
    // Each journal declares its accounts and payees by itself.
    const [text, part] = [fileOf(format, bookOf({ zone, span: whole }), entries), partOf(format)].map(
      (file) => file.replaceAll(/^(?:\S+ open|account|payee) .*\n/gm, ''),
    );
    const isLine = (line: string): boolean => format !== 'ofx' || line.includes('<FITID>');
    // The first holds the head and what was before; the last, the balances of the last day.
    const common = part?.split(separator).filter(isLine).slice(1, -1) ?? [];
    expect(common.length).toBeGreaterThan(10);
    expect(text).toContain(common.join(separator));
  });
});

it.skipIf(isMissing('hledger'))(
  judgedBy('hledger imports a longer file as what is new in it', 'hledger'),
  () => {
    const hledger = judges.find(({ tool }) => tool === 'hledger');
    const folder = newFolder();
    const main = join(folder, 'main.journal');
    writeFileSync(main, '');
    const imported = (end: number): void => {
      const book = bookOf({ zone, span: { from: whole.from, to: end } });
      writeFileSync(join(folder, 'books.journal'), fileOf('hledger', book, entries));
      run('hledger', ['-f', main, 'import', 'books.journal'], folder);
    };
    for (const end of [from, from, to, whole.to, whole.to]) imported(end);
    expect(existsSync(join(folder, '.latest.books.journal'))).toBe(true);
    // What was declared stays in the file that was imported.
    run('hledger', ['-f', main, 'check']);
    expect(hledger?.balances(main)).toEqual(sumsOf(entries));
    expect(hledger?.ids(main).filter((id) => id !== 'balances')).toEqual(entries.map(({ id }) => id));
    expect(readFileSync(main, 'utf8')).toContain(' = ');
  },
);

it.skipIf(isMissing('hledger'))(
  judgedBy('hledger adds the opening of a file that begins later, as is said of it', 'hledger'),
  () => {
    const folder = newFolder();
    const main = join(folder, 'main.journal');
    writeFileSync(main, '');
    for (const span of [
      { from: whole.from, to: from },
      { from, to: whole.to },
    ]) {
      writeFileSync(join(folder, 'books.journal'), fileOf('hledger', bookOf({ zone, span }), entries));
      run('hledger', ['-f', main, 'import', 'books.journal'], folder);
    }
    expect(() => run('hledger', ['-f', main, 'check'])).toThrow();
    expect(bookFormats.hledger.importing).toBe('from-start');
  },
);

const idsOf = (text: string): string[] => [...text.matchAll(/<FITID>(.*?)</g)].map(([, id = '']) => id);

it('names the same id for the same line of a bank statement, whatever else is in the file', () => {
  const all = idsOf(fileOf('ofx', bookOf({ zone, span: whole }), entries));
  const part = idsOf(partOf('ofx'));
  expect(new Set(all).size).toBe(all.length);
  expect(all.join()).toContain(part.join());
  const other = idsOf(fileOf('ofx', bookOf({ zone, span: whole, network: 'devnet' }), entries));
  expect(all.filter((id) => other.includes(id))).toEqual([]);
  expect(
    readCsv(partOf('xero'))
      .slice(1)
      .map((row) => row[4]),
  ).toEqual(part);
});

it('refuses a file of more lines than a program takes, before the first of them', () => {
  const many = Array.from({ length: 1_200 }, (_, index) => index).flatMap((index) => {
    const [opening] = entries;
    return opening === undefined ? [] : [{ ...opening, at: whole.from + index * 86_400_000 }];
  });
  const book = bookOf({ zone, span: wholeDays(zone, many) });
  expect(() => fileOf('xero', book, many)).toThrow(
    'to: must be before 2028-12-19: Xero takes 1000 lines a file.',
  );
  expect(() => fileOf('quickbooks', book, many)).toThrow(
    'to: must be before 2028-12-19: QuickBooks Online takes 1000 lines and 350 KB a file.',
  );
  const wordy = many.slice(0, 999).map((entry) => ({
    ...entry,
    kind: 'spending' as const,
    serviceName: 'long name '.repeat(40),
    from: entry.to,
    to: { kind: 'outside' as const, address: 'x' },
  }));
  expect(() => fileOf('quickbooks', book, wordy)).toThrow('350 KB a file');
  expect(readCsv(fileOf('xero', book, many.slice(0, 999)))).toHaveLength(1000);
});

it('the lines of a day in a bank statement do not depend on the order of its payments', () => {
  const dayAt = createDays(zone);
  const atNoon = entries.map((entry) => ({ ...entry, at: dayAt(entry.at).from + 43_200_000 }));
  const backwards = atNoon.toReversed().toSorted((a, b) => a.at - b.at);
  const book = bookOf({ zone, span: whole });
  expect(fileOf('ofx', book, backwards)).toBe(fileOf('ofx', book, atNoon));
});
