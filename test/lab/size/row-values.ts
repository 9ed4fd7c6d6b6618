// Single values of rows, for a past that is written by SQL.
import type { Row } from '../../../server/store/records/digests.ts';

export const text = (row: Row, column: string): string => String(row[column]);
export const integer = (row: Row, column: string): number => Number(row[column]);
export const units = (row: Row, column: string): bigint => BigInt(row[column] as bigint);
export const json = <T>(row: Row, column: string): T => JSON.parse(text(row, column)) as T;
