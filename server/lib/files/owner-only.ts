// Paths that are for this user alone: by modes, or by access lists on Windows. One place knows the difference.
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../errors.ts';
import { closeOnWindows, closingCommandOnWindows, openToOnWindows, type Opening } from './access-list.ts';

type Platform = NodeJS.Platform;

const others = 0o077;
const mayWrite = 0o022;

/** Null for a path that is this user's alone. @throws Error when it is not there; AppError `not_available` */
export const openTo = (path: string, platform: Platform = process.platform): Opening | null => {
  const { mode } = statSync(path);
  if (platform === 'win32') return openToOnWindows(path);
  return (mode & others) === 0 ? null : { to: 'others', mayWrite: (mode & mayWrite) !== 0 };
};

/** Ends others' access. @throws Error when that is not possible; AppError `not_available` */
export const closeToOthers = (path: string, platform: Platform = process.platform): void => {
  if (openTo(path, platform) === null) return;
  const isFolder = statSync(path).isDirectory();
  if (platform === 'win32') closeOnWindows(path, isFolder);
  else chmodSync(path, isFolder ? 0o700 : 0o600);
};

/** The command with which a person ends others' access. */
export const closingCommand = (path: string, platform: Platform = process.platform): string => {
  const isFolder = statSync(path).isDirectory();
  if (platform === 'win32') return closingCommandOnWindows(path, isFolder);
  return `chmod ${isFolder ? '700' : '600'} ${path}`;
};

/** Makes the folder, or closes one that is there. @throws AppError `not_available` when it cannot be used */
export const makePrivateFolder = (path: string, platform: Platform = process.platform): void =>
  orTellWhy(path, () => {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    closeToOthers(path, platform);
  });

const reasons: Partial<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not change it',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
  ENOENT: 'a part of its path does not exist',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'it is a file',
};

const orTellWhy = (path: string, work: () => void): void => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new AppError(
      'not_available',
      `The folder ${path} cannot be used: ${reasons[code] ?? message}. Mend that, or name another data folder with --data.`,
      undefined,
      { cause: error },
    );
  }
};

/**
 * The folder that holds everything. Elsewhere each file in it has a mode; on Windows it has the list of the folder, so that
 * one that is open to others is closed while it is empty, and refused when it holds something, which may not be ours.
 * @throws AppError `conflict` for such a folder; `not_available` when it cannot be used
 */
export const makeDataFolder = (path: string, platform: Platform = process.platform): void => {
  orTellWhy(path, () => void mkdirSync(path, { recursive: true, mode: 0o700 }));
  if (platform !== 'win32') return;
  if (readdirSync(path).length === 0) return closeToOthers(path, platform);
  const opening = openTo(path, platform);
  if (opening === null) return;
  throw new AppError(
    'conflict',
    `The data folder ${path} is open to ${opening.to}. Close it with: ${closingCommand(path, platform)}`,
  );
};

/** Folders of this user alone, in which Windows gives each new file their list. */
const closedFolders = new Set<string>();

/** For a file that was just made with mode 0600, which closes it everywhere but on Windows. @throws as `closeToOthers` does */
export const closeNewFile = (path: string, platform: Platform = process.platform): void => {
  if (platform !== 'win32') return;
  const folder = dirname(path);
  if (!closedFolders.has(folder)) {
    if (openTo(folder, platform) !== null) return closeToOthers(path, platform);
    closedFolders.add(folder);
  }
};
