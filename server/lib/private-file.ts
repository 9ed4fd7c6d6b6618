// Files that hold a token for programs of this user alone.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes the file with mode 0600, and its folder with 0700 where there is none. */
export const writePrivateFile = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Removed first: writing over an existing file would keep its old mode.
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
};
