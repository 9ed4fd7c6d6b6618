// Files that other programs of ours write, read without a library: the client's package, which has no dependency, reads
// them too.
import { readFileSync } from 'node:fs';

/** @throws Error when there is no such file, or no JSON object in it */
export const fieldsIn = (file: string): Readonly<Record<string, unknown>> => {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (typeof value !== 'object' || value === null) throw new TypeError('no object');
  return value as Record<string, unknown>;
};

/** @throws TypeError for all but text */
export const textOf = (value: unknown): string => {
  if (typeof value !== 'string') throw new TypeError('no text');
  return value;
};

/** @throws TypeError for all but a number */
export const numberOf = (value: unknown): number => {
  if (typeof value !== 'number') throw new TypeError('no number');
  return value;
};
