// How long each file of tests took, so that the longest start first.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** In the repository: the times of one run on two quiet cores. To renew it, copy the file of the last run here. */
export const committedTimes = at('test-times.json');
/** Of the last whole run in this checkout. */
export const lastTimes = at('out/test-times.json');

/** Below this a file may start whenever there is room. */
const shortestMs = 5_000;

/** Keeps the times of a whole run, in milliseconds by file, and returns the ten longest in seconds. */
export const keepTimes = (
  times: readonly [file: string, ms: number][],
): [file: string, seconds: number][] => {
  const seconds = times
    .filter(([, ms]) => ms >= shortestMs)
    .toSorted(([, a], [, b]) => b - a)
    .map(([file, ms]): [string, number] => [file, Math.round(ms / 1_000)]);
  mkdirSync(dirname(lastTimes), { recursive: true });
  writeFileSync(lastTimes, `${JSON.stringify(Object.fromEntries(seconds), null, 2)}\n`);
  return seconds.slice(0, 10);
};
