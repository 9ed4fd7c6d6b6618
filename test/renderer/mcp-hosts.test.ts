import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { mcpHosts } from '../../renderer/screens/connect/mcp-hosts.ts';
import { lineOf, shellWord } from '../../renderer/shared/shell.ts';

const config = {
  command: '/opt/my tools/node',
  args: ['/opt/treasury/mcp.ts', 'it\'s "quoted"'],
  env: { TREASURY_OWNER: 'DzSe', TREASURY_API_KEY: 'atk_x-y_z', TREASURY_DATA: 'C:\\Users\\me' },
};
const server = { command: config.command, args: config.args, env: config.env };

const textFor = (id: string): string => {
  const host = mcpHosts.find((one) => one.id === id);
  if (host === undefined) throw new Error(`no host ${id}`);
  return host.text(config);
};

describe('MCP configurations', () => {
  it.each(['claude-code', 'claude-desktop', 'cursor', 'gemini', 'json'])('%s gets mcpServers', (id) => {
    expect(JSON.parse(textFor(id))).toEqual({ mcpServers: { 'agent-treasury': server } });
  });

  it('VS Code gets servers with their type', () => {
    expect(JSON.parse(textFor('vs-code'))).toEqual({
      servers: { 'agent-treasury': { type: 'stdio', ...server } },
    });
  });

  it('Zed gets context_servers', () => {
    expect(JSON.parse(textFor('zed'))).toEqual({ context_servers: { 'agent-treasury': server } });
  });

  it('Codex gets two tables of TOML with escaped strings', () => {
    expect(textFor('codex')).toBe(
      [
        '[mcp_servers.agent-treasury]',
        'command = "/opt/my tools/node"',
        String.raw`args = ["/opt/treasury/mcp.ts", "it's \"quoted\""]`,
        '',
        '[mcp_servers.agent-treasury.env]',
        'TREASURY_OWNER = "DzSe"',
        'TREASURY_API_KEY = "atk_x-y_z"',
        String.raw`TREASURY_DATA = "C:\\Users\\me"`,
      ].join('\n'),
    );
  });

  it('Goose gets an extension in YAML', () => {
    const lines = textFor('goose').split('\n');
    expect(lines.slice(0, 4)).toEqual([
      'extensions:',
      '  agent-treasury:',
      '    enabled: true',
      '    type: stdio',
    ]);
    expect(lines).toContain('      TREASURY_API_KEY: "atk_x-y_z"');
  });

  it.skipIf(process.platform === 'win32')(
    'a shell gives a line its words back unchanged (POSIX alone)',
    () => {
      const words = ["/opt/it's mine/treasury", '--data', '/home/me/a b', '$(id)', '"', '*'];
      const printed = execFileSync('sh', ['-c', `printf '%s\\n' ${lineOf(words, 'linux x64')}`]).toString();
      expect(printed.trimEnd().split('\n')).toEqual(words);
    },
  );

  it('PowerShell gets a call with words of its own quoting', () => {
    expect(lineOf(['C:\\Program Files\\treasury.exe', 'mcp', "it's"], 'win32 x64')).toBe(
      "& 'C:\\Program Files\\treasury.exe' mcp 'it''s'",
    );
  });

  it('leaves plain words alone and quotes what a shell would read', () => {
    expect(shellWord('/opt/a-b_c.ts')).toBe('/opt/a-b_c.ts');
    expect(shellWord('$(id)')).toBe("'$(id)'");
    expect(shellWord('')).toBe("''");
  });

  it('names each host once', () => {
    expect(new Set(mcpHosts.map(({ id }) => id)).size).toBe(mcpHosts.length);
  });
});
