// The configuration files of MCP hosts, as people write them: our entry goes in, and every other character stays.
import { parse } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { serverName } from '../../server/cli/install/format.ts';
import { hostNamed, variablesIn, type McpHost } from '../../server/cli/install/hosts.ts';

const config = { command: 'treasury', args: ['mcp'], env: { TREASURY_API_KEY: 'atk_1' } };
const [zed, vsCode, codex, goose] = ['zed', 'vs-code', 'codex', 'goose'].map(hostNamed) as [
  McpHost,
  McpHost,
  McpHost,
  McpHost,
];

const edit = ({ format, entry }: McpHost, text: string) =>
  format.edit(text, serverName, entry(serverName, config));
const find = ({ format }: McpHost, text: string): string | null => format.find(text, serverName);
const edited = (host: McpHost, text: string): string => {
  const found = edit(host, text);
  if ('refused' in found) throw new Error(found.refused);
  return found.text;
};

/** The inserted text, when it is one piece. */
const putIn = (before: string, after: string): string => {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  const rest = before.slice(start);
  expect(after.endsWith(rest)).toBe(true);
  return after.slice(start, after.length - rest.length);
};

const zedSettings = `// Zed settings
{
  /* the look */
  "theme": "One Dark", // dark
  "context_servers": {
    "github": { "command": "gh" }, // keep this one
    // "old": { "command": "old" },
  },
  "vim_mode": true,
}
`;

