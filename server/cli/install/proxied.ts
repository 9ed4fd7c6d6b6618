// An entry that goes through the proxy. It keeps its former text and the id of its API key in a variable of its own, so
// that it can be put back without another file.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { mcpName } from '../../contract/catalog/mcp-names.schemas.ts';
import { AppError } from '../../errors.ts';
import { serverVariable, wrappedBy } from '../../mcp/proxy/command.ts';
import { Ending } from '../ending.ts';
import { inert } from '../table.ts';
import { readText } from '../payments/write-file.ts';
import { placeholder, withVariables, type Key, type Owner, type Plan } from './entry.ts';
import { serverIn, throughCommand, type Server } from './form.ts';
import { isTable, memberOf, membersOf, serverName, type McpConfig, type Values } from './format.ts';
import type { McpHost, Place } from './hosts.ts';
import { publicWords, shownEntry } from './masked.ts';

const variable = 'TREASURY_PROXIED';

export interface Proxied {
  /** The former entry as it was in the file. */
  entry: string;
  keyId: string;
  agentId: string;
  /** The treasury of the API key. */
  owner: string;
  /** Whether it was edited since. */
  isEdited: boolean;
}

/** Null for an entry that this command did not write. */
export const proxiedIn = (host: McpHost, values: unknown): Proxied | null => {
  const { [variable]: text, TREASURY_AGENT_ID: agentId, TREASURY_OWNER: owner } = variablesOf(host, values);
  try {
    const { entry, keyId, digest } = JSON.parse(String(text)) as Record<string, unknown>;
    if (typeof entry !== 'string' || typeof keyId !== 'string') return null;
    const isEdited = digest !== digestOf(host, membersOf(values));
    return { entry, keyId, agentId: String(agentId), owner: String(owner), isEdited };
  } catch {
    return null;
  }
};

/** Above the change that is shown. */
export const headingOf = ({ name }: McpHost, file: string, proxied: Proxied | null): string =>
  `${name}: ${file}${proxied?.isEdited === true ? '. The entry was edited since it was written, and what was changed is lost.' : ''}`;

const variablesOf = ({ form }: McpHost, values: unknown): Values =>
  membersOf(memberOf(membersOf(values), form.env));

