// `treasury mcp install HOST --proxy NAME` and `--undo`, for each host, into a home folder of the test's own.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { membersOf, type Values } from '../../server/cli/install/format.ts';
import { hostNamed } from '../../server/cli/install/hosts.ts';
import { publicWords } from '../../server/cli/install/masked.ts';
import { deploy } from '../harness/treasury.ts';
import { command as enter, home, treasury, useHomes, useTreasury } from './cli-treasury.ts';
import { run, type Ended, type Setting } from './terminal.ts';

useTreasury();
useHomes();
beforeAll(() => deploy(treasury.client, 'other', { allocate: null }));

const install = (
  host: string,
  more: readonly string[] = ['--yes'],
  setting: Partial<Setting> = {},
): Promise<Ended> => enter(['mcp', 'install', host, '--proxy', 'weather', ...more], setting);
const scout = (...more: readonly string[]): string[] => ['--agent', 'scout', ...more];
const yes = scout('--yes');
const undo = (host: string, more: readonly string[] = ['--yes'], setting: Partial<Setting> = {}) =>
  install(host, ['--undo', ...more], setting);

const fileOf = (host: string): string => hostNamed(host).file({ env: {}, home, platform: 'linux' });
const write = (host: string, text: string): void => {
  mkdirSync(dirname(fileOf(host)), { recursive: true });
  writeFileSync(fileOf(host), text);
};
const read = (host: string): string => readFileSync(fileOf(host), 'utf8');
const entryIn = (host: string, name = 'weather'): Values =>
  membersOf(hostNamed(host).format.entries(read(host))[name]);
const variablesIn = (host: string): Record<string, string> =>
  entryIn(host)[hostNamed(host).form.env] as Record<string, string>;
const keyIn = (host: string): string => variablesIn(host)['TREASURY_API_KEY'] ?? '';
const opens = async (key: string, agent = 'scout'): Promise<boolean> =>
  (await treasury.client.as(key).get(`/v1/agents/${agent}/policy`)).status === 200;
const keys = async (agent = 'scout'): Promise<{ keyId: string; label: string; revokedAt: string | null }[]> =>
  (await treasury.client.get(`/v1/agents/${agent}/keys`)).body['keys'];
const inForce = async (): Promise<number> =>
  (await keys()).filter(({ revokedAt }) => revokedAt === null).length;
const backups = (host: string): string[] =>
  readdirSync(dirname(fileOf(host))).filter((name) => /backup|tmp/.test(name));

const json = (section: string, entry: string): string =>
  `// mine\n{\n  "theme": 1.0, // dark\n  "${section}": {\n    /* the weather */\n    "weather": ${entry}, // keep\n` +
  '    // "old": {},\n    "z": { "command": "z", "env": { "T": "theirs" } },\n  },\n}\n';
