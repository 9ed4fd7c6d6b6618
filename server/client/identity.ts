// The agent that a client acts for: from its environment, or from the file of a linked machine.
import { readFileSync, statSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { readLinkedAgent, type FarTreasury } from './linked-agent.ts';

export interface Identity {
  agentId: string;
  apiKey: string;
  /** Where this machine is linked to, if that is elsewhere. */
  treasury?: FarTreasury;
}

/**
 * An API key stands in TREASURY_API_KEY, or in a file of the owner's alone that TREASURY_API_KEY_FILE names.
 * @throws AppError `unauthorized` when there is no such setting and no such file, and for an agent or a key alone, unless
 *   this machine is linked to that agent
 */
export const readIdentity = (...where: Parameters<typeof readLinkedAgent>): Identity => {
  const [env = process.env] = where;
  const { TREASURY_AGENT_ID: agentId, TREASURY_API_KEY_FILE: keyFile } = env;
  const apiKey = env['TREASURY_API_KEY'] ?? (keyFile === undefined ? undefined : keyIn(keyFile));
  if (agentId !== undefined && apiKey !== undefined) return { agentId, apiKey };
  const linked = readLinkedAgent(...where);
  const half = agentId ?? apiKey;
  if (linked !== null && [undefined, linked.agentId, linked.apiKey].includes(half)) return linked;
  throw new AppError(
    'unauthorized',
    half !== undefined
      ? halfNamed
      : 'This machine is not linked to a treasury: run "treasury link", or put the mcpConfig of a deployed agent, with its TREASURY_AGENT_ID and TREASURY_API_KEY, into this host’s configuration.',
  );
};

const halfNamed =
  'Of TREASURY_AGENT_ID and TREASURY_API_KEY (a client’s agentId and apiKey), only one is set, and this machine is not linked to that agent. Set both, or neither.';

const othersMayRead = 0o077;

const keyIn = (file: string): string => {
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & othersMayRead) !== 0)
      throw new AppError(
        'unauthorized',
        `TREASURY_API_KEY_FILE: ${file} can be read by others: chmod 600 ${file}`,
      );
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('unauthorized', `TREASURY_API_KEY_FILE: ${file} cannot be read.`);
  }
};