/** SHA-256, in hex, of an entry's values: a host may write them in another layout. */
const digestOf = ({ form: { env } }: McpHost, values: Values): string => {
  const { [variable]: _, ...variables } = membersOf(memberOf(values, env));
  const plain = JSON.stringify({ ...values, [env]: variables }, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return createHash('sha256')
    .update(canonicalize(JSON.parse(plain)) ?? '')
    .digest('hex');
};

/**
 * The plan to put the proxy before the server that an entry names. One that goes through it already is made anew from its
 * former text.
 * @throws Ending when there is no such entry, the proxy cannot be put before it, or the file cannot be read
 */
export const planProxied = async (
  owner: Owner,
  host: McpHost,
  place: Place,
  { agentId, name }: { agentId: string; name: string },
): Promise<Plan> => {
  const file = host.file(place);
  const before = readText(file);
  const { bridge } = await owner.ask('about');
  const found = entryNamed(host, file, before, name);
  const proxied = proxiedIn(host, found);
  const text = proxied?.entry ?? host.format.find(before, name);
  const former = proxied === null ? found : formerOf({ host, file, before }, name, proxied);
  if (isOurs(host, former, bridge))
    throw new Ending('usage', `${inert(name)} starts a program of the treasury itself: choose another.`);
  const server = serverIn(host.form, former);
  if ('refused' in server) throw new Ending('failed', `${inert(name)} is left as it is: ${server.refused}.`);
  const through = proxyFor(name, server);
  const config = {
    ...bridge,
    args: [...bridge.args, 'proxy', ...through.args],
    env: { ...bridge.env, ...through.env },
  };
  // An entry that is pasted by hand is put back by hand: its text may be in several places.
  const isSafe = text !== null && !('refused' in host.format.edit(before, name, former));
  const entry = ({ keyId, apiKey }: Key): Values => {
    const own = withVariables(config, { owner, agentId, apiKey });
    const written = throughCommand(host.form, former, own);
    if (!isSafe) return written;
    const digest = digestOf(host, written);
    const kept = JSON.stringify({ entry: text, keyId, digest });
    return throughCommand(host.form, former, { ...own, env: { ...own.env, [variable]: kept } });
  };
  return {
    host,
    file,
    agentId,
    before,
    name,
    label: `MCP: ${host.name}, ${inert(name)}`.slice(0, 80),
    entry,
    edit: host.format.edit(before, name, entry(placeholder)),
    shown: {
      heading: headingOf(host, file, proxied),
      before: shownEntry(host, name, found),
      after: shownEntry(host, name, entry(placeholder)),
    },
    already: `${inert(name)} goes through the proxy already: ${file}`,
    registers: 'url' in server ? null : { name, command: publicWords(server.command) },
    replaces: proxied,
  };
};

/** @throws Ending when the file has no entry of this name, or none that can be read */
export const entryNamed = (host: McpHost, file: string, text: string, name: string): Values => {
  if (name === serverName)
    throw new Ending('usage', `${name} is the treasury’s own entry: the proxy is for another server.`);
  const entries = host.format.entries(text);
  const found = memberOf(entries, name);
  if (isTable(found)) return found;
  const names = Object.keys(entries).filter((one) => one !== serverName);
  const edit = host.format.edit(text, name, {});
  if (names.length === 0 && 'refused' in edit)
    throw new Ending('failed', `${file} is left as it is: ${edit.refused}.`);
  const known = names.length === 0 ? 'It has no other server.' : `It has: ${names.map(inert).join(', ')}.`;
  throw new Ending('usage', `There is no server ${inert(name)} in ${file}. ${known}`);
};

/** @throws Ending when the former text no longer fits into the file */
const formerOf = (
  { host, file, before }: Pick<Plan, 'host' | 'file' | 'before'>,
  name: string,
  { entry }: Proxied,
): Values => {
  const restored = host.format.restore(before, name, entry);
  if ('refused' in restored) throw new Ending('failed', `${file} is left as it is: ${restored.refused}.`);
  return membersOf(memberOf(host.format.entries(restored.text), name));
};

/** Whether it starts the bridge or the proxy, in whatever words. */
const isOurs = (host: McpHost, values: Values, bridge: McpConfig): boolean => {
  if (Object.keys(variablesOf(host, values)).some((name) => name.startsWith('TREASURY_'))) return true;
  const server = serverIn(host.form, values);
  if (!('command' in server)) return false;
  const { command } = server;
  const own = [bridge.command, ...bridge.args];
  const at = command.findIndex((word) => ourCommand.test(word));
  return (
    own.every((word, index) => command[index] === word) ||
    ourBridge.test(command[0] ?? '') ||
    (at >= 0 && command.includes('mcp', at))
  );
};
const ourCommand = /(?:^|[\\/])(?:treasury(?:\.exe|\.cjs)?|cli[\\/]main\.ts)$/;
const ourBridge = /(?:^|[\\/])treasury-mcp(?:\.exe|\.cjs)?$/;

/** @throws Ending for a name, an endpoint or a header that the proxy does not take */
const proxyFor = (name: string, server: Server): Pick<McpConfig, 'args' | 'env'> => {
  if ('command' in server && !mcpName.safeParse(name).success)
    throw new Ending(
      'usage',
      `${inert(name)} is no name of an MCP server, of letters, digits, dots, underscores and hyphens: rename the entry in the host’s configuration, and run this again.`,
    );
  try {
    if ('command' in server) return { args: ['--name', name, '--', ...server.command], env: {} };
    // Other users of the machine can read a program's arguments, and not its variables.
    const env = { [serverVariable]: JSON.stringify(server) };
    wrappedBy([], { header: [] }, env);
    return { args: [], env };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new Ending('failed', `${inert(name)} is left as it is: the proxy refuses it. ${error.message}`);
  }
};