const inJson = (section: string, more = ''): { stdio: string; url: string } => ({
  stdio: json(
    section,
    `{ "command": "npx",\n      // of the shop\n\t"args": ["-y", "weather-mcp"${more === '' ? '' : ','} ], ${more} "env": {"WEATHER": "s3cret"},   "timeout": 60 }`,
  ),
  url: json(
    section,
    `{ "type": "http", "url": "https://mcp.example.com/mcp?k=s3cret",\n "headers": {"X-Who": "s3cret"}, "disabled": false }`,
  ),
});
/** The files that somebody else wrote: with a server that is a command, and with one behind a URL. */
const others: Record<string, { stdio: string; url: string }> = {
  'claude-code': inJson('mcpServers'),
  'claude-desktop': inJson('mcpServers'),
  cursor: inJson('mcpServers'),
  'vs-code': inJson('servers'),
  gemini: inJson('mcpServers'),
  zed: inJson('context_servers'),
  codex: {
    stdio:
      '# mine\r\nmodel = "o"\n\n[mcp_servers."weather"] # the weather\ncommand = \'npx\' # a runner\n# of the shop\nargs = [\n  "-y",   "weather-mcp",\n]\nstartup_timeout_sec = 20\r\ntool_timeout_sec = 1.0\n\n[ mcp_servers.weather.env ]\nWEATHER = "s3cret"\n\n[mcp_servers.weather.tools.now]\napproval_mode = "approve"\n# about z\n[mcp_servers.z]\ncommand = "z"\nenv = { T = "theirs" }',
    url: '[mcp_servers.weather]\nurl = "https://mcp.example.com/mcp?k=s3cret" # there\nenabled = true\nhttp_headers = { X-Who = "s3cret" }',
  },
  goose: {
    stdio:
      '# mine\nGOOSE_MODEL: x\nextensions:\n    z: {cmd: z, envs: {T: theirs}}\n    # the weather\n    weather:   # here\n        cmd: npx\n        # of the shop\n        args: [ -y,  weather-mcp ]\n        bundled: null\n        envs: {WEATHER: s3cret}\n        enabled: true\r\n        type: stdio\n        name: "weather"   # so\n\n# about the rest\nother: 1',
    url: 'extensions:\n  weather:\n    type: streamable_http\n    uri: "https://mcp.example.com/mcp?k=s3cret"\n    headers:\n      X-Who: s3cret\n    enabled: true\n    timeout: 300\n',
  },
};
const hosts = Object.keys(others);
const former = (host: string, kind: 'stdio' | 'url'): string => others[host]?.[kind] ?? '';
const bridge = () => treasury.host.engine.context.settings.bridge();

