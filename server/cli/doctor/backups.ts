// How old the newest copy of the records is.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';

const dayMs = 86_400_000;
const next = 'treasury backup';

/** @param since when the treasury was made, in Unix milliseconds */
export const backupCheck = (
  { dataDir, network }: { dataDir: string; network: string },
  since: number,
  now = Date.now(),
): Check => {
  const name = `Backups: ${network}`;
  const newest = Math.max(...timesIn(join(dataDir, 'backups'), network));
  const days = Math.floor((now - newest) / dayMs);
  if (days < 2) return { name, state: 'ok', found: `the newest is of ${new Date(newest).toISOString()}` };
  if (Number.isFinite(days)) return { name, state: 'warning', found: `the newest is ${days} days old`, next };
  // The first comes within a day of running.
  if (now - since < 2 * dayMs) return { name, state: 'ok', found: 'none yet' };
  return { name, state: 'warning', found: 'none', next };
};

const timesIn = (folder: string, network: string): number[] => {
  try {
    return readdirSync(folder)
      .filter((file) => file.startsWith(`${network}-`) && file.endsWith('.db'))
      .map((file) => statSync(join(folder, file)).mtimeMs);
  } catch {
    return [];
  }
};
