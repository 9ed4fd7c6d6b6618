// Aligned text for people. Untrusted text is made inert, so that a terminal does not obey it.
import { endedText, type Ended } from '../contract/treasury/ended.ts';
import type { Terminal } from './terminal.ts';

const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;

export const inert = (text: string): string => text.replaceAll(hidden, ' ');

interface Place extends Pick<Terminal, 'io'> {
  /** Where the terminal is too narrow, columns are cut to these widths, one after the other; an id keeps its end. */
  cut?: readonly (readonly [heading: string, least: number])[];
}

/** Rows under a heading; numeric columns are right-aligned. */
export const table = (
  { io, cut = [] }: Place,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] => {
  const cells = [head, ...rows].map((row) => row.map(inert));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  let over = widths.reduce((sum, width) => sum + width + 2, -2) - (io.columns ?? Infinity);
  for (const [name, least] of cut) {
    const width = widths[head.indexOf(name)] ?? 0;
    const less = Math.max(0, Math.min(over, width - least));
    widths[head.indexOf(name)] = width - less;
    over -= less;
  }
  const isNumeric = head.map((_, column) =>
    rows.every((row) => /^([+−]?\d[\d.]*( SOL)?)?$/.test(row[column] ?? '')),
  );
  const short = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    if (cell.length <= width) return isNumeric[column] ? cell.padStart(width) : cell.padEnd(width);
    return head[column] === 'ID' ? `…${cell.slice(1 - width)}` : `${cell.slice(0, width - 1)}…`;
  };
  const lines = cells.map((row) => row.map(short).join('  ').trimEnd());
  const [heading = '', ...rest] = lines;
  return [io.color ? `\u001B[1m${heading}\u001B[22m` : heading, ...rest];
};

type Cell = string | number | null | undefined;
/** By its heading: what the cell of an item is, or the item's field that it is. */
type Columns<T> = Readonly<Record<string, ((item: T, at: number) => Cell) | FieldOf<T>>>;
type FieldOf<T> = { [K in keyof T & string]: T[K] extends Cell ? K : never }[keyof T & string];

/** A row for each item, or the sentence that there is none. */
export const listing = <T>(
  terminal: Place,
  items: readonly T[],
  none: string | null,
  columns: Columns<T>,
): string[] => {
  if (items.length === 0 && none !== null) return [none];
  const rows = items.map((item, at) =>
    Object.values(columns).map((cell) =>
      String((typeof cell === 'string' ? item[cell] : cell(item, at)) ?? ''),
    ),
  );
  return table(terminal, Object.keys(columns), rows);
};

/** A name and its value, which is null or undefined where there is nothing to say. */
export type Fact = readonly [name: string, value: string | null | undefined];

/** Name and value pairs, one per line. */
export const facts = (pairs: readonly Fact[]): string[] => {
  const given = pairs.flatMap(([name, value]) => (value == null ? [] : [{ name, value }]));
  const width = Math.max(...given.map(({ name }) => name.length));
  return given.map(({ name, value }) => `${inert(name).padEnd(width)}  ${inert(value)}`.trimEnd());
};

/** In a time zone, to the second. */
export const momentIn = (timeZone: string, timestamp: string): string =>
  new Date(timestamp).toLocaleString('sv-SE', { timeZone });

/** In the reader's own time zone. */
export const moment = (timestamp: string | null): string =>
  timestamp === null ? '' : new Date(timestamp).toLocaleString('sv-SE');

/** What a stop ended for good, if anything. */
export const endedLines = (ended: Ended): string[] =>
  [endedText(ended)].filter((text) => text !== '').map(inert);
