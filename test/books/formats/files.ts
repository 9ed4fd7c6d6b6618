// A file of the books as its writer makes it, and what a plain sum of the entries says that it has to hold.
import { accountOfPlace } from '../../../server/books/accounts.ts';
import { createDays } from '../../../server/lib/local-days.ts';
import type { Entry } from '../../../server/books/entry.ts';
import type { Book } from '../../../server/books/formats/writer.ts';
import { writers } from '../../../server/books/formats/writers.ts';
import { classifyBy } from '../../../server/books/rules.ts';
import type { BookFormatName } from '../../../server/contract/books/book-formats.ts';
import type { BookRule } from '../../../server/engine/ports.ts';
import { treasury } from './past.ts';

const everything = { payee: null, serviceId: null, origin: null, agentId: null, groupId: null };
export const rules: BookRule[] = [
  {
    ...everything,
    id: 'r1',
    serviceId: 'service-1',
    account: 'Expenses:Research',
    costCentre: 'R; D, [2020-01-01]',
  },
  { ...everything, id: 'r2', agentId: 'a-b', groupId: 'group', account: 'Expenses:7-Up', costCentre: null },
];

const classify = classifyBy(rules, new Set());

export const bookOf = (given: Partial<Book> & Pick<Book, 'zone' | 'span'>): Book => ({
  treasury,
  network: 'mainnet',
  finalUntil: given.span.to,
  dayAt: createDays(given.zone),
  classify,
  groupName: () => 'Research, “Europe”',
  continues: false,
  ...given,
});

/** Whole days that hold all entries. */
export const wholeDays = (zone: string, entries: readonly Entry[]): Book['span'] => {
  const dayAt = createDays(zone);
  return { from: dayAt(entries[0]?.at ?? 0).from, to: dayAt(entries.at(-1)?.at ?? 0).to };
};

/** In pieces, as they are sent. */
export function* piecesOf(
  format: BookFormatName,
  book: Book,
  entries: Iterable<Entry>,
): IterableIterator<string> {
  const writer = writers[format](book);
  let begun = false;
  for (const entry of entries) {
    if (entry.at >= book.span.to) break;
    if (entry.at < book.span.from) writer.before(entry);
    else {
      if (!begun) yield writer.begin();
      begun = true;
      yield writer.entry(entry);
    }
  }
  if (!begun) yield writer.begin();
  yield writer.end();
}

export const fileOf = (format: BookFormatName, book: Book, entries: Iterable<Entry>): string =>
  [...piecesOf(format, book, entries)].join('');

/** `account asset` to the smallest unit; without zeros. */
export type Sums = Record<string, bigint>;

const withoutZeros = (sums: Map<string, bigint>): Sums =>
  Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n).toSorted(([a], [b]) => (a < b ? -1 : 1)));

export const sumsOf = (entries: readonly Entry[]): Sums => {
  const sums = new Map<string, bigint>();
  for (const entry of entries) {
    const { account } = classify(entry);
    const add = (name: string, change: bigint): void => {
      const key = `${name} ${entry.asset}`;
      sums.set(key, (sums.get(key) ?? 0n) + change);
    };
    add(accountOfPlace(entry.from) ?? account, -entry.amount);
    add(accountOfPlace(entry.to) ?? account, entry.amount);
  }
  return withoutZeros(sums);
};

const isOwn = ({ kind }: Entry['from']): boolean => kind === 'treasury' || kind === 'agent';

/** In micro-USDC: all wallets of the treasury and its agents. */
export const treasurySum = (entries: readonly Entry[]): bigint =>
  entries
    .filter(({ asset }) => asset === 'USDC')
    .reduce((sum, { from, to, amount }) => {
      return sum + (isOwn(to) ? amount : 0n) - (isOwn(from) ? amount : 0n);
    }, 0n);

const decimals: Record<string, number> = { USDC: 6, SOL: 9 };

/** Of lines such as `Assets:Cold`, `1.5 USDC, -0.1 SOL`; amounts that are no multiple of the unit throw. */
export const readSums = (rows: readonly (readonly [account: string, balance: string])[]): Sums => {
  const sums = new Map<string, bigint>();
  for (const [account, balance] of rows)
    for (const part of balance
      .split(',')
      .map((text) => text.trim())
      .filter((text) => text !== '' && text !== '0')) {
      const [number = '', asset = ''] = part.split(/\s+/);
      const key = `${account.trim()} ${asset}`;
      sums.set(key, (sums.get(key) ?? 0n) + unitsOf(number, decimals[asset] ?? 0));
    }
  return withoutZeros(sums);
};

export const unitsOf = (number: string, digits: number): bigint => {
  const found = /^(-?)(\d+)(?:\.(\d+))?$/.exec(number);
  const [, sign = '', whole = '', fraction = ''] = found ?? [];
  if (found === null || !new RegExp(`^\\d{0,${digits}}0*$`).test(fraction))
    throw new Error(`no amount: ${number}`);
  return BigInt(`${sign}${whole}${fraction.padEnd(digits, '0').slice(0, digits)}`);
};

/** RFC 4180, strictly. */
export const readCsv = (text: string): string[][] => {
  const rows: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/y;
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    if (found === null) throw new Error(`not RFC 4180 at ${field.lastIndex}`);
    const [, quoted, plain = '', end] = found;
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n' && field.lastIndex < text.length) rows.push([]);
  }
  return rows;
};
