// Private files that survive a power cut: the old content or the new one, never half of it.
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { closeNewFile, closeToOthers } from './owner-only.ts';
import { renameOver } from './rename-over.ts';

/** The file's text, or undefined when there is none. First closes the file to other users. */
export const readPrivate = (path: string): string | undefined => {
  try {
    closeToOthers(path);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
};

/** Replaces the file; the new content is on disk when it returns. */
export const replacePrivate = (path: string, text: string): void => writeWith(renameOver, path, text);

/** Writes a new file. Returns false, and writes nothing, when the file exists. */
export const createPrivate = (path: string, text: string): boolean => {
  try {
    writeWith(linkSync, path, text);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
};

/** Renames a file to a name that is free, so that nothing is lost. Returns that name. */
export const setAside = (path: string): string => {
  const aside = `${path}.${randomBytes(4).toString('hex')}.damaged`;
  renameOver(path, aside);
  syncFolder(dirname(path));
  return aside;
};

const writeWith = (publish: (from: string, to: string) => void, path: string, text: string): void => {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      closeNewFile(temporary);
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    publish(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(path));
};

/** Makes a new name in the folder durable. Windows cannot open a folder, and need not. */
export const syncFolder = (path: string): void => {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
};

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
