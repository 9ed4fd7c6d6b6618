// Finds an agent's treasury: first by the file that the running host leaves in its data folder, since its port may
// change at each start; otherwise by the URL that the agent was given. That of another machine is the address of its
// owner's tunnel; on the owner's own machine the same configuration finds the treasury without the tunnel.
import { AppError } from '../errors.ts';
import { readEndpoint, type Endpoint } from './endpoint.ts';
import { dataFolderIn } from '../lib/files/folders.ts';
import { httpsUrlOf } from '../lib/net/public-url.ts';
import type { FarTreasury } from './linked-agent.ts';
import { isFar, notRunningHere } from './unreached.ts';

export interface Place {
  /** As `http://127.0.0.1:PORT`, or `https://NAME` behind a tunnel. */
  url: string;
  /** Null when it is unknown. */
  owner: string | null;
  network: Endpoint['network'] | null;
}

/**
 * Read again for each connection.
 * @param linked where this machine is linked to, if that is elsewhere
 * @throws AppError `halted` when there is no address, `bad_request` for a bad one
 */
export const locate = (env: NodeJS.ProcessEnv, linked?: FarTreasury): Place => {
  const url = given(env) ?? (linked && addressOf('agent.json', linked.url));
  const owner = env['TREASURY_OWNER'] ?? linked?.owner ?? null;
  const isNear = url !== undefined && !isFar(url);
  const dataDir = env['TREASURY_DATA'] || !isNear ? dataFolderIn(env) : null;
  const found = dataDir === null ? null : endpointIn(dataDir);
  // A public address stands for the treasury of one owner; on another's machine it leads elsewhere.
  if (found !== null && (url === undefined || isNear || found.owner === owner))
    return {
      url: addressOf('endpoint.json', found.url),
      owner: owner ?? found.owner,
      network: found.network,
    };
  if (url === undefined) throw new AppError('halted', `${notRunningHere} No treasury runs in ${dataDir}.`);
  return { url, owner, network: null };
};

const given = ({ TREASURY_URL: url }: NodeJS.ProcessEnv): string | undefined =>
  url === undefined ? undefined : addressOf('TREASURY_URL', url);

const endpointIn = (dataDir: string): Endpoint | null => {
  try {
    return readEndpoint(dataDir);
  } catch {
    return null;
  }
};

/**
 * The origin of a treasury's address. In the clear, the API key never leaves this machine.
 * @param field named in the error
 * @throws AppError `bad_request`
 */
export const addressOf = (field: string, text: string): string => {
  const far = httpsUrlOf(text);
  if (far !== null) return trusted(far.origin);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' || !['127.0.0.1', 'localhost'].includes(url.hostname))
    throw new AppError(
      'bad_request',
      `${field}: must be http://127.0.0.1:PORT on the treasury’s machine, or the https://NAME of its owner’s tunnel.`,
    );
  url.hostname = '127.0.0.1';
  return url.origin;
};

/** @throws AppError `bad_request` where the program checks no certificates */
const trusted = (origin: string): string => {
  if (process.env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return origin;
  throw new AppError(
    'bad_request',
    `NODE_TLS_REJECT_UNAUTHORIZED: is 0, so nothing proves that ${origin} is the owner’s. Unset it; NODE_EXTRA_CA_CERTS names an authority of your own.`,
  );
};
