// One click instead of a command: the entry of an agent in its MCP host, written as `treasury mcp install` writes it.
import { homedir } from 'node:os';
import process from 'node:process';
import { Ending } from '../server/cli/ending.ts';
import { planEntry, writeEntry, type Owner } from '../server/cli/install/entry.ts';
import { hostNamed } from '../server/cli/install/hosts.ts';
import { AppError } from '../server/errors.ts';
import type { Host } from '../server/host/options.ts';

/**
 * The page names a host and an agent, and nothing that is written.
 * @throws AppError `not_found`, and `conflict` when the file is left as it is
 */
export const installMcp = async (
  { api, owner: address }: Pick<Host, 'api' | 'owner'>,
  hostId: string,
  agentId: string,
): Promise<{ file: string; backup: string | null }> => {
  const owner: Owner = { address, ask: (route, input) => api.ask(route, input) };
  const { env, platform } = process;
  try {
    const plan = await planEntry(owner, hostNamed(hostId), agentId, { env, platform, home: homedir() });
    const { file, edit } = plan;
    if ('refused' in edit) throw new AppError('conflict', `${file} is left as it is: ${edit.refused}.`);
    const { backup } = await writeEntry(owner, plan);
    return { file, backup };
  } catch (error) {
    throw error instanceof Ending ? new AppError('conflict', error.message) : error;
  }
};