describe('JSON with comments', () => {
  it('keeps comments, layout and trailing commas in Zed’s settings', () => {
    const after = edited(zed, zedSettings);
    const piece = putIn(zedSettings, after);
    expect(piece).toContain('"agent-treasury": {\n      "command": "treasury",');
    expect(after).toContain('"github": { "command": "gh" }, // keep this one\n    "agent-treasury"');
    expect(after).toContain('    },\n    // "old"');
    expect(parse(after).context_servers['agent-treasury']).toEqual(config);
  });

  it('adds a section to VS Code’s file beside its comments', () => {
    const before = '{\n\t// inputs\n\t"inputs": [] // none yet\n\t// the end\n}\n';
    const after = edited(vsCode, before);
    expect(after).toMatch(
      /^\{\n\t\/\/ inputs\n\t"inputs": \[\], \/\/ none yet\n\t"servers": \{\n\t\t"agent-/,
    );
    expect(after.endsWith('\n\t}\n\t// the end\n}\n')).toBe(true);
    expect(parse(after).servers['agent-treasury']).toEqual({ type: 'stdio', ...config });
  });

  it('keeps a comment in an empty object, and CRLF with tabs', () => {
    const before = '{\r\n\t"servers": {\r\n\t\t// none\r\n\t},\r\n}\r\n';
    const after = edited(vsCode, before);
    expect(after).toContain('\t\t// none\r\n\t\t"agent-treasury": {\r\n\t\t\t"type": "stdio",');
    expect(after.endsWith('\r\n\t},\r\n}\r\n')).toBe(true);
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect(parse(after).servers['agent-treasury'].env).toEqual(config.env);
  });

  it('replaces its own entry where it stands, and finds it again', () => {
    const once = edited(zed, zedSettings);
    const [before, after = ''] = once.split('atk_1');
    const again = edited(zed, `${before}atk_0${after}`);
    expect(again).toBe(once);
    expect(find(zed, once)).toContain('atk_1');
    expect(find(zed, zedSettings)).toBeNull();
  });

  it.each([
    '// mine\n{ "theme": "x"\n',
    '{ "theme": "x" "servers": {} }',
    '{ /* never closed }',
    '{} {}',
    '// only a comment\n',
    '{ "context_servers": {}, "context_servers": {} }',
    '{ "context_servers": { "agent-treasury": {}, "agent-treasury": {} } }',
    '{ "context_servers": null }',
  ])('refuses %j', (text) => {
    expect(edit(zed, text)).toEqual({ refused: expect.stringMatching(/\w/) });
  });
});

describe('YAML', () => {
  const settings = `# mine
GOOSE_MODEL: x   # the model
extensions:
  # tools
  developer:
    enabled: true # keep
    args: [a,  b]

  "other":  {cmd: "o"}   # flow
# about the rest
other: 1
`;

  it('keeps comments, quotes and layout', () => {
    const after = edited(goose, settings);
    expect(putIn(settings, after)).toMatch(/^ {2}agent-treasury:\n/);
    expect(after).toContain('# flow\n  agent-treasury:\n    enabled: true\n');
    expect(after).toContain('    timeout: 300\n# about the rest\n');
    expect(parseYaml(after).extensions['agent-treasury'].envs).toEqual(config.env);
    expect(edited(goose, after)).toBe(after);
  });

  it('keeps every line’s own ending', () => {
    const before = settings.replaceAll('\n', '\r\n').replace('x   # the model\r\n', 'x   # the model\n');
    const after = edited(goose, before);
    expect(putIn(before, after)).toMatch(/^ {2}agent-treasury:\r\n/);
    expect(parseYaml(after).other).toBe(1);
  });

  it('recognises its own entry in any quotes', () => {
    const after = edited(goose, "extensions:\n  'agent-treasury':\n    cmd: old\n  z: {cmd: z} # z\n");
    expect(after).not.toContain('old');
    expect(after).toContain('    timeout: 300\n  z: {cmd: z} # z\n');
  });

  it.each([
    'a: [1\n',
    'a: 1\na: 2\n',
    'extensions:\n\tdeveloper: 1\n',
    '{extensions: {}}\n',
    '- a\n',
    'extensions: {}\n',
    'extensions: ~\n',
    'extensions: [a]\n',
    'a: 1\n---\nextensions:\n',
    'a: 1\n...\n',
    'extensions:\n  agent-treasury: &ours\n    cmd: old\n  z: *ours\n',
  ])('refuses %j', (text) => {
    expect(edit(goose, text)).toEqual({ refused: expect.stringMatching(/\w/) });
  });
});

describe('TOML', () => {
  const settings = `# mine
model = "o"   # the model
limit = 9223372036854775807
wakes = 07:32:00

# tools
[mcp_servers.github]
command = 'gh'  # keep this one

[projects."/home/me/agent-treasury"]
trust_level = "trusted" # and this
`;

  it('keeps comments and layout', () => {
    const after = edited(codex, settings);
    expect(putIn(settings, after)).toMatch(/^\n\[mcp_servers\.agent-treasury\]\n/);
    expect(parseToml(after, { integersAsBigInt: true })).toMatchObject({
      mcp_servers: { 'agent-treasury': config, github: { command: 'gh' } },
    });
    expect(edited(codex, after)).toBe(after);
  });

  it('replaces its own tables where they stand, and finds them again', () => {
    const before = `[mcp_servers."agent-treasury"]\ncommand = "old"\n[ mcp_servers.agent-treasury.env ]\nA = "old"\n\n${settings.slice(settings.indexOf('# tools'))}`;
    const after = edited(codex, before);
    expect(after).not.toContain('old');
    expect(after.endsWith(settings.slice(settings.indexOf('# tools')))).toBe(true);
    expect(find(codex, after)).toContain('TREASURY_API_KEY = "atk_1"');
    expect(find(codex, settings)).toBeNull();
    expect(find(codex, `${after}\na = `)).toBeNull();
  });

  it('keeps every line’s own ending', () => {
    const before =
      '# mine\r\nmodel = "o"\n\r\n[mcp_servers.agent-treasury]\r\ncommand = "old"\r\n\n[tools]\n';
    const after = edited(codex, before);
    expect(after.startsWith('# mine\r\nmodel = "o"\n\r\n[mcp_servers.agent-treasury]\r\n')).toBe(true);
    expect(after.endsWith('\r\n\n[tools]\n')).toBe(true);
    expect(after).not.toContain('old');
  });

  it.each([
    'a = \n',
    'a = 1\na = 2\n',
    '[a]\n[a]\n',
    'a = """never closed\n',
    'a = """\n[mcp_servers.agent-treasury]\n"""\n',
    'mcp_servers = 1\n',
    'mcp_servers = { github = { command = "gh" } }\n',
    'mcp_servers.agent-treasury.command = "old"\n',
    '[[mcp_servers]]\ncommand = "gh"\n',
    '[mcp_servers]\nagent-treasury = { command = "old" }\n',
    '[mcp_servers.agent-treasury]\ncommand = "old"\n[a]\n[mcp_servers.agent-treasury.env]\nA = "b"\n',
    '[mcp_servers.agent-treasury]\ncommand = "old"\n["a]b"]\nc = 1\n',
  ])('refuses %j', (text) => {
    expect(edit(codex, text)).toEqual({ refused: expect.stringMatching(/\w/) });
  });
});

describe('the variables of an entry', () => {
  it.each([
    [zed, '{ "context_servers": { "agent-treasury": { // "env": {"A": "old"},\n "env": {"A": "new"} } } }'],
    [codex, '[mcp_servers.agent-treasury.env]\n# A = "old"\nA = "new"\n'],
    [codex, '[mcp_servers.agent-treasury]\nenv = { B = "b", A = "new" }\n'],
    [goose, 'extensions:\n  agent-treasury:\n    envs:\n      # A: "old"\n      A: new\n'],
  ])('are not read from a comment: %#', (host, text) => {
    expect(variablesIn(host, text, serverName)).toMatchObject({ A: 'new' });
  });

  it('are none where there is no entry, nor a valid file', () => {
    for (const host of [zed, codex, goose])
      for (const text of ['', 'x = [', '{"context_servers": 1}', 'extensions: 1\n'])
        expect(variablesIn(host, text, serverName)).toEqual({});
  });
});
