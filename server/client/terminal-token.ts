// The owner token granted to a terminal: valid for fifteen minutes, in a file that only this user can read.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const stored = z.object({ token: z.string(), expiresAt: z.string() });
export type TerminalToken = z.output<typeof stored>;

const fileOf = (dataDir: string): string => join(dataDir, 'runtime', 'terminal-token.json');

/** Null without a valid one. */
export const readToken = (dataDir: string, now = Date.now()): string | null => {
  try {
    const { token, expiresAt } = stored.parse(JSON.parse(readFileSync(fileOf(dataDir), 'utf8')));
    return Date.parse(expiresAt) > now ? token : null;
  } catch {
    return null;
  }
};

/** Returns the file's path. */
export const writeToken = (dataDir: string, token: TerminalToken): string => {
  const file = fileOf(dataDir);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Removed first: writing over an existing file would keep its old mode.
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify(token), { mode: 0o600, flag: 'wx' });
  return file;
};

export const removeToken = (dataDir: string): void => rmSync(fileOf(dataDir), { force: true });
