// How long each file of tests took, so that the longest start first.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** In the repository: the times of one run on two quiet cores. To renew it, copy the file of the last run here. */
export const committedTimes = at('test-times.json');
/** Of the last whole run in this checkout. */
export const lastTimes = at('out/test-times.json');

/** Below this a file may start whenever there is room. */
const shortestMs = 5_000;

/** A file above this needs a reason, and a line in the times that are in the repository. */
const longMs = 15_000;

const isLong = (seconds = 0): boolean => seconds * 1_000 > longMs;

interface Kept {
  /** The ten longest, in seconds. */
  slowest: [file: string, seconds: number][];
  /** Those that are long now, and were not when the times in the repository were taken. */
  newlyLong: [file: string, seconds: number][];
}

/** Keeps the times of a whole run, in milliseconds by file. */
export const keepTimes = (times: readonly [file: string, ms: number][]): Kept => {
  const before = JSON.parse(readFileSync(committedTimes, 'utf8')) as Record<string, number>;
  const seconds = times
    .filter(([, ms]) => ms >= shortestMs)
    .toSorted(([, a], [, b]) => b - a)
    .map(([file, ms]): [string, number] => [file, Math.round(ms / 1_000)]);
  mkdirSync(dirname(lastTimes), { recursive: true });
  writeFileSync(lastTimes, `${JSON.stringify(Object.fromEntries(seconds), null, 2)}\n`);
  return {
    slowest: seconds.slice(0, 10),
    newlyLong: seconds.filter(([file, length]) => isLong(length) && !isLong(before[file])),
  };
};