describe.each(hosts)('%s', (host) => {
  const { command, env, headers, urls } = hostNamed(host).form;

  it('starts a command through the proxy, with its other members, and everything else as it was', async () => {
    write(host, former(host, 'stdio'));
    const before = { entry: entryIn(host), z: entryIn(host, 'z') };
    const ended = await install(host, yes);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('Agents can pay it as mcp:weather');
    const { [command]: program, args, [env]: variables, ...rest } = entryIn(host);
    expect([program, args]).toEqual([
      bridge().command,
      [...bridge().args, 'proxy', '--name', 'weather', '--', 'npx', '-y', 'weather-mcp'],
    ]);
    expect(variables).toMatchObject({
      WEATHER: 's3cret',
      TREASURY_OWNER: treasury.owner,
      TREASURY_AGENT_ID: 'scout',
    });
    expect(await opens(keyIn(host))).toBe(true);
    const { [command]: _, args: __, [env]: ___, ...restBefore } = before.entry;
    expect(rest).toEqual(restBefore);
    expect(entryIn(host, 'z')).toEqual(before.z);
    const at = former(host, 'stdio').indexOf('about');
    expect(read(host).endsWith(former(host, 'stdio').slice(at < 0 ? -90 : at))).toBe(true);
  });

  it('reaches a URL through the proxy', async () => {
    write(host, former(host, 'url'));
    expect(await install(host, yes)).toMatchObject({ code: 0, stderr: '' });
    const entry = entryIn(host);
    // Other users can read a program's arguments.
    expect(entry['args']).toEqual([...bridge().args, 'proxy']);
    const { TREASURY_SERVER: server } = entry[env] as Record<string, string>;
    expect(JSON.parse(server ?? '')).toEqual({
      url: 'https://mcp.example.com/mcp?k=s3cret',
      headers: { 'X-Who': 's3cret' },
    });
    for (const name of [...urls, headers]) expect(entry).not.toHaveProperty(name);
    expect(entry['type']).toBe(['codex', 'gemini'].includes(host) ? undefined : 'stdio');
    expect(await opens(keyIn(host))).toBe(true);
  });

  it.each(['stdio', 'url'] as const)(
    'is put back byte for byte, and its API key revoked: %s',
    async (kind) => {
      write(host, former(host, kind));
      await install(host, yes);
      const [key, written] = [keyIn(host), read(host)];
      const ended = await undo(host);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(read(host)).toBe(former(host, kind));
      expect(await opens(key)).toBe(false);
      const kept = backups(host).map((name) => readFileSync(join(dirname(fileOf(host)), name), 'utf8'));
      expect(kept.toSorted()).toEqual([former(host, kind), written].toSorted());
      expect(await undo(host)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('does not go through the proxy'),
      });
    },
  );

  it('shows what is there and what comes, and no secret of anybody', async () => {
    for (const kind of ['stdio', 'url'] as const) {
      write(host, former(host, kind));
      const there = await install(host, scout(), { typed: ['y'] });
      const key = keyIn(host);
      const back = await undo(host, [], { typed: ['y'] });
      for (const { code, stdout, stderr } of [there, back]) {
        expect([code, stdout]).toEqual([0, expect.stringMatching(/^- [^]*^\+ /m)]);
        for (const secret of ['s3cret', 'theirs', key]) expect(stdout + stderr).not.toContain(secret);
        expect(stdout).toContain('scout');
      }
      expect(read(host)).toBe(former(host, kind));
    }
  });

  it('is left alone by a dry run and by any answer but yes', async () => {
    write(host, former(host, 'stdio'));
    const before = await inForce();
    const dry = await install(host, scout('--dry-run'));
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).not.toContain('s3cret');
    expect(await install(host, scout())).toMatchObject({ code: 3, stdout: '' });
    expect(await install(host, scout(), { typed: ['n'] })).toMatchObject({ code: 3 });
    expect([read(host), await inForce(), backups(host)]).toEqual([former(host, 'stdio'), before, []]);

    await install(host, yes);
    const written = read(host);
    expect(await undo(host, ['--dry-run'])).toMatchObject({ code: 0 });
    expect(await undo(host, [])).toMatchObject({ code: 3, stdout: '' });
    expect(await undo(host, [], { typed: ['n'] })).toMatchObject({ code: 3 });
    expect([read(host), await inForce()]).toEqual([written, before + 1]);
  });

  it('is set up once for an agent; for another it is made from its former text, and the first key revoked', async () => {
    write(host, former(host, 'stdio'));
    await install(host, yes);
    const [first, key] = [read(host), keyIn(host)];
    const again = await install(host, scout('--yes', '--json'));
    expect(again).toMatchObject({ code: 0, json: { installed: true, changed: false } });
    expect(read(host)).toBe(first);

    expect(await install(host, ['--agent', 'other', '--yes'])).toMatchObject({ code: 0, stderr: '' });
    const words = entryIn(host)['args'] as string[];
    expect(words.filter((word) => word === 'proxy')).toHaveLength(1);
    expect(words.slice(-3)).toEqual(['npx', '-y', 'weather-mcp']);
    expect([await opens(key), await opens(keyIn(host), 'other')]).toEqual([false, true]);
    expect(await undo(host)).toMatchObject({ code: 0 });
    expect(read(host)).toBe(former(host, 'stdio'));
  });

  it('that was edited by hand is put back after that was said', async () => {
    write(host, former(host, 'stdio'));
    await install(host, yes);
    const edited = read(host).replace('s3cret', 'an0ther');
    write(host, edited);
    const other = await install(host, ['--agent', 'other'], { typed: ['n'] });
    expect(other.stdout).toContain('what was changed is lost');
    const refused = await undo(host, [], { typed: ['n'] });
    expect(refused.stdout).toContain('was edited since it was written, and what was changed is lost');
    expect(read(host)).toBe(edited);
    expect(await undo(host, ['--yes', '--json'])).toMatchObject({ code: 0, json: { edited: true } });
    expect(read(host)).toBe(former(host, 'stdio'));
  });
});

const cursor = (entry: object, name = 'weather'): string => JSON.stringify({ mcpServers: { [name]: entry } });

