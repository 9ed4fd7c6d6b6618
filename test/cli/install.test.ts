// `treasury mcp install` for each host, into a home folder of the test's own.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTo } from '../../server/lib/files/owner-only.ts';
import { mcpHosts as printed } from '../../renderer/screens/connect/mcp-hosts.ts';
import { mcpHosts } from '../../server/cli/install/hosts.ts';
import { deploy, openTreasury, until } from '../harness/treasury.ts';
import { command as enter, home, treasury, useHomes, useTreasury } from './cli-treasury.ts';
import { run, type Ended, type Setting } from './terminal.ts';

useTreasury();
useHomes();
beforeAll(() => deploy(treasury.client, 'other', { allocate: null }));

const install = (
  host: string,
  more: readonly string[] = ['--yes'],
  setting: Partial<Setting> = {},
): Promise<Ended> => enter(['mcp', 'install', host, '--agent', 'scout', ...more], setting);

const files: Record<string, string> = {
  'claude-code': '.claude.json',
  'claude-desktop': '.config/Claude/claude_desktop_config.json',
  cursor: '.cursor/mcp.json',
  'vs-code': '.config/Code/User/mcp.json',
  codex: '.codex/config.toml',
  gemini: '.gemini/settings.json',
  goose: '.config/goose/config.yaml',
  zed: '.config/zed/settings.json',
};
const json = (section: string): string =>
  `{\n    "big": 12345678901234567890,\n    "2": "\\u00e9",\n    "1": [],\n    "${section}": {\n` +
  '        "github": { "command": "gh", "env": { "TOKEN": "theirs" } }\n    },\n    "last": 1.0\n}\n';
/** The contents that somebody else wrote there before. */
const others: Record<string, string> = {
  'claude-code': json('mcpServers'),
  'claude-desktop': json('mcpServers'),
  cursor: json('mcpServers'),
  'vs-code': json('servers'),
  codex:
    '# mine\nmodel = "o"\n\n[mcp_servers.github]\ncommand = "gh" # keep\n\n# about tools\n[tools]\nweb = true\n',
  gemini: json('mcpServers'),
  goose:
    '# mine\nGOOSE_MODEL: x\nextensions:\n  developer:\n    enabled: true # keep\n    args: [a]\n\n# about the rest\nother: 1\n',
  zed: json('context_servers'),
};
const fileOf = (host: string): string => join(home, files[host] ?? '');
const write = (host: string, text: string): void => {
  mkdirSync(dirname(fileOf(host)), { recursive: true });
  writeFileSync(fileOf(host), text);
};
const read = (host: string): string => readFileSync(fileOf(host), 'utf8');
const siblings = (host: string): string[] => readdirSync(dirname(fileOf(host))).toSorted();
const keyIn = (text: string): string => /atk_[\w-]+/.exec(text)?.[0] ?? '';
const keysInForce = async (): Promise<number> =>
  (await treasury.client.get('/v1/agents/scout/keys')).body['keys'].filter(
    (key: { revokedAt: string | null }) => key.revokedAt === null,
  ).length;

