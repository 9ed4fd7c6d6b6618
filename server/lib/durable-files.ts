// Private files that survive a power cut: the old content or the new one, never half of it.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OTHERS = 0o077;
const hasModes = process.platform !== 'win32';

/** Creates the folder, or closes an existing one to other users. */
export const makePrivateFolder = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  if (hasModes && statSync(path).mode & OTHERS) chmodSync(path, FOLDER_MODE);
};

/** The file's text, or undefined when there is none. First closes the file to other users. */
export const readPrivate = (path: string): string | undefined => {
  try {
    if (hasModes && statSync(path).mode & OTHERS) chmodSync(path, FILE_MODE);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
};

/** Replaces the file; the new content is on disk when it returns. */
export const replacePrivate = (path: string, text: string): void => writeWith(renameSync, path, text);

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
  renameSync(path, aside);
  syncFolder(dirname(path));
  return aside;
};

const writeWith = (publish: (from: string, to: string) => void, path: string, text: string): void => {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const file = openSync(temporary, 'wx', FILE_MODE);
    try {
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
