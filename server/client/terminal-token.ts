// The owner token granted to a terminal: valid for fifteen minutes, in a file that only this user can read.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivateFile } from '../lib/files/private-file.ts';

const stored = z.object({ token: z.string(), expiresAt: z.string() });
type TerminalToken = z.output<typeof stored>;

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
  writePrivateFile(file, JSON.stringify(token));
  return file;
};

export const removeToken = (dataDir: string): void => rmSync(fileOf(dataDir), { force: true });