describe.each(Object.keys(files))('%s', (host) => {
  it('is known by the name and format that the dashboard prints', async () => {
    expect(await install(host)).toMatchObject({ code: 0, stderr: '' });
    const text = read(host);
    const key = keyIn(text);
    const { command, args, env } = treasury.host.engine.context.settings.bridge();
    const own = { TREASURY_OWNER: treasury.owner, TREASURY_AGENT_ID: 'scout', TREASURY_API_KEY: key };
    const config = { command, args: [...args], env: { ...env, ...own } };
    const page = printed.find(({ id }) => id === host);
    const expected = page?.text(config) ?? 'not printed';
    if (files[host]?.endsWith('.json')) expect(JSON.parse(text)).toEqual(JSON.parse(expected));
    else expect(text).toBe(`${expected}\n`);
    const policy = await treasury.client.as(key).get('/v1/agents/scout/policy');
    expect(policy.status).toBe(200);
  });

  it('keeps every other character, backs the file up, and lets nobody else read it', async () => {
    const before = others[host] ?? '';
    write(host, before);
    const ended = await install(host);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const after = read(host);
    expect(after).not.toBe(before);
    // The whole text in its order, with one piece inserted (behind a comma, in JSON).
    const start = [...before].findIndex((char, at) => after[at] !== char);
    const rest = before.slice(start);
    expect(after.endsWith(rest)).toBe(true);
    if (files[host]?.endsWith('.json'))
      expect(Object.values(JSON.parse(after))).toContainEqual(
        expect.objectContaining({
          github: { command: 'gh', env: { TOKEN: 'theirs' } },
          'agent-treasury': expect.anything(),
        }),
      );
    expect(openTo(fileOf(host))).toBeNull();
    const [name = '', backup = '', ...more] = siblings(host).filter(
      (one) => !/^\.(config|cursor)$/.test(one),
    );
    expect(more).toEqual([]);
    expect(join(dirname(fileOf(host)), name)).toBe(fileOf(host));
    expect(readFileSync(join(dirname(fileOf(host)), backup), 'utf8')).toBe(before);
    expect(openTo(join(dirname(fileOf(host)), backup))).toBeNull();
    expect(ended.stdout).toContain(backup);
  });

  it('shows the change with the key masked, and nothing of anybody else’s', async () => {
    write(host, others[host] ?? '');
    const ended = await install(host, [], { typed: ['y'] });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('atk_…');
    expect(ended.stdout).toMatch(/^\+ /m);
    expect(ended.stdout + ended.stderr).not.toContain(keyIn(read(host)));
    expect(ended.stdout + ended.stderr).not.toContain('theirs');
  });

  it('is set up once, however often that is asked for, and again when its API key has gone', async () => {
    write(host, others[host] ?? '');
    await install(host);
    const first = read(host);
    const keys = await keysInForce();
    const again = await install(host, ['--yes', '--json']);
    expect(again).toMatchObject({ code: 0, json: { installed: true, changed: false } });
    expect([read(host), await keysInForce()]).toEqual([first, keys]);

    const key = keyIn(first);
    write(host, first.replace(key, 'atk_revoked'));
    const anew = await install(host, ['--yes', '--json']);
    expect(anew).toMatchObject({ code: 0, json: { changed: true } });
    expect(read(host).replace(keyIn(read(host)), key)).toBe(first);
    expect(read(host).split('atk_')).toHaveLength(2);
  });

  it('is left alone by a dry run and by any answer but yes, and no API key stays behind', async () => {
    write(host, others[host] ?? '');
    const keys = await keysInForce();
    const dry = await install(host, ['--dry-run']);
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toContain(fileOf(host));
    expect(await install(host, [])).toMatchObject({ code: 3, stdout: '' });
    expect(await install(host, [], { typed: ['n'] })).toMatchObject({ code: 3 });
    expect(await keysInForce()).toBe(keys);
    expect(read(host)).toBe(others[host]);
    expect(siblings(host).filter((name) => name.includes('backup') || name.includes('tmp'))).toEqual([]);
  });
});

describe('a terminal that was not let in', () => {
  it('asks the owner first where somebody sits at it, and then goes on', async () => {
    const own = await openTreasury();
    await deploy(own.client, 'scout', { allocate: null });
    const args = ['mcp', 'install', 'cursor', '--agent', 'scout', '--yes', '--data', own.dataDir];
    expect(await run(args, { home })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('not logged in'),
    });
    const installing = run(args, { home, typed: [] });
    const { loginId, code } = await until('the login', async () => {
      const { logins } = (await own.client.get('/v1/logins')).body;
      return logins.find(({ status }: { status: string }) => status === 'pending');
    });
    await own.client.post(`/v1/logins/${loginId}/grant`);
    const ended = await installing;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain(code);
    const key = keyIn(read('cursor'));
    expect((await own.client.as(key).get('/v1/agents/scout/policy')).status).toBe(200);
    await own.close();
  });
});

describe('a host’s own folder', () => {
  it.each([
    ['zed', 'XDG_CONFIG_HOME', ''],
    ['zed', 'XDG_CONFIG_HOME', 'relative'],
    ['codex', 'CODEX_HOME', ''],
    ['claude-code', 'CLAUDE_CONFIG_DIR', ''],
  ])('of %s is the usual one where %s is %j', async (host, name, value) => {
    expect(await install(host, ['--yes'], { env: { [name]: value } })).toMatchObject({ code: 0 });
    expect(keyIn(read(host))).toMatch(/^atk_/);
  });

  it.each([
    ['zed', 'XDG_CONFIG_HOME', 'zed/settings.json'],
    ['codex', 'CODEX_HOME', 'config.toml'],
    ['claude-code', 'CLAUDE_CONFIG_DIR', '.claude.json'],
  ])('of %s is the one that %s names', async (host, name, file) => {
    const work = join(home, 'work');
    expect(await install(host, ['--yes'], { env: { [name]: work } })).toMatchObject({ code: 0 });
    expect(keyIn(readFileSync(join(work, file), 'utf8'))).toMatch(/^atk_/);
    expect(existsSync(fileOf(host))).toBe(false);
  });

  it.each([
    ['codex', 'CODEX_HOME'],
    ['claude-code', 'CLAUDE_CONFIG_DIR'],
  ])('of %s is refused where %s is relative', async (host, name) => {
    const keys = await keysInForce();
    const ended = await install(host, ['--yes'], { env: { [name]: 'work' } });
    expect(ended).toMatchObject({
      code: 2,
      stderr: `${name}: is work, and must be an absolute path, or unset.\n`,
    });
    expect(await keysInForce()).toBe(keys);
  });
});

