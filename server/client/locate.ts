// Where an agent's treasury answers: what the running host left in its data folder, since its port may change from one
// start to the next; otherwise the address that the agent was given.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { readEndpoint, type Endpoint } from './endpoint.ts';

export interface Place {
  /** As `http://127.0.0.1:PORT`. */
  url: string;
  /** Null when nobody said it. */
  owner: string | null;
  network: Endpoint['network'] | null;
}

/** Read again at each connection. @throws AppError `halted` when nothing says where, `bad_request` for a bad address */
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

/** The treasury answers on this machine alone: a key goes nowhere else. */
const loopback = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' || !['127.0.0.1', 'localhost'].includes(url.hostname))
    throw new AppError('bad_request', 'TREASURY_URL must be http://127.0.0.1:PORT: the treasury is local.');
  url.hostname = '127.0.0.1';
  return url.origin;
};
