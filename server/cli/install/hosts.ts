// The MCP hosts that the command can set up: where each keeps its list of servers, and in which format.
import { join } from 'node:path';
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

/** The platform's folder for per-user application data. */
const applicationData = ({ env, home, platform }: Place): string => {
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return xdgConfig({ env, home });
};
const xdgConfig = ({ env, home }: Pick<Place, 'env' | 'home'>): string =>
  env['XDG_CONFIG_HOME'] ?? join(home, '.config');

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
    file: ({ home }) => join(home, '.claude.json'),
    format: jsonFormat('mcpServers'),
    form,
    entry: plain,
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    file: (place) => join(applicationData(place), 'Claude', 'claude_desktop_config.json'),
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
    file: (place) => join(applicationData(place), 'Code', 'User', 'mcp.json'),
    format: jsonFormat('servers'),
    form,
    entry: typed,
  },
  {
    id: 'codex',
    name: 'Codex',
    file: ({ env, home }) => join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml'),
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
        ? join(applicationData(place), 'Block', 'goose', 'config', 'config.yaml')
        : join(xdgConfig(place), 'goose', 'config.yaml'),
    format: yamlFormat,
    form: gooseForm,
    entry: extension,
  },
  {
    id: 'zed',
    name: 'Zed',
    file: (place) =>
      place.platform === 'win32'
        ? join(applicationData(place), 'Zed', 'settings.json')
        : join(xdgConfig(place), 'zed', 'settings.json'),
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
