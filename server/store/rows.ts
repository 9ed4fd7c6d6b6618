// Rows come as SQLite gives them (integers as bigint) and are mapped once, here and in each table's file.
import type { Row } from './journal.ts';

export const text = (row: Row, column: string): string => String(row[column]);
export const textOrNull = (row: Row, column: string): string | null => {
  const value = row[column];
  return typeof value === 'string' ? value : null;
};
export const integer = (row: Row, column: string): number => Number(row[column]);
export const integerOrNull = (row: Row, column: string): number | null => {
  const value = row[column];
  return value === null || value === undefined ? null : Number(value);
};
/** An amount in the smallest unit of its asset: micro-USDC or lamports. */
export const units = (row: Row, column: string): bigint => BigInt(row[column] as bigint);
export const json = <T>(row: Row, column: string): T => JSON.parse(text(row, column)) as T;
export const jsonOrNull = <T>(row: Row, column: string): T | null =>
  row[column] === null ? null : json<T>(row, column);