it('writes into JSON with a byte order mark, and leaves out the mark, which hosts refuse', async () => {
  write('claude-desktop', `\uFEFF${others['claude-desktop'] ?? ''}`);
  expect(await install('claude-desktop')).toMatchObject({ code: 0, stderr: '' });
  expect(Object.keys(JSON.parse(read('claude-desktop')).mcpServers)).toEqual(['github', 'agent-treasury']);
});

it.each([
  ['gemini', '{\n  "a": 1,,\n}\n', 'line 2, column 10 (property name expected)'],
  ['codex', 'a = 1\nmodel = \n', 'not valid TOML: line 2, column'],
  ['goose', 'a: 1\nb: [\n', 'or more than one document: line '],
])('says where %s’s file is not valid', async (host, text, where) => {
  write(host, text);
  expect((await install(host)).stderr).toContain(where);
});

describe('a file that cannot be changed safely', () => {
  it.each([
    ['zed', '// mine\n{ "theme": "x"\n'],
    ['vs-code', '{ "servers": {},, }\n'],
    ['cursor', '[]\n'],
    ['gemini', '{ "mcpServers": [] }\n'],
    ['codex', 'model = \n'],
    ['codex', 'mcp_servers = { github = { command = "gh" } }\n'],
    ['codex', '[mcp_servers]\nagent-treasury = { command = "old" }\n'],
    ['goose', 'extensions: {}\n'],
    ['goose', 'a: 1\n---\nextensions:\n'],
  ])('of %s stays as it is: %j', async (host, text) => {
    write(host, text);
    const keys = await keysInForce();
    expect((await install(host, ['--dry-run', '--json'])).json.refused).toMatch(/\w/);
    expect(await install(host, [], { typed: ['n'] })).toMatchObject({ code: 3, stdout: '' });
    expect(await keysInForce()).toBe(keys);

    const unasked = await install(host);
    expect(unasked).toMatchObject({ code: 1, stdout: '' });
    expect(unasked.stderr).toContain('without --yes');
    expect(await keysInForce()).toBe(keys);

    const ended = await install(host, [], { typed: ['y'] });
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stderr).toContain('is left as it is');
    const key = keyIn(ended.stdout);
    expect((await treasury.client.as(key).get('/v1/agents/scout/policy')).status).toBe(200);
    expect(read(host)).toBe(text);
    expect(siblings(host).filter((name) => name.includes('backup'))).toEqual([]);
  });
});

it('leaves a file that is not UTF-8 as it is, to the byte, and makes no API key', async () => {
  write('zed', '');
  const file = join(home, files['zed'] ?? '');
  const latin1 = Buffer.from('// caf\u00e9\n{}\n', 'latin1');
  writeFileSync(file, latin1);
  const keys = await keysInForce();
  const ended = await install('zed');
  expect(ended.code).not.toBe(0);
  expect(ended.stderr).toContain('is not UTF-8');
  expect(readFileSync(file)).toEqual(latin1);
  expect(await keysInForce()).toBe(keys);
});

const places = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}): string[] =>
  mcpHosts.map(({ file }) => file({ platform, env, home: '/h' }));

