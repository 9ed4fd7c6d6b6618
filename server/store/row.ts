// The border to SQLite. Every row is read through the columns of its table: a missing column, a value of another type and
// a word outside its set throw an error that names table and column. Integers come as bigint.
import { lamports, usdc, type Lamports, type Usdc } from '../money.ts';
import type { Row } from './records/digests.ts';

/** The columns of one row. Every method throws when its column holds anything else. */
export class Columns {
  readonly #table: string;
  readonly #row: Row;

  constructor(table: string, row: Row) {
    this.#table = table;
    this.#row = row;
  }

  isNull(column: string): boolean {
    const value = this.#row[column];
    if (value === undefined) throw this.#wrong(column, 'a value or null');
    return value === null;
  }
  text(column: string): string {
    const value = this.#row[column];
    if (typeof value !== 'string') throw this.#wrong(column, 'text');
    return value;
  }
  textOrNull(column: string): string | null {
    return this.isNull(column) ? null : this.text(column);
  }
  /** A word of a closed set. */
  word<W extends string>(column: string, words: readonly W[]): W {
    const value = this.#row[column] as W;
    if (!words.includes(value)) throw this.#wrong(column, `one of ${words.join(', ')}`);
    return value;
  }
  wordOrNull<W extends string>(column: string, words: readonly W[]): W | null {
    return this.isNull(column) ? null : this.word(column, words);
  }
  integer(column: string): number {
    const value = Number(this.bigint(column));
    if (!Number.isSafeInteger(value)) throw this.#wrong(column, 'an integer below 2^53');
    return value;
  }
  integerOrNull(column: string): number | null {
    return this.isNull(column) ? null : this.integer(column);
  }
  flag(column: string): boolean {
    const value = this.#row[column];
    if (value !== 0n && value !== 1n) throw this.#wrong(column, '0 or 1');
    return value === 1n;
  }
  bigint(column: string): bigint {
    const value = this.#row[column];
    if (typeof value !== 'bigint') throw this.#wrong(column, 'an integer');
    return value;
  }
  usdc(column: string): Usdc {
    return usdc(this.bigint(column));
  }
  lamports(column: string): Lamports {
    return lamports(this.bigint(column));
  }
  bytes(column: string): Buffer {
    const value = this.#row[column];
    if (!Buffer.isBuffer(value)) throw this.#wrong(column, 'bytes');
    return value;
  }
  bytesOrNull(column: string): Buffer | null {
    return this.isNull(column) ? null : this.bytes(column);
  }
  /** A JSON object, whose fields are as we wrote them. */
  object<T extends object>(column: string): T {
    const value = this.#parsed(column);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw this.#wrong(column, 'a JSON object');
    return value as T;
  }
  objectOrNull<T extends object>(column: string): T | null {
    return this.isNull(column) ? null : this.object<T>(column);
  }
  /** A JSON array of objects, whose fields are as we wrote them; empty for null. */
  objects<T extends object>(column: string): T[] {
    if (this.isNull(column)) return [];
    const value = this.#parsed(column);
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'object' && one !== null))
      throw this.#wrong(column, 'a JSON array of objects');
    return value as T[];
  }
  /** A JSON array of strings. */
  strings(column: string): string[] {
    const value = this.#parsed(column);
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
      throw this.#wrong(column, 'a JSON array of strings');
    return value;
  }
  stringsOrNull(column: string): string[] | null {
    return this.isNull(column) ? null : this.strings(column);
  }

  #parsed(column: string): unknown {
    const text = this.text(column);
    try {
      return JSON.parse(text);
    } catch {
      throw this.#wrong(column, 'JSON');
    }
  }
  /** The value itself may be a secret or a seller's text. */
  #wrong(column: string, wanted: string): Error {
    const value = this.#row[column];
    const held = value === undefined ? 'is missing' : `holds ${value === null ? 'null' : typeof value}`;
    return new Error(
      `The records cannot be read: ${this.#table}.${column} ${held}, and should hold ${wanted}.`,
    );
  }
}

/** The column `amount`, in the smallest unit of the asset. */
export const amountIn = (row: Columns, asset: 'USDC' | 'SOL') =>
  asset === 'USDC' ? { asset, amount: row.usdc('amount') } : { asset, amount: row.lamports('amount') };

/** Reads a row of this table; the function that it returns throws when there is no row. */
export const mapper =
  <T>(table: string, read: (columns: Columns) => T): ((row: unknown) => T) =>
  (row) => {
    if (typeof row !== 'object' || row === null)
      throw new Error(`The records cannot be read: ${table} has no such row.`);
    return read(new Columns(table, row as Row));
  };

/** The same for a row that may be missing. */
export const ifAny =
  <T>(map: (row: unknown) => T): ((row: unknown) => T | undefined) =>
  (row) =>
    row === undefined ? undefined : map(row);
