// The address of this machine's treasury: the running host leaves it in its data folder.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { fieldsIn, numberOf, textOf } from './json-fields.ts';

export interface Endpoint {
  url: string;
  pid: number;
  owner: string;
  network: Config['network'];
  /** Bearer for public routes: there, known terminals have tries of their own. */
  known?: string;
}

/** @throws AppError `halted` when no host runs on this data folder */
export const readEndpoint = (dataDir: string): Endpoint => {
  const file = join(dataDir, 'runtime', 'endpoint.json');
  try {
    const { url, pid, owner, network, known } = fieldsIn(file);
    return {
      url: textOf(url),
      pid: numberOf(pid),
      owner: textOf(owner),
      network: networkOf(network),
      ...(known === undefined ? {} : { known: textOf(known) }),
    };
  } catch {
    throw notRunning();
  }
};

const networks: readonly Endpoint['network'][] = ['sandbox', 'devnet', 'mainnet'];

const networkOf = (value: unknown): Endpoint['network'] => {
  const found = networks.find((name) => name === value);
  if (found === undefined) throw new TypeError('no network');
  return found;
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
