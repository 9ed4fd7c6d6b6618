// The agent that this bridge acts for: from its environment, or from the file of a linked machine.
import { readLinkedAgent } from '../client/linked-agent.ts';
import type { Identity } from '../client/agent-client.ts';
import { AppError } from '../errors.ts';

/** @throws AppError `unauthorized` when there is no such setting and no such file */
export const readIdentity = (...where: Parameters<typeof readLinkedAgent>): Identity => {
  const [env = process.env] = where;
  const { TREASURY_AGENT_ID: agentId, TREASURY_API_KEY: apiKey } = env;
  if (agentId !== undefined && apiKey !== undefined) return { agentId, apiKey };
  const linked = readLinkedAgent(...where);
  if (linked !== null) return linked;
  throw new AppError(
    'unauthorized',
    'This machine is not linked to a treasury: run "treasury link", or put the mcpConfig of a deployed agent, with its TREASURY_AGENT_ID and TREASURY_API_KEY, into this host’s configuration.',
  );
};
