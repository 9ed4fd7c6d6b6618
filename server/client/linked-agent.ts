// The agent that this machine is linked to: a file in the platform's configuration folder, written by `treasury link`.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { applicationData } from '../lib/files/folders.ts';
import { fieldsIn, textOf } from './json-fields.ts';

/** A treasury on another machine, behind its owner's tunnel. */
export interface FarTreasury {
  /** As `https://NAME`. */
  url: string;
  owner: string;
}

export interface LinkedAgent {
  agentId: string;
  walletAddress: string;
  apiKey: string;
  linkedAt: string;
  /** Absent: on this machine. */
  treasury?: FarTreasury;
}

/** The platform's folder for per-user settings. */
export const configFolder = (
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string => join(applicationData(env, platform, home), 'agent-treasury');

export const linkedAgentFile = (...where: Parameters<typeof configFolder>): string =>
  join(configFolder(...where), 'agent.json');

/** Null when this machine is not linked. */
export const readLinkedAgent = (...where: Parameters<typeof configFolder>): LinkedAgent | null => {
  try {
    const { agentId, walletAddress, apiKey, linkedAt, treasury } = fieldsIn(linkedAgentFile(...where));
    return {
      agentId: textOf(agentId),
      walletAddress: textOf(walletAddress),
      apiKey: textOf(apiKey),
      linkedAt: textOf(linkedAt),
      ...(treasury === undefined ? {} : { treasury: farTreasury(treasury) }),
    };
  } catch {
    return null;
  }
};

const farTreasury = (value: unknown): FarTreasury => {
  const { url, owner } = value as Record<string, unknown>;
  return { url: textOf(url), owner: textOf(owner) };
};