describe('an entry', () => {
  it('that the host has written in another layout counts as untouched', async () => {
    write(
      'cursor',
      former('cursor', 'stdio')
        .replaceAll(/\/\/ .*|\/\*.*\*\//g, '')
        .replaceAll(/,(\s*[}\]])/g, '$1'),
    );
    await install('cursor', yes);
    write('cursor', JSON.stringify(JSON.parse(read('cursor')), null, 8));
    expect(await undo('cursor', ['--yes', '--json'])).toMatchObject({ code: 0, json: { edited: false } });
    expect(entryIn('cursor')).toMatchObject({ command: 'npx', timeout: 60 });
  });

  it('whose API key has gone is made anew from its former text', async () => {
    write('cursor', former('cursor', 'stdio'));
    await install('cursor', yes);
    const { keyId } = JSON.parse(variablesIn('cursor')['TREASURY_PROXIED'] ?? '');
    expect(await keys()).toContainEqual(
      expect.objectContaining({ keyId, label: 'MCP: Cursor, weather', revokedAt: null }),
    );
    const revoked = await treasury.client.call('DELETE', `/v1/agents/scout/keys/${keyId}`);
    expect(revoked.status).toBe(200);
    expect(await install('cursor', scout('--yes', '--json'))).toMatchObject({
      code: 0,
      json: { changed: true },
    });
    expect(await opens(keyIn('cursor'))).toBe(true);
    await undo('cursor');
    expect(read('cursor')).toBe(former('cursor', 'stdio'));
  });

  it.each([
    ['starts the bridge', { command: 'treasury-mcp', args: [], env: {} }],
    ['has a variable of ours', { command: 'x', env: { TREASURY_AGENT_ID: 'scout' } }],
    ['starts the proxy', { command: '/opt/treasury', args: ['mcp', 'proxy', '--', 'x'] }],
    [
      'starts it by npm',
      { command: 'npm', args: ['run', '-s', 'treasury', '--', 'mcp', 'proxy', '--', 'x'] },
    ],
  ])('that %s is not put behind the proxy', async (_, entry) => {
    write('cursor', cursor(entry));
    const ended = await install('cursor', yes);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('a program of the treasury') });
    expect(read('cursor')).toBe(cursor(entry));
  });

  it.each([
    ['cursor', { url: 'https://a.example/sse', type: 'sse' }, 'SSE'],
    ['cursor', { url: 'ftp://a.example' }, '--url must be'],
    ['cursor', { url: 'https://a.example', command: 'x' }, 'both a command and a URL'],
    ['cursor', { url: 'https://a.example', headers: { 'a b': 'c' } }, '--header must be'],
    ['cursor', { url: 'https://a.example', headers: { a: 1 } }, 'not all text'],
    ['cursor', { url: 'https://a.example', auth: { CLIENT_ID: 'x' } }, 'sign in'],
    ['cursor', { command: 'x', args: [1] }, 'not all text'],
    ['cursor', { args: [] }, 'neither a command nor a URL'],
    ['zed', { command: { path: 'x', args: [] } }, 'not all text'],
    ['gemini', { httpUrl: 'https://a.example', authProviderType: 'google_credentials' }, 'sign in'],
    ['codex', '[mcp_servers.weather]\nurl = "https://a.example"\nbearer_token_env_var = "T"\n', 'variable'],
    ['goose', 'extensions:\n  weather:\n    type: builtin\n', 'neither a command nor a URL'],
    ['goose', 'extensions:\n  weather:\n    uri: https://a.example\n    headers: {a: $T}\n', 'variable'],
  ])('of %s that the proxy cannot stand for is left as it is: %j', async (host, entry, why) => {
    const section = host === 'zed' ? 'context_servers' : 'mcpServers';
    const text = typeof entry === 'string' ? entry : JSON.stringify({ [section]: { weather: entry } });
    write(host, text);
    const before = await inForce();
    const ended = await install(host, yes);
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(why) });
    expect([read(host), await inForce()]).toEqual([text, before]);
  });

  it('of no such name is answered with the names that there are', async () => {
    write('cursor', cursor({ command: 'x' }, 'wetter'));
    expect(await install('cursor', yes)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no server weather in .*It has: wetter\./),
    });
    write('cursor', '{}');
    expect((await install('cursor', yes)).stderr).toContain('It has no other server.');
    expect((await undo('cursor')).stderr).toContain('It has no other server.');
  });

  it('of our own is not put behind the proxy', async () => {
    const args = ['mcp', 'install', 'cursor', '--data', treasury.dataDir, '--agent', 'scout', '--yes'];
    await run(args, { home });
    const before = read('cursor');
    expect(await run([...args, '--proxy', 'agent-treasury'], { home })).toMatchObject({ code: 2 });
    expect(read('cursor')).toBe(before);
  });

  it('whose name no MCP server may have is left for its owner to rename; behind a URL it needs none', async () => {
    const args = ['mcp', 'install', 'cursor', '--data', treasury.dataDir, '--agent', 'scout', '--yes'];
    write('cursor', cursor({ command: 'x' }, 'my weather'));
    expect(await run([...args, '--proxy', 'my weather'], { home })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('rename the entry'),
    });
    const text = cursor({ url: 'https://a.example' }, 'my weather');
    write('cursor', text);
    expect(await run([...args, '--proxy', 'my weather'], { home })).toMatchObject({ code: 0 });
    const back = await run([...args, '--proxy', 'my weather', '--undo'], { home });
    expect([back.code, read('cursor')]).toEqual([0, text]);
  });

  it('is registered by its program and package alone: other words may be secrets', async () => {
    write('cursor', cursor({ command: 'weather', args: ['--api-key', 's3cret', 'TOKEN=s3cret', '-v'] }));
    await install('cursor', yes);
    const { body } = await treasury.client.get('/v1/services/search?q=mcp:weather');
    const listed = body['results'].find(({ id }: { id: string }) => id === 'mcp:weather');
    expect(listed.endpoint).toBe("MCP weather '…'");
    expect(JSON.stringify(body)).not.toContain('s3cret');
    expect((entryIn('cursor')['args'] as string[]).slice(-4)).toEqual([
      '--api-key',
      's3cret',
      'TOKEN=s3cret',
      '-v',
    ]);
  });
});

