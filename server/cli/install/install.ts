// `treasury mcp install`: makes an API key for an agent's MCP host and writes it into the host's configuration, in an
// entry of our own or in one that then goes through the proxy.
import { createClient } from '../../client/client.ts';
import { readEndpoint } from '../../client/endpoint.ts';
import { readLinkedAgent } from '../../client/linked-agent.ts';
import { isFar } from '../../client/unreached.ts';
import { AppError } from '../../errors.ts';
import { confirm, Ending } from '../ending.ts';
import { registered } from '../agents/mcp-proxy.ts';
import { inert } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';
import { describeChange, ownerOf } from './asking.ts';
import { makeKey, planEntry, revokeReplaced, writeEntry, type Key, type Owner, type Plan } from './entry.ts';
import type { Values } from './format.ts';
import { hostNamed, variablesIn, type McpHost } from './hosts.ts';
import { installLinked } from './linked.ts';
import { planProxied } from './proxied.ts';
import { undo } from './undo.ts';

export interface InstallOptions {
  agent?: string;
  /** The entry that is to go through the proxy. */
  proxy?: string;
  undo: boolean;
  dryRun: boolean;
  yes: boolean;
}

export const install = async (terminal: Terminal, hostId: string, options: InstallOptions): Promise<void> => {
  const { agent, proxy, dryRun, yes } = options;
  const host = hostNamed(hostId);
  if (options.undo) return undo(terminal, host, options);
  if (agent === undefined) return installAsLinked(terminal, host, options);
  const owner = await ownerOf(terminal);
  await owner.ask('getPolicy', { params: { agentId: agent } });
  const plan =
    proxy === undefined
      ? await planEntry(owner, host, agent, terminal.io)
      : await planProxied(owner, host, terminal.io, { agentId: agent, name: proxy });
  const { file, before, name, edit, shown } = plan;
  const result = { host: host.id, file, agentId: agent, ...(proxy === undefined ? {} : { proxy }) };
  if (await isInstalled(terminal, variablesIn(host, before, name), agent))
    return show(terminal, { ...result, installed: true, changed: false }, () => [plan.already]);
  if (dryRun) return rehearse(terminal, plan, result);
  // With nobody to ask, fail before printing what there is to agree to.
  if (terminal.io.ask === null) await confirm(terminal, '', yes);
  if ('refused' in edit) {
    // A key is for somebody who asked for it.
    if (yes) throw new Ending('failed', `${file} is left as it is: ${edit.refused}. ${mendIt}`);
    terminal.note(`${file} is left as it is: ${edit.refused}.`);
  } else describeChange(terminal, shown);
  await confirm(terminal, questionOf(plan), yes);
  const words = await register(owner, plan);
  if ('refused' in edit) return paste(terminal, plan, edit.refused, await makeKey(owner, plan));
  const written = await writeEntry(owner, plan);
  if (plan.replaces !== null) await revokeReplaced(owner, plan.replaces);
  const { backup } = written;
  show(terminal, { ...result, ...written, installed: true, changed: true }, () => [
    `Written to ${file}.${backup === null ? '' : ` What was there: ${backup}`}`,
    ...words,
    `Restart ${host.name} to use it.`,
  ]);
};

const mendIt =
  'Mend it, and run this again; without --yes, in a terminal, it shows the entry to paste, with a new API key.';

/** Without an owner: the machine has its agent and its key. @throws Ending where it is not linked */
const installAsLinked = (terminal: Terminal, host: McpHost, options: InstallOptions): Promise<void> => {
  const { env, platform, home } = terminal.io;
  const linked = readLinkedAgent(env, platform, home);
  if (linked === null || options.proxy !== undefined)
    throw new Ending('usage', 'Name the agent that gets a key: --agent ID.');
  return installLinked(terminal, host, linked.agentId, options);
};

const questionOf = ({ file, edit, registers }: Plan): string => {
  const also = registers === null ? '' : ` and register mcp:${registers.name}`;
  return 'refused' in edit
    ? `Show the text to paste, with a new key in it${also}?`
    : `Write it to ${file}${also}?`;
};

/** Registers the command that the entry wraps, so that agents can pay it. */
const register = async (owner: Owner, { registers }: Plan): Promise<string[]> =>
  registers === null ? [] : [inert(registered(await owner.ask('addMcpServer', { body: registers })))];

const rehearse = (terminal: Terminal, { file, edit, shown }: Plan, result: object): void => {
  const refused = 'refused' in edit ? edit.refused : null;
  const replaces = 'refused' in edit ? false : edit.before !== null;
  show(terminal, { ...result, dryRun: true, replaces, refused }, () => [
    refused === null
      ? `Would ${replaces ? 'replace this entry in' : 'add this entry to'} ${file}:`
      : `Would not touch ${file}: ${refused}. To be pasted by hand:`,
    shown.after,
    'Nothing was written, and no key was made.',
  ]);
};

/** Prints the text. @throws Ending always, since the file was not written */
const paste = (terminal: Terminal, { host, file, name, entry }: Plan, reason: string, key: Key): void => {
  const text = host.format.whole(name, entry(key));
  show(terminal, { host: host.id, file, installed: false, refused: reason, paste: text }, () => [text]);
  throw new Ending('failed', 'Paste it there by hand. The key in it is shown only now.');
};

/** Whether an entry with these variables is this agent's, points to this treasury, and has a valid API key. */
const isInstalled = async (terminal: Terminal, variables: Values, agentId: string): Promise<boolean> => {
  const { TREASURY_AGENT_ID: agent, TREASURY_API_KEY: key, TREASURY_URL: url } = variables;
  const endpoint = readEndpoint(terminal.dataDir);
  // Through the owner's tunnel, the key leads to this treasury from anywhere.
  const isElsewhere = typeof url === 'string' && !isFar(url) && url !== endpoint.url;
  if (agent !== agentId || typeof key !== 'string' || isElsewhere) return false;
  try {
    await createClient(endpoint, key).ask('getPolicy', { params: { agentId } });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthorized') return false;
    throw error;
  }
};
