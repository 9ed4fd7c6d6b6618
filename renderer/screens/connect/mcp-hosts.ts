// The MCP hosts' configuration of the treasury's server: for each, its place and the text to paste.

export interface McpConfig {
  command: string;
  args: string[];
  env: Record<string, string>;
}

export interface McpHost {
  id: string;
  name: string;
  /** Where to paste the text: a file, or `terminal`. */
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

/** A word of a POSIX shell; quoted if it has special characters. */
export const shellWord = (text: string): string =>
  /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A basic string of TOML, and a double-quoted one of YAML: JSON's escapes are valid in both. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll('\u007F', '\\u007f');

const commandLine = ({ command, args, env }: McpConfig): string =>
  [
    `claude mcp add ${server}`,
    ...Object.entries(env).map(([name, value]) => `--env ${shellWord(`${name}=${value}`)}`),
    `-- ${[command, ...args].map(shellWord).join(' ')}`,
  ].join(' \\\n  ');

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

export const mcpHosts: readonly McpHost[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    place: 'terminal',
    note: 'This command, including the key, may stay in your shell history. Use the JSON tab to avoid that.',
    text: commandLine,
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
  { id: 'json', name: 'JSON', place: 'any other MCP host', text: plain },
];
