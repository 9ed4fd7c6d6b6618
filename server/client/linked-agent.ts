// The agent that this machine is linked to: a file in the platform's configuration folder, written by `treasury link`.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const linkedAgent = z.object({
  agentId: z.string(),
  walletAddress: z.string(),
  apiKey: z.string(),
  linkedAt: z.string(),
});
export type LinkedAgent = z.output<typeof linkedAgent>;

/** The platform's folder for per-user settings. */
const configFolder = (
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string => {
  const name = 'agent-treasury';
  if (platform === 'win32') return join(env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), name);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', name);
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), name);
};

export const linkedAgentFile = (...where: Parameters<typeof configFolder>): string =>
  join(configFolder(...where), 'agent.json');

/** Null when this machine is not linked. */
export const readLinkedAgent = (...where: Parameters<typeof configFolder>): LinkedAgent | null => {
  try {
    return linkedAgent.parse(JSON.parse(readFileSync(linkedAgentFile(...where), 'utf8')));
  } catch {
    return null;
  }
};
