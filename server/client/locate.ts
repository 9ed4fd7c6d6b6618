// Finds an agent's treasury: first by the file that the running host leaves in its data folder, since its port may
// change at each start; otherwise by the URL that the agent was given.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { readEndpoint, type Endpoint } from './endpoint.ts';

export interface Place {
  /** As `http://127.0.0.1:PORT`. */
  url: string;
  /** Null when it is unknown. */
  owner: string | null;
  network: Endpoint['network'] | null;
}

/** Read again for each connection. @throws AppError `halted` when there is no address, `bad_request` for a bad one */
export const locate = (env: NodeJS.ProcessEnv): Place => {
  const given = env['TREASURY_URL'];
  const owner = env['TREASURY_OWNER'] ?? null;
  const dataDir = env['TREASURY_DATA'] ?? (given === undefined ? join(homedir(), '.agent-treasury') : null);
  const found = dataDir === null ? null : endpointIn(dataDir);
  if (found !== null)
    return { url: loopback(found.url), owner: owner ?? found.owner, network: found.network };
  if (given === undefined) throw agentsTreasuryIsNotRunning();
  return { url: loopback(given), owner, network: null };
};

export const agentsTreasuryIsNotRunning = (): AppError =>
  new AppError('halted', 'The treasury is not running; ask its owner to start it.');

const endpointIn = (dataDir: string): Endpoint | null => {
  try {
    return readEndpoint(dataDir);
  } catch {
    return null;
  }
};

/** Loopback addresses only: the API key never leaves this machine. */
const loopback = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' || !['127.0.0.1', 'localhost'].includes(url.hostname))
    throw new AppError('bad_request', 'TREASURY_URL must be http://127.0.0.1:PORT: the treasury is local.');
  url.hostname = '127.0.0.1';
  return url.origin;
};
