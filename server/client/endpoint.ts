// The address of this machine's treasury: the running host leaves it in its data folder.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../errors.ts';

const endpoint = z.object({
  url: z.string(),
  pid: z.number(),
  owner: z.string(),
  network: z.enum(['sandbox', 'devnet', 'mainnet']),
  /** Bearer for public routes: there, known terminals have tries of their own. */
  known: z.string().optional(),
});
export type Endpoint = z.output<typeof endpoint>;

/** @throws AppError `halted` when no host runs on this data folder */
export const readEndpoint = (dataDir: string): Endpoint => {
  const file = join(dataDir, 'runtime', 'endpoint.json');
  try {
    return endpoint.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw notRunning();
  }
};

/** Which of these data folders says that its treasury serves a port; null for none. */
export const folderServing =
  (folders: readonly string[]) =>
  (port: number): string | null =>
    folders.find((folder) => {
      try {
        return Number(new URL(readEndpoint(folder).url).port) === port;
      } catch {
        return false;
      }
    }) ?? null;

export const notRunning = (): AppError =>
  new AppError(
    'halted',
    'The treasury is not running. Start it (in a checkout: npm start), or name its data folder with --data.',
  );