describe('a configuration', () => {
  it.each([
    ['cursor', '{}'],
    ['cursor', '{"mcpServers":{}}'],
    ['cursor', '{\r\n\t"mcpServers": { }\r\n}\r\n'],
    ['cursor', '{"a":"}\\"{","mcpServers":{"b":{"c":[{}]}}}'],
    ['cursor', '{"mcpServers": {"agent-treasury": 5, "z": 1}}'],
    ['codex', '\n\n'],
    ['codex', 'a = 1'],
    [
      'codex',
      '[mcp_servers.agent-treasury]\ncommand = "old"\n[mcp_servers.agent-treasury.env]\nA = "b"\n# tools\n[tools]\n',
    ],
    ['goose', '---\nextensions:\n'],
    ['goose', 'extensions:\n  "agent-treasury":\n    cmd: old\n'],
    ['goose', 'extensions:\n    agent-treasury:\n        cmd: old\n    z:\n        cmd: z\nlast: 1'],
  ])('of %s is understood: %j', async (host, text) => {
    write(host, text);
    expect(await install(host)).toMatchObject({ code: 0, stderr: '' });
    const after = read(host);
    expect(after).not.toContain('old');
    expect(after.split('atk_')).toHaveLength(2);
    if (host === 'cursor') {
      const { mcpServers, ...rest } = JSON.parse(after);
      const { mcpServers: servers, ...others_ } = JSON.parse(text);
      expect(rest).toEqual(others_);
      expect(mcpServers).toEqual({
        ...servers,
        'agent-treasury': expect.objectContaining({ args: expect.anything() }),
      });
      if (text.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    } else
      for (const kept of text.split('\n').filter((line) => /^(a|last|# tools|\[tools|---| {4}z)/.test(line)))
        expect(after.split('\n')).toContain(kept);
  });

  it('of goose is indented like its neighbours', async () => {
    write('goose', 'extensions:\n    z:\n        cmd: z\n');
    await install('goose');
    expect(read('goose')).toMatch(
      /^extensions:\n {4}z:\n {8}cmd: z\n {4}agent-treasury:\n {6}enabled: true\n/,
    );
  });

  it('behind a symbolic link is changed at the link’s target', async () => {
    const real = join(home, 'dotfiles.json');
    writeFileSync(real, '{}');
    mkdirSync(dirname(fileOf('cursor')), { recursive: true });
    symlinkSync(real, fileOf('cursor'));
    expect(await install('cursor')).toMatchObject({ code: 0 });
    expect(lstatSync(fileOf('cursor')).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('atk_');
  });

  it('that is a symbolic link to an empty file stays one, too', async () => {
    const real = join(home, 'dotfiles.json');
    writeFileSync(real, '');
    mkdirSync(dirname(fileOf('cursor')), { recursive: true });
    symlinkSync(real, fileOf('cursor'));
    expect(await install('cursor')).toMatchObject({ code: 0 });
    expect(lstatSync(fileOf('cursor')).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('atk_');
  });

  it('that is a dangling symbolic link is left as it is, and no API key is made for it', async () => {
    mkdirSync(dirname(fileOf('cursor')), { recursive: true });
    symlinkSync(join(home, 'gone.json'), fileOf('cursor'));
    const keys = await keysInForce();
    const ended = await install('cursor');
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('cursor');
    expect(lstatSync(fileOf('cursor')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(home, 'gone.json'))).toBe(false);
    expect(await keysInForce()).toBe(keys);
  });

  it('that changes while the owner thinks is left as it is', async () => {
    write('cursor', '{}');
    const keys = await keysInForce();
    const ended = await install('cursor', [], {
      typed: ['y'],
      onQuestion: () => write('cursor', '{"theirs": 1}'),
    });
    expect(ended).toMatchObject({ code: 1 });
    expect(read('cursor')).toBe('{"theirs": 1}');
    expect(await keysInForce()).toBe(keys);
  });

  it('for an agent that does not exist is not begun', async () => {
    const args = ['mcp', 'install', 'cursor', '--agent', 'nobody', '--data', treasury.dataDir, '--yes'];
    expect(await run(args, { home })).toMatchObject({ code: 1, stdout: '' });
    expect(existsSync(fileOf('cursor'))).toBe(false);
  });

  it('of another agent is replaced after being shown', async () => {
    await install('cursor');
    const args = ['mcp', 'install', 'cursor', '--agent', 'other', '--data', treasury.dataDir];
    const ended = await run(args, { home, typed: ['yes'] });
    expect(ended.stdout).toMatch(/^- .*"TREASURY_AGENT_ID": "scout"/m);
    expect(JSON.parse(read('cursor')).mcpServers['agent-treasury'].env.TREASURY_AGENT_ID).toBe('other');
    const found = await run(['doctor', '--data', treasury.dataDir, '--json'], { home });
    expect(found.json.checks).toContainEqual({ name: 'MCP: Cursor', state: 'ok', found: 'other' });
  });

  it('is found where each system keeps it', () => {
    expect(places('darwin')[1]).toBe('/h/Library/Application Support/Claude/claude_desktop_config.json');
    expect(places('win32', { APPDATA: '/r' })[6]).toBe('/r/Block/goose/config/config.yaml');
    expect(places('win32', { APPDATA: '/r' })[7]).toBe('/r/Zed/settings.json');
    expect(places('linux', { XDG_CONFIG_HOME: '/x', CODEX_HOME: '/c' }).slice(4)).toEqual([
      '/c/config.toml',
      '/h/.gemini/settings.json',
      '/x/goose/config.yaml',
      '/x/zed/settings.json',
    ]);
  });
});
