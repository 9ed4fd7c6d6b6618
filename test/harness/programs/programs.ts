// The programs that tests start.
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { programsFolder, type Entry } from '../../../build/programs.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The program of an entry point: its bundle in a test, and its source in the lab. */
export const programOf = (entry: Entry): string =>
  process.env['VITEST'] === undefined ? join(root, entry) : join(programsFolder, entry.replace(/ts$/, 'js'));

/** Node's arguments for the host or the sandbox, as the scripts of package.json have them. */
export const withPreload = (entry: Entry): string[] => [
  '--import',
  new URL('../../../build/preload.mjs', import.meta.url).href,
  programOf(entry),
];
