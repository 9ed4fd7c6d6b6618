// `treasury mcp install`: makes an API key for an agent's MCP host and writes it into the host's configuration.
import { createClient } from '../../client/client.ts';
import { readEndpoint } from '../../client/endpoint.ts';
import { AppError } from '../../errors.ts';
import { confirm, Ending } from '../ending.ts';
import { becomeOwner } from '../login.ts';
import { asOwner } from '../session.ts';
import { show, type Terminal } from '../terminal.ts';
import { makeKey, placeholder, planEntry, writeEntry, type Key, type Owner, type Plan } from './entry.ts';
import { serverName, type Values } from './format.ts';
import { hostNamed, variablesIn } from './hosts.ts';

export interface InstallOptions {
  agent: string;
  dryRun: boolean;
  yes: boolean;
}

const masked = (text: string): string => text.replaceAll(/atk_[\w()-]+/g, 'atk_…');

export const install = async (terminal: Terminal, hostId: string, options: InstallOptions): Promise<void> => {
  const host = hostNamed(hostId);
  const { agent, dryRun, yes } = options;
  const owner = await ownerOf(terminal);
  await owner.ask('getPolicy', { params: { agentId: agent } });
  const plan = await planEntry(owner, host, agent, terminal.io);
  const { file, before, edit } = plan;
  if (await isInstalled(terminal, variablesIn(host, before, serverName), agent))
    return show(terminal, { host: host.id, file, agentId: agent, installed: true, changed: false }, () => [
      `${host.name} has this agent’s key already: ${file}`,
    ]);
  if (dryRun) return rehearse(terminal, plan);
  // With nobody to ask, fail before printing what there is to agree to.
  if (terminal.io.ask === null) await confirm(terminal, '', yes);
  if ('refused' in edit) terminal.note(`${file} is left as it is: ${edit.refused}.`);
  else describe(terminal, plan, edit.before);
  await confirm(
    terminal,
    'refused' in edit ? 'Show the text to paste, with a new key in it?' : `Write it to ${file}?`,
    yes,
  );
  if ('refused' in edit) return paste(terminal, plan, edit.refused, await makeKey(owner, plan));
  const written = await writeEntry(owner, plan);
  const { backup } = written;
  show(terminal, { host: host.id, file, agentId: agent, ...written, installed: true, changed: true }, () => [
    `Written to ${file}.${backup === null ? '' : ` What was there: ${backup}`}`,
    `Restart ${host.name} to use it.`,
  ]);
};

/** A terminal that was not let in asks the owner first, where somebody sits at it. */
const ownerOf = async (terminal: Terminal): Promise<Owner> => {
  const address = readEndpoint(terminal.dataDir).owner;
  try {
    const { ask } = asOwner(terminal);
    await ask('about');
    return { address, ask };
  } catch (error) {
    if (terminal.io.ask === null || !(error instanceof AppError) || error.code !== 'unauthorized')
      throw error;
    await becomeOwner(terminal, undefined);
    return { address, ask: asOwner(terminal).ask };
  }
};

const rehearse = (terminal: Terminal, { host, file, agentId, name, entry, edit }: Plan): void => {
  const refused = 'refused' in edit ? edit.refused : null;
  const replaces = 'refused' in edit ? false : edit.before !== null;
  show(terminal, { host: host.id, file, agentId, dryRun: true, replaces, refused }, () => [
    refused === null
      ? `Would ${replaces ? 'replace this entry in' : 'add this entry to'} ${file}:`
      : `Would not touch ${file}: ${refused}. To be pasted by hand:`,
    masked(host.format.whole(name, entry(placeholder))),
    'Nothing was written, and no key was made.',
  ]);
};

/** Prints the text. @throws Ending always, since the file was not written */
const paste = (terminal: Terminal, { host, file, name, entry }: Plan, reason: string, key: Key): void => {
  const text = host.format.whole(name, entry(key));
  show(terminal, { host: host.id, file, installed: false, refused: reason, paste: text }, () => [text]);
  throw new Ending('failed', 'Paste it there by hand. The key in it is shown only now.');
};

const marked = (sign: string, text: string): string =>
  masked(text)
    .split(/\r?\n/)
    .map((line) => `${sign} ${line}`)
    .join('\n');

const describe = (
  { json, print, note }: Terminal,
  { host, file, name, entry }: Plan,
  before: string | null,
): void => {
  const say = json ? note : print;
  say(`${host.name}: ${file}`);
  if (before !== null) say(marked('-', before));
  say(marked('+', host.format.whole(name, entry(placeholder))));
};

/** Whether an entry with these variables is this agent's, points to this treasury, and has a valid API key. */
const isInstalled = async (terminal: Terminal, variables: Values, agentId: string): Promise<boolean> => {
  const { TREASURY_AGENT_ID: agent, TREASURY_API_KEY: key, TREASURY_URL: url } = variables;
  const endpoint = readEndpoint(terminal.dataDir);
  if (agent !== agentId || typeof key !== 'string' || (url !== undefined && url !== endpoint.url))
    return false;
  try {
    await createClient(endpoint, key).ask('getPolicy', { params: { agentId } });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthorized') return false;
    throw error;
  }
};
