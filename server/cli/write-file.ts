// Writes a configuration file without a moment in which it is broken or readable by others.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Ending } from './ending.ts';

/** The text of a file; empty when there is none. @throws Ending when it cannot be read */
export const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    throw new Ending('refused', `${file} cannot be read (${code}).`);
  }
};

/**
 * Changes a file after a copy beside it. Returns the backup's path; null when there was nothing to back up.
 * @param before what the change was made from
 * @throws Ending when somebody else changed the file meanwhile, or it cannot be written
 */
export const writeText = (file: string, before: string, after: string): string | null => {
  if (readText(file) !== before)
    throw new Ending('refused', `${file} changed meanwhile and was left as it is. Run this again.`);
  return explaining(file, () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // A link to a file elsewhere stays a link.
    const target = targetOf(file);
    const backup = before === '' ? null : `${target}.${stamp()}.backup`;
    if (backup !== null) writeDurably(backup, before);
    replace(target, after);
    return backup;
  });
};

/** Whatever was there is gone: it may hold a key that is none any more. @throws Ending when it cannot be written */
export const writePrivate = (file: string, text: string | Uint8Array): void =>
  explaining(file, () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    replace(file, text);
  });

const explaining = <T>(file: string, write: () => T): T => {
  try {
    return write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Ending('refused', `${file} could not be written (${code}).`);
  }
};

/** @throws what a link to nothing is: there is no saying where a file would be made */
const targetOf = (file: string): string =>
  lstatSync(file, { throwIfNoEntry: false }) === undefined ? file : realpathSync(file);

const replace = (target: string, text: string | Uint8Array): void => {
  const draft = `${target}.${randomUUID()}.tmp`;
  try {
    writeDurably(draft, text);
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
};

const stamp = (): string => new Date().toISOString().replaceAll(/[^0-9]/g, '');

const writeDurably = (file: string, text: string | Uint8Array): void => {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};
