// Files that hold a token for programs of this user alone.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { closeNewFile } from './owner-only.ts';
import { renameOver } from './rename-over.ts';

/** Replaces the file by one with mode 0600, and makes its folder with 0700 where there is none. */
export const writePrivateFile = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // A new file: writing over the old one would keep its mode.
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, '', { mode: 0o600, flag: 'wx' });
    closeNewFile(draft);
    writeFileSync(draft, text);
    renameOver(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
};
