// The MCP hosts' configuration of the treasury's server: for each, its place and the text to paste.
export interface McpConfig {
  command: string;
  args: string[];
  env: Record<string, string>;
}

export interface McpHost {
  id: string;
  name: string;
  /** Where to paste the text. */
  place: string;
  /** A hint, where one is needed. */
  note?: string;
  text(config: McpConfig): string;
}

const server = 'agent-treasury';
const json = (value: unknown): string => JSON.stringify(value, null, 2);
const plain = ({ command, args, env }: McpConfig): string =>
  json({ mcpServers: { [server]: { command, args, env } } });
const merge = 'Add it to what is already in the file.';

/** A basic string of TOML, and a double-quoted one of YAML: JSON's escapes are valid in both. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll('\u007F', '\\u007f');

const toml = ({ command, args, env }: McpConfig): string =>
  [
    `[mcp_servers.${server}]`,
    `command = ${quoted(command)}`,
    `args = [${args.map(quoted).join(', ')}]`,
    '',
    `[mcp_servers.${server}.env]`,
    ...Object.entries(env).map(([name, value]) => `${name} = ${quoted(value)}`),
  ].join('\n');

const yaml = ({ command, args, env }: McpConfig): string =>
  [
    'extensions:',
    `  ${server}:`,
    '    enabled: true',
    '    type: stdio',
    `    name: ${server}`,
    `    cmd: ${quoted(command)}`,
    `    args: [${args.map(quoted).join(', ')}]`,
    '    envs:',
    ...Object.entries(env).map(([name, value]) => `      ${name}: ${quoted(value)}`),
    '    timeout: 300',
  ].join('\n');

/** Not one of the hosts that `treasury mcp install` knows, but a file for any other. */
export const anyHost = 'json';

export const mcpHosts: readonly McpHost[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    place: '~/.claude.json',
    note: `Or a project’s .mcp.json, which you must not commit: it holds the key. ${merge}`,
    text: plain,
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    place: 'claude_desktop_config.json',
    note: `Settings, Developer, Edit config opens it. ${merge}`,
    text: plain,
  },
  { id: 'cursor', name: 'Cursor', place: '~/.cursor/mcp.json', note: merge, text: plain },
  {
    id: 'vs-code',
    name: 'VS Code',
    place: '.vscode/mcp.json',
    note: 'Or “MCP: Open user configuration” in the command palette. Do not commit it: it holds the key.',
    text: ({ command, args, env }) => json({ servers: { [server]: { type: 'stdio', command, args, env } } }),
  },
  {
    id: 'codex',
    name: 'Codex',
    place: '~/.codex/config.toml',
    note: 'Put it at the end of the file.',
    text: toml,
  },
  { id: 'gemini', name: 'Gemini CLI', place: '~/.gemini/settings.json', note: merge, text: plain },
  { id: 'goose', name: 'Goose', place: '~/.config/goose/config.yaml', note: merge, text: yaml },
  {
    id: 'zed',
    name: 'Zed',
    place: '~/.config/zed/settings.json',
    note: merge,
    text: ({ command, args, env }) => json({ context_servers: { [server]: { command, args, env } } }),
  },
  { id: anyHost, name: 'JSON', place: 'any other MCP host', text: plain },
];
