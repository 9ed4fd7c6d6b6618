// `treasury mcp install`: makes an API key for an agent's MCP host and writes it into the host's configuration.
import { createClient, type Client } from '../../client/client.ts';
import { readEndpoint, type Endpoint } from '../../client/endpoint.ts';
import { AppError } from '../../errors.ts';
import { confirm, Ending } from '../ending.ts';
import { asOwner } from '../session.ts';
import { show, type Terminal } from '../terminal.ts';
import { variableIn, type Edit, type McpConfig } from './format.ts';
import { hostNamed, type McpHost } from './hosts.ts';
import { readText, writeText } from '../write-file.ts';

export interface InstallOptions {
  agent: string;
  dryRun: boolean;
  yes: boolean;
}

/** Placeholder until the API key is made. */
const newKey = 'atk_(new)';

/** The final entry with a placeholder: the API key is made once the owner has said yes. */
const draftOf = async (owner: Client, endpoint: Endpoint, agentId: string): Promise<McpConfig> => {
  const { bridge } = await owner.ask('about');
  const own = { TREASURY_OWNER: endpoint.owner, TREASURY_AGENT_ID: agentId, TREASURY_API_KEY: newKey };
  return { ...bridge, env: { ...bridge.env, ...own } };
};

const masked = (text: string): string => text.replaceAll(/atk_[\w()-]+/g, 'atk_…');

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
  const config = await draftOf(owner, readEndpoint(terminal.dataDir), agent);
  const edit = host.format.edit(before, config);
  const plan: Plan = { host, file, agent, config, edit };
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
  const { keyId, apiKey } = await owner.ask('addKey', {
    params: { agentId: agent },
    body: { label: `MCP: ${host.name}` },
  });
  if ('refused' in edit)
    return paste(terminal, plan, edit.refused, host.format.whole(config).replace(newKey, apiKey));
  try {
    const backup = writeText(file, before, edit.text.replace(newKey, apiKey));
    show(
      terminal,
      { host: host.id, file, agentId: agent, keyId, backup, installed: true, changed: true },
      () => [
        `Written to ${file}.${backup === null ? '' : ` What was there: ${backup}`}`,
        `Restart ${host.name} to use it.`,
      ],
    );
  } catch (error) {
    await owner.ask('revokeKey', { params: { agentId: agent, keyId } });
    throw error;
  }
};

interface Plan {
  host: McpHost;
  file: string;
  agent: string;
  config: McpConfig;
  edit: Edit | { refused: string };
}

const rehearse = (terminal: Terminal, { host, file, agent, config, edit }: Plan): void => {
  const refused = 'refused' in edit ? edit.refused : null;
  const replaces = 'refused' in edit ? false : edit.before !== null;
  show(terminal, { host: host.id, file, agentId: agent, dryRun: true, replaces, refused }, () => [
    refused === null
      ? `Would ${replaces ? 'replace this entry in' : 'add this entry to'} ${file}:`
      : `Would not touch ${file}: ${refused}. To be pasted by hand:`,
    masked(host.format.whole(config)),
    'Nothing was written, and no key was made.',
  ]);
};

/** Prints the text. @throws Ending always, since the file was not written */
const paste = (terminal: Terminal, { host, file }: Plan, reason: string, text: string): void => {
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
  { host, file, config }: Plan,
  before: string | null,
): void => {
  const say = json ? note : print;
  say(`${host.name}: ${file}`);
  if (before !== null) say(marked('-', before));
  say(marked('+', host.format.whole(config)));
};

/** Whether the entry is this agent's, points to this treasury, and has a valid API key. */
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
