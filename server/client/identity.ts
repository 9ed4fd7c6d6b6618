// The agent that a client acts for: from its environment, or from the file of a linked machine.
import { readFileSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { fromHome } from '../lib/files/folders.ts';
import { closingCommand, openTo } from '../lib/files/owner-only.ts';
import { linkedAgentFile, readLinkedAgent, type FarTreasury } from './linked-agent.ts';

export interface Identity {
  agentId: string;
  apiKey: string;
  /** Where this machine is linked to, if that is elsewhere. */
  treasury?: FarTreasury;
}

/**
 * An API key stands in TREASURY_API_KEY, or in a file of the owner's alone that TREASURY_API_KEY_FILE names.
 * @throws AppError `unauthorized` when there is no such setting and no such file, when others can read the file, and for an
 *   agent or a key alone, unless this machine is linked to that agent
 */
export const readIdentity = (...where: Parameters<typeof readLinkedAgent>): Identity => {
  const [env = process.env, platform] = where;
  const { TREASURY_AGENT_ID: agentId, TREASURY_API_KEY_FILE: keyFile } = env;
  const apiKey = apiKeyOf(env) ?? (keyFile === undefined ? undefined : keyIn(fromHome(keyFile), platform));
  if (apiKey === '')
    throw new AppError('unauthorized', `TREASURY_API_KEY${keyFile === undefined ? '' : '_FILE'}: is empty.`);
  if (agentId !== undefined && apiKey !== undefined) return { agentId, apiKey };
  const linked = readLinkedAgent(...where);
  const half = agentId ?? apiKey;
  if (linked !== null && [undefined, linked.agentId, linked.apiKey].includes(half)) {
    refuseOpen('agent.json', linkedAgentFile(...where), platform);
    return linked;
  }
  throw new AppError(
    'unauthorized',
    half !== undefined
      ? halfNamed
      : 'This machine is not linked to a treasury: run "treasury link", or put the mcpConfig of a deployed agent, with its TREASURY_AGENT_ID and TREASURY_API_KEY, into this host’s configuration.',
  );
};

/** The API key of the environment. Secret stores and files often end one with a line break, which is no part of it. */
export const apiKeyOf = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  env['TREASURY_API_KEY']?.trim();

const halfNamed =
  'Of TREASURY_AGENT_ID and TREASURY_API_KEY (a client’s agentId and apiKey), only one is set, and this machine is not linked to that agent. Set both, or neither.';

const keyIn = (file: string, platform?: NodeJS.Platform): string => {
  try {
    refuseOpen('TREASURY_API_KEY_FILE', file, platform);
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('unauthorized', `TREASURY_API_KEY_FILE: ${file} cannot be read.`);
  }
};

/** An API key is for its user alone; a link counts as what it leads to. */
const refuseOpen = (name: string, file: string, platform?: NodeJS.Platform): void => {
  const opening = openTo(file, platform);
  if (opening !== null)
    throw new AppError(
      'unauthorized',
      `${name}: ${file} can be read by ${opening.to}: ${closingCommand(file, platform)}`,
    );
};
