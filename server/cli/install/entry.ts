// An agent's entry in the configuration of its MCP host, with an API key of its own. Used by the command and the desktop.
import type { Ask, OwnerRoute } from '../../contract/owner-api.ts';
import type { Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { Ending } from '../ending.ts';
import { readText, writeText } from '../payments/write-file.ts';
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
  /** The entry as it is and as it will be, without secrets. */
  shown: Shown;
  /** The sentence for an entry that is there already. */
  already: string;
  /** The command that the entry wraps; null where it wraps none. */
  registers: { name: string; command: string[] } | null;
  /** The API key of the entry that this one replaces, where it is known. */
  replaces: ReplacedKey | null;
}

export interface Shown {
  heading: string;
  before: string | null;
  after: string;
}

export interface ReplacedKey {
  /** Of its treasury. */
  owner: string;
  agentId: string;
  keyId: string;
}

/** Without API keys. */
export const masked = (text: string): string => text.replaceAll(/atk_[\w()-]+/g, 'atk_…');

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
  return {
    host,
    file,
    agentId,
    before,
    name: serverName,
    label: `MCP: ${host.name}`,
    entry,
    edit,
    shown: {
      heading: `${host.name}: ${file}`,
      before: 'refused' in edit || edit.before === null ? null : masked(edit.before),
      after: masked(host.format.whole(serverName, entry(placeholder))),
    },
    already: `${host.name} has this agent’s key already: ${file}`,
    registers: null,
    replaces: null,
  };
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

/** Revokes the API key of an entry that is gone. Returns false for another treasury's key, or one that is not there. */
export const revokeReplaced = async (
  owner: Owner,
  { owner: address, agentId, keyId }: ReplacedKey,
): Promise<boolean> => {
  if (address !== owner.address) return false;
  try {
    await owner.ask('revokeKey', { params: { agentId, keyId } });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return false;
    throw error;
  }
};

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
