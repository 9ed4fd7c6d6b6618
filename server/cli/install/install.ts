// `treasury mcp install`: gives an agent's MCP host a key of its own and writes the entry into its configuration.
import { createClient, type Client } from '../../client/client.ts';
import { readEndpoint } from '../../client/endpoint.ts';
import type { Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { confirm, Ending } from '../ending.ts';
import { asOwner } from '../session.ts';
import { show, type Terminal } from '../terminal.ts';
import { variableIn, type Edit, type McpConfig } from './format.ts';
import { hostNamed, type McpHost } from './hosts.ts';
import { readText, writeText } from './write-file.ts';

export interface InstallOptions {
  agent: string;
  dryRun: boolean;
  yes: boolean;
}

/** Stands for what only the treasury knows, until it has issued a key. */
const unknownYet: McpConfig = {
  command: '(told by the treasury)',
  args: [],
  env: { TREASURY_API_KEY: '(a new key)' },
};

export const masked = (text: string): string => text.replaceAll(/atk_[\w-]+/g, 'atk_…');

export const install = async (terminal: Terminal, hostId: string, options: InstallOptions): Promise<void> => {
  const host = hostNamed(hostId);
  const { agent, dryRun, yes } = options;
  const file = host.file(terminal.io);
  const before = readText(file);
  const owner = asOwner(terminal);
  await owner.ask('getPolicy', { params: { agentId: agent } });
  if (await isInstalled(terminal, host.format.find(before), agent))
    return show(terminal, { host: host.id, file, agentId: agent, installed: true, changed: false }, () => [
      `${host.name} has this agent’s key already: ${file}`,
    ]);
  const draft = host.format.edit(before, unknownYet);
  if (dryRun) return rehearse(terminal, host, file, agent, draft);
  // Whoever cannot be asked is not given a key either.
  if (terminal.io.ask === null) await confirm(terminal, '', yes);
  const { keyId, mcpConfig } = await owner.ask('addKey', {
    params: { agentId: agent },
    body: { label: `MCP: ${host.name}` },
  });
  try {
    const edit = host.format.edit(before, mcpConfig);
    if ('refused' in edit) return await paste(terminal, host, file, edit.refused, mcpConfig, yes);
    describe(terminal, host, file, edit.before, mcpConfig);
    await confirm(terminal, `Write it to ${file}?`, yes);
    const backup = writeText(file, before, edit.text);
    show(
      terminal,
      { host: host.id, file, agentId: agent, keyId, backup, installed: true, changed: true },
      () => [
        `Written to ${file}.${backup === null ? '' : ` What was there: ${backup}`}`,
        `Restart ${host.name} to use it.`,
      ],
    );
  } catch (error) {
    if (!(error instanceof Pasted)) await revoke(owner, agent, keyId);
    throw error;
  }
};

/** The key was handed over, and stays in force. */
class Pasted extends Ending {}

const revoke = async (owner: Client, agentId: string, keyId: string): Promise<Reply<'revokeKey'>> =>
  owner.ask('revokeKey', { params: { agentId, keyId } });

const rehearse = (
  terminal: Terminal,
  host: McpHost,
  file: string,
  agentId: string,
  draft: Edit | { refused: string },
): void => {
  const refused = 'refused' in draft ? draft.refused : null;
  const replaces = 'refused' in draft ? false : draft.before !== null;
  show(terminal, { host: host.id, file, agentId, dryRun: true, replaces, refused }, () => [
    refused === null
      ? `Would ${replaces ? 'replace this entry in' : 'add this entry to'} ${file}:`
      : `Would not touch ${file}: ${refused}. To be pasted by hand:`,
    host.format.whole(unknownYet),
    'Nothing was written, and no key was made.',
  ]);
};

/** @throws Pasted after the text, since the file was not written */
const paste = async (
  terminal: Terminal,
  host: McpHost,
  file: string,
  reason: string,
  config: McpConfig,
  isConfirmed: boolean,
): Promise<void> => {
  terminal.note(`${file} is left as it is: ${reason}.`);
  await confirm(terminal, 'Show the text to paste, with a new key in it?', isConfirmed);
  const text = host.format.whole(config);
  show(terminal, { host: host.id, file, installed: false, refused: reason, paste: text }, () => [text]);
  throw new Pasted('refused', 'Paste it there by hand. The key in it is shown only now.');
};

const marked = (sign: string, text: string): string =>
  masked(text)
    .split(/\r?\n/)
    .map((line) => `${sign} ${line}`)
    .join('\n');

const describe = (
  { json, print, note }: Terminal,
  host: McpHost,
  file: string,
  before: string | null,
  config: McpConfig,
): void => {
  const say = json ? note : print;
  say(`${host.name}: ${file}`);
  if (before !== null) say(marked('-', before));
  say(marked('+', host.format.whole(config)));
};

/** Whether the entry is this agent's, speaks to this treasury, and its key is in force. */
const isInstalled = async (terminal: Terminal, entry: string | null, agentId: string): Promise<boolean> => {
  if (entry === null || variableIn(entry, 'TREASURY_AGENT_ID') !== agentId) return false;
  const endpoint = readEndpoint(terminal.dataDir);
  const key = variableIn(entry, 'TREASURY_API_KEY');
  const url = variableIn(entry, 'TREASURY_URL');
  if (key === null || (url !== null && url !== endpoint.url)) return false;
  try {
    await createClient(endpoint, key).ask('getPolicy', { params: { agentId } });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthorized') return false;
    throw error;
  }
};
