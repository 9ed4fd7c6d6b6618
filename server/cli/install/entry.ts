// An agent's entry in the configuration of its MCP host, with an API key of its own. Used by the command and the desktop.
import type { Ask, OwnerRoute } from '../../contract/owner-api.ts';
import type { Reply } from '../../contract/schemas.ts';
import { Ending } from '../ending.ts';
import { readText, writeText } from '../write-file.ts';
import { serverName, type Edit, type McpConfig, type Refused, type Values } from './format.ts';
import type { McpHost, Place } from './hosts.ts';

export interface Owner {
  address: string;
  /** @throws AppError as the treasury refused it */
  ask<N extends OwnerRoute>(route: N, input?: Ask<N>): Promise<Reply<N>>;
}

export type Key = Pick<Reply<'addKey'>, 'keyId' | 'apiKey'>;

export interface Plan {
  host: McpHost;
  file: string;
  agentId: string;
  /** The file as it is. */
  before: string;
  /** The entry's name. */
  name: string;
  /** Of the API key. */
  label: string;
  /** The entry with this API key. */
  entry(key: Key): Values;
  /** With a placeholder: the API key is made once the owner has said yes. */
  edit: Edit | Refused;
}

export const placeholder: Key = { keyId: 'key_(new)', apiKey: 'atk_(new)' };

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
  const entry = ({ apiKey }: Key): Values =>
    host.entry(serverName, withVariables(bridge, { owner, agentId, apiKey }));
  const edit = host.format.edit(before, serverName, entry(placeholder));
  return { host, file, agentId, before, name: serverName, label: `MCP: ${host.name}`, entry, edit };
};

export const withVariables = (
  bridge: McpConfig,
  { owner, agentId, apiKey }: { owner: Owner; agentId: string; apiKey: string },
): McpConfig => {
  const own = { TREASURY_OWNER: owner.address, TREASURY_AGENT_ID: agentId, TREASURY_API_KEY: apiKey };
  return { ...bridge, env: { ...bridge.env, ...own } };
};

export const makeKey = (owner: Owner, { agentId, label }: Plan): Promise<Key> =>
  owner.ask('addKey', { params: { agentId }, body: { label } });

/**
 * Writes the entry with a new API key, which is revoked where it cannot be written.
 * @throws Ending when the file changed in the meantime, or cannot be written
 */
export const writeEntry = async (
  owner: Owner,
  plan: Plan,
): Promise<{ keyId: string; backup: string | null }> => {
  const { host, file, before, agentId, name } = plan;
  const key = await makeKey(owner, plan);
  const { keyId } = key;
  try {
    const edit = host.format.edit(before, name, plan.entry(key));
    if ('refused' in edit) throw new Ending('failed', `${file} is left as it is: ${edit.refused}.`);
    return { keyId, backup: writeText(file, before, edit.text) };
  } catch (error) {
    await owner.ask('revokeKey', { params: { agentId, keyId } });
    throw error;
  }
};