describe('a file', () => {
  it.each([
    ['cursor', '{ "mcpServers": {"weather": {"command": "x"}, "weather": {"command": "x"}} }'],
    ['codex', '[mcp_servers]\nweather = { command = "x" }\n'],
    ['codex', '[mcp_servers.weather]\ncommand = "x"\n[a]\n[mcp_servers.weather.env]\nA = "b"\n'],
    ['goose', 'extensions: {weather: {cmd: x}}\n'],
  ])('of %s that cannot be changed safely stays, and the text is there to paste: %j', async (host, text) => {
    write(host, text);
    const unasked = await install(host, yes);
    expect(unasked).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('without --yes') });
    const ended = await install(host, scout(), { typed: ['y'] });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('is left as it is') });
    expect(ended.stdout).toMatch(/proxy[^]*--name[^]*weather/);
    // Nothing that an undo could take for the whole former entry.
    expect(ended.stdout).not.toContain('TREASURY_PROXIED');
    expect(await opens(/atk_[\w-]+/.exec(ended.stdout)?.[0] ?? '')).toBe(true);
    expect([read(host), backups(host)]).toEqual([text, []]);
  });

  it('that is not valid is left as it is, and says why', async () => {
    write('cursor', '{ "mcpServers": {,, }');
    expect(await install('cursor', yes)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('line 1, column 18 (value expected)'),
    });
  });

  it('that changes while the owner thinks is left as it is, and the API key revoked', async () => {
    write('cursor', former('cursor', 'stdio'));
    const before = await inForce();
    const changed = { typed: ['y'], onQuestion: () => write('cursor', cursor({ command: 'y' })) };
    expect(await install('cursor', scout(), changed)).toMatchObject({ code: 1 });
    expect([read('cursor'), await inForce()]).toEqual([cursor({ command: 'y' }), before]);
  });

  it('that cannot be written keeps its entry, and the API key is revoked', async () => {
    // Its backup's name would be too long.
    const target = join(home, 'x'.repeat(240));
    writeFileSync(target, former('cursor', 'stdio'));
    mkdirSync(dirname(fileOf('cursor')), { recursive: true });
    symlinkSync(target, fileOf('cursor'));
    const before = await inForce();
    expect(await install('cursor', yes)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('could not be written'),
    });
    expect([read('cursor'), await inForce()]).toEqual([former('cursor', 'stdio'), before]);
  });
});

