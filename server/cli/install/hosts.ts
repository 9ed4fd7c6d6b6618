// The MCP hosts that the command can set up: where each keeps its list of servers, and in which format.
import { isAbsolute, join } from 'node:path';
import { applicationData, xdgConfigHome } from '../../lib/files/folders.ts';
import { Ending } from '../ending.ts';
import type { Io } from '../terminal.ts';
import { codexForm, form, geminiForm, gooseForm, type Form } from './form.ts';
import { memberOf, membersOf, type Format, type McpConfig, type Values } from './format.ts';
import { jsonFormat } from './json.ts';
import { tomlFormat } from './toml.ts';
import { yamlFormat } from './yaml.ts';

export interface McpHost {
  id: string;
  name: string;
  file(place: Place): string;
  format: Format;
  /** The members that the host reads in an entry. */
  form: Form;
  /** The members of our own entry. */
  entry(name: string, config: McpConfig): Values;
}

export type Place = Pick<Io, 'env' | 'home' | 'platform'>;

const dataOf = ({ env, home, platform }: Place): string => applicationData(env, platform, home);

/**
 * The folder that a host's own variable names; empty counts as not set.
 * @throws Ending for a relative one: the host would look below the folder in which it is started
 */
const ownFolder = (variable: string, { env }: Place, usual: string): string => {
  const given = env[variable] ?? '';
  if (given === '' || isAbsolute(given)) return given || usual;
  throw new Ending('usage', `${variable}: is ${given}, and must be an absolute path, or unset.`);
};

const plain: McpHost['entry'] = (_, { command, args, env }) => ({ command, args, env });
const typed: McpHost['entry'] = (_, config) => ({ type: 'stdio', ...plain(_, config) });
const extension: McpHost['entry'] = (name, { command, args, env }) => ({
  enabled: true,
  type: 'stdio',
  name,
  cmd: command,
  args,
  envs: env,
  timeout: 300,
});

export const mcpHosts: readonly McpHost[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    file: (place) => join(ownFolder('CLAUDE_CONFIG_DIR', place, place.home), '.claude.json'),
    format: jsonFormat('mcpServers'),
    form,
    entry: plain,
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    file: (place) => join(dataOf(place), 'Claude', 'claude_desktop_config.json'),
    format: jsonFormat('mcpServers'),
    form,
    entry: plain,
  },
  {
    id: 'cursor',
    name: 'Cursor',
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    format: jsonFormat('mcpServers'),
    form,
    entry: plain,
  },
  {
    id: 'vs-code',
    name: 'VS Code',
    file: (place) => join(dataOf(place), 'Code', 'User', 'mcp.json'),
    format: jsonFormat('servers'),
    form,
    entry: typed,
  },
  {
    id: 'codex',
    name: 'Codex',
    file: (place) => join(ownFolder('CODEX_HOME', place, join(place.home, '.codex')), 'config.toml'),
    format: tomlFormat,
    form: codexForm,
    entry: plain,
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    format: jsonFormat('mcpServers'),
    form: geminiForm,
    entry: plain,
  },
  {
    id: 'goose',
    name: 'Goose',
    file: (place) =>
      place.platform === 'win32'
        ? join(dataOf(place), 'Block', 'goose', 'config', 'config.yaml')
        : join(xdgConfigHome(place.env, place.home), 'goose', 'config.yaml'),
    format: yamlFormat,
    form: gooseForm,
    entry: extension,
  },
  {
    id: 'zed',
    name: 'Zed',
    file: (place) =>
      place.platform === 'win32'
        ? join(dataOf(place), 'Zed', 'settings.json')
        : join(xdgConfigHome(place.env, place.home), 'zed', 'settings.json'),
    format: jsonFormat('context_servers'),
    form,
    entry: plain,
  },
];

/** @throws Ending when no host has this id */
export const hostNamed = (id: string): McpHost => {
  const host = mcpHosts.find((one) => one.id === id);
  if (host !== undefined) return host;
  const known = mcpHosts.map((one) => one.id).join(', ');
  throw new Ending('usage', `There is no host ${id}. Known are: ${known}.`);
};

/** The environment variables of an entry; none where there is no such entry. */
export const variablesIn = ({ format, form: { env } }: McpHost, text: string, name: string): Values =>
  membersOf(memberOf(membersOf(memberOf(format.entries(text), name)), env));
