// An agent's entry in the configuration of its MCP host, with an API key of its own. Used by the command and the desktop.
import type { Ask, OwnerRoute } from '../../contract/owner-api.ts';
import type { Reply } from '../../contract/schemas.ts';
import { readText, writeText } from '../write-file.ts';
import type { Edit, McpConfig } from './format.ts';
import type { McpHost, Place } from './hosts.ts';

export interface Owner {
  address: string;
  /** @throws AppError as the treasury refused it */
  ask<N extends OwnerRoute>(route: N, input?: Ask<N>): Promise<Reply<N>>;
}

export interface Plan {
  host: McpHost;
  file: string;
  agentId: string;
  /** The file as it is. */
  before: string;
  /** Our entry, with a placeholder: the API key is made once the owner has said yes. */
  config: McpConfig;
  edit: Edit | { refused: string };
}

const newKey = 'atk_(new)';

/** @throws Ending when the file cannot be read */
export const planEntry = async (
  owner: Owner,
  host: McpHost,
  agentId: string,
  place: Place,
): Promise<Plan> => {
  const file = host.file(place);
  const before = readText(file);
  const { bridge } = await owner.ask('about');
  const own = { TREASURY_OWNER: owner.address, TREASURY_AGENT_ID: agentId, TREASURY_API_KEY: newKey };
  const config = { ...bridge, env: { ...bridge.env, ...own } };
  return { host, file, agentId, before, config, edit: host.format.edit(before, config) };
};

export interface Key {
  keyId: string;
  /** Puts the API key where the placeholder is. */
  fill(text: string): string;
}

export const makeKey = async (owner: Owner, { agentId, host }: Plan): Promise<Key> => {
  const body = { label: `MCP: ${host.name}` };
  const { keyId, apiKey } = await owner.ask('addKey', { params: { agentId }, body });
  return { keyId, fill: (text) => text.replace(newKey, apiKey) };
};

/**
 * Writes the entry with a new API key, which is revoked where it cannot be written.
 * @throws Ending when the file changed in the meantime, or cannot be written
 */
export const writeEntry = async (
  owner: Owner,
  plan: Plan,
  edit: Edit,
): Promise<{ keyId: string; backup: string | null }> => {
  const { file, before, agentId } = plan;
  const { keyId, fill } = await makeKey(owner, plan);
  try {
    return { keyId, backup: writeText(file, before, fill(edit.text)) };
  } catch (error) {
    await owner.ask('revokeKey', { params: { agentId, keyId } });
    throw error;
  }
};