describe('an undo', () => {
  it.each(hosts)(
    'of %s whose former text was spoiled leaves the file as it is, and the API key',
    async (host) => {
      for (const spoiled of ['', 'x', '{', '[a]\n', '  other:\n    cmd: x']) {
        write(host, former(host, 'stdio'));
        await install(host, yes);
        const { format, form } = hostNamed(host);
        const entry = entryIn(host);
        const kept = { ...JSON.parse(variablesIn(host)['TREASURY_PROXIED'] ?? ''), entry: spoiled };
        const variables = { ...variablesIn(host), TREASURY_PROXIED: JSON.stringify(kept) };
        const edit = format.edit(read(host), 'weather', { ...entry, [form.env]: variables });
        const text = 'refused' in edit ? '' : edit.text;
        write(host, text);
        expect(await undo(host), spoiled).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('is left as it is'),
        });
        expect(read(host)).toBe(text);
        expect(await opens(keyIn(host))).toBe(true);
      }
    },
  );
});

describe('the options', () => {
  it('say what is missing', async () => {
    write('cursor', former('cursor', 'stdio'));
    expect((await install('cursor')).stderr).toContain('--agent ID');
    const args = ['mcp', 'install', 'cursor', '--undo', '--data', treasury.dataDir];
    expect(await run(args, { home })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--proxy NAME'),
    });
  });

  it('leave another treasury’s API key alone, and say so', async () => {
    write('cursor', former('cursor', 'stdio'));
    await install('cursor', yes);
    const before = await inForce();
    write('cursor', read('cursor').replace(treasury.owner, '11111111111111111111111111111111'));
    const ended = await undo('cursor', ['--yes']);
    expect(ended.stdout).toContain('was not revoked');
    expect([read('cursor'), await inForce()]).toEqual([former('cursor', 'stdio'), before]);
  });
});

// Nothing of a command's arguments, which may hold secrets in any form.
describe('what agents may read of a command', () => {
  it.each([
    [
      ['npx', '-y', '@scope/weather-mcp@2'],
      ['npx', '-y', '@scope/weather-mcp@2'],
    ],
    [
      ['node', '/opt/weather/server.js'],
      ['node', '/opt/weather/server.js'],
    ],
    [['weather-mcp'], ['weather-mcp']],
    [
      ['/opt/bin/weather-mcp', 'stdio'],
      ['/opt/bin/weather-mcp', '…'],
    ],
  ])('of %j it is %j', (command, told) => {
    expect(publicWords(command)).toEqual(told);
  });

  it.each([
    ['npx', '-y', 'server-postgres', 'postgresql://app:S3cret@db.example/prod'],
    ['uvx', 'mcp-server-redis', 'redis://:S3cret@h:6379/0'],
    ['sh', '-c', 'export API_KEY=S3cret; exec my-mcp'],
    ['env', 'GITHUB_PAT=ghp_S3cret', 'github-mcp'],
    ['docker', 'run', '-e', 'GITHUB_PAT=ghp_S3cret', 'img'],
    ['docker', 'run', '-eKEY=S3cret', 'img'],
    ['npx', 'https://user:S3cret@example.com/x.tgz'],
    ['my-mcp', '--pat', 'S3cret'],
    ['my-mcp', '-k', 'S3cret'],
    ['my-mcp', '--config', '{"apiKey":"S3cret"}'],
    ['my-mcp', 'S3cret'],
  ])('of %s %s … it tells no secret', (...command) => {
    expect(publicWords(command).join(' ')).not.toContain('S3cret');
  });
});
