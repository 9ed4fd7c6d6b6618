// The port that a treasury is to have, while none runs: free, or whose it is.
import { folderServing } from '../../client/endpoint.ts';
import { defaultDataDir } from '../../config.ts';
import { AppError } from '../../errors.ts';
import { refuseTakenPort, takenPortOf, whatToType, whoHolds } from '../../lib/net/port.ts';
import { programAt } from './program-at-port.ts';
import type { Terminal } from '../terminal.ts';
import type { Check } from './check.ts';

export const portCheck = async (
  { dataDir, io }: Pick<Terminal, 'dataDir' | 'io'>,
  port: number,
): Promise<Check> => {
  const name = 'Port';
  try {
    await refuseTakenPort({ port, dataDir, folderServing: folderServing([dataDir, defaultDataDir]) });
    return { name, state: 'ok', found: `${port} is free` };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const taken = takenPortOf(error);
    if (taken === null)
      return { name, state: 'failed', found: `${port} may not be used`, next: error.message };
    const holder = programAt(port, io.platform);
    const named = holder === null ? '' : ` It is ${holder.name}, process ${holder.pid}.`;
    return {
      name,
      state: 'failed',
      found: `${whoHolds(taken, dataDir)}${named}`,
      next: whatToType(taken, dataDir),
    };
  }
};
