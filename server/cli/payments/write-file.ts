// Writes configuration files atomically: at no moment is one incomplete or readable by others.
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { closeNewFile } from '../../lib/files/owner-only.ts';
import { renameOver } from '../../lib/files/rename-over.ts';
import { Ending } from '../ending.ts';

/** The file's text; empty when it does not exist. @throws Ending when it cannot be read, or is not UTF-8 */
export const readText = (file: string): string => {
  const bytes = readBytes(file);
  // Decoded all the same, other bytes would be lost in the file and in its backup.
  if (!isUtf8(bytes)) throw new Ending('failed', `${file} is not UTF-8 and was left as it is.`);
  return bytes.toString('utf8');
};

const readBytes = (file: string): Buffer => {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return Buffer.alloc(0);
    throw new Ending('failed', `${file} cannot be read (${code}).`);
  }
};

/**
 * Replaces a file after backing it up beside it. Returns the backup's path, or null when there was nothing to back up.
 * @param before the content that `after` was made from
 * @throws Ending when the file changed in the meantime, or cannot be written
 */
export const writeText = (file: string, before: string, after: string): string | null => {
  if (readText(file) !== before)
    throw new Ending('failed', `${file} changed meanwhile and was left as it is. Run this again.`);
  return explaining(file, () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // A symbolic link stays a link: its target is replaced.
    const target = targetOf(file);
    const backup = before === '' ? null : `${target}.${stamp()}.backup`;
    if (backup !== null) writeDurably(backup, before);
    replace(target, after);
    return backup;
  });
};

/**
 * Makes no backup: the old file may hold an API key that is no longer valid. @throws Ending when it cannot be written
 */
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
    throw new Ending('failed', `${file} could not be written (${code}).`);
  }
};

/** @throws for a link to a missing file, as realpath does: where to create that file is unknown */
const targetOf = (file: string): string =>
  lstatSync(file, { throwIfNoEntry: false }) === undefined ? file : realpathSync(file);

const replace = (target: string, text: string | Uint8Array): void => {
  const draft = `${target}.${randomUUID()}.tmp`;
  try {
    writeDurably(draft, text);
    renameOver(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
};

const stamp = (): string => new Date().toISOString().replaceAll(/[^0-9]/g, '');

const writeDurably = (file: string, text: string | Uint8Array): void => {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    closeNewFile(file);
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};
