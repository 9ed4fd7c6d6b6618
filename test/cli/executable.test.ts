// The command as it is shipped: one file for any Node, and one executable that needs no Node.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTo } from '../../server/lib/files/owner-only.ts';
import { makeExecutables } from '../../build/executables.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { useFolders } from '../harness/folders.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { oldestNode } from '../harness/programs/oldest-node.ts';
import { letIn } from './terminal.ts';

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

const run = async (file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> => {
  try {
    const { stdout, stderr } = await promisify(execFile)(file, args, { env: { ...env }, timeout: 60_000 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as Ended;
    return { code, stdout, stderr };
  }
};

const newFolder = useFolders();
let treasury: Treasury;
let scout: TestAgent;
let executable: string;
let bridge: string;
let bundle: string;
beforeAll(async () => {
  const made = await makeExecutables();
  [{ file: executable, bundle } = { file: '', bundle: '' }, { file: bridge } = { file: '' }] = made;
  treasury = await openTreasury();
  scout = await deploy(treasury.client, 'scout', { allocate: '2' });
});
afterAll(() => treasury.close());

const tokenFile = (): string => join(treasury.dataDir, 'runtime', 'terminal-token.json');

describe.skipIf(process.platform === 'win32')(
  'the treasury command (a file without a suffix: POSIX alone)',
  () => {
    it('needs no Node: its PATH may be empty', async () => {
      expect(await run(executable, ['--version'], { PATH: '' })).toEqual({
        code: 0,
        stdout: `${packageJson.version}\n`,
        stderr: '',
      });
    });

    it('runs on the machine’s own Node as well', async () => {
      expect(oldestNode).toBeDefined();
      expect((await run(oldestNode ?? '', [bundle, '--version'])).stdout).toBe(`${packageJson.version}\n`);
    });

    it('is logged in once the owner has approved the code that it shows, and then shows the status', async () => {
      const data = ['--data', treasury.dataDir];
      const before = await run(executable, [...data, 'status']);
      expect([before.code, before.stderr]).toEqual([
        5,
        'This terminal is not logged in. Run: treasury login (in a checkout: npm run -s treasury -- login)\n',
      ]);

      const login = run(executable, [...data, 'login']);
      const [asked] = await until('the login', async () => {
        const { logins } = (await treasury.client.get('/v1/logins')).body;
        return logins.length > 0 && logins;
      });
      await treasury.client.post(`/v1/logins/${asked.loginId}/grant`);
      const { code, stdout } = await login;
      expect(code).toBe(0);
      expect(stdout).toContain(`Code: ${asked.code}`);
      expect(openTo(tokenFile())).toBeNull();

      const { stdout: text } = await run(executable, [...data, 'status']);
      expect(text).toContain('scout  2.00 USDC, 0.00 of 5.00 today');
      const { token } = JSON.parse(readFileSync(tokenFile(), 'utf8')) as { token: string };
      expect(text).not.toContain(token);
    });

    // Away from the repository, where the bundle finds no package beside it: each format’s parser has to be inside.
    it.each([
      [
        'zed',
        'JSON with comments',
        'zed/settings.json',
        '// mine\n{ "context_servers": { "github": {}, } }\n',
      ],
      ['goose', 'YAML', 'goose/config.yaml', 'extensions:\n  developer: # mine\n    enabled: true\n'],
      [
        'codex',
        'TOML',
        '.codex/config.toml',
        '# mine\nmodel = "o"\n\n[mcp_servers.github]\ncommand = "gh"\n',
      ],
    ])(
      'shows what it would add to the file of %s (%s), and leaves it as it is',
      async (host, _, name, text) => {
        await letIn(treasury);
        const home = newFolder();
        const file = join(home, name);
        const alone = join(newFolder(), 'treasury.cjs');
        copyFileSync(bundle, alone);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
        const args = ['mcp', 'install', host, '--agent', 'scout', '--data', treasury.dataDir, '--dry-run'];
        const env = { HOME: home, XDG_CONFIG_HOME: home };
        const ended = await run(process.execPath, [alone, ...args], env);
        expect(ended).toMatchObject({ code: 0, stderr: '' });
        expect(ended.stdout).toContain(`Would add this entry to ${file}:`);
        expect(ended.stdout).toContain('agent-treasury');
        expect(ended.stdout).toContain('atk_…');
        expect(readFileSync(file, 'utf8')).toBe(text);
      },
    );

    it('ends with its exit code and a sentence', async () => {
      expect(await run(executable, ['nonsense'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('unknown command'),
      });
    });

    it.each([
      ['the command’s `mcp`', () => [executable, 'mcp'] as const],
      ['the bridge, an executable of its own', () => [bridge] as const],
    ])('runs the MCP server of an agent on standard input and output: %s', async (_, program) => {
      const [file, ...args] = program();
      const child = spawn(file, args, {
        env: {
          TREASURY_OWNER: treasury.owner,
          TREASURY_AGENT_ID: 'scout',
          TREASURY_API_KEY: scout.key,
          TREASURY_DATA: treasury.dataDir,
        },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      const ask = async (message: object): Promise<unknown> => {
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
        return JSON.parse(String((await lines.next()).value));
      };
      const clientInfo = { name: 'a test', version: '1' };
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
      expect(await ask({ id: 1, method: 'initialize', params })).toMatchObject({
        result: { serverInfo: { name: 'agent-treasury' } },
      });
      child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
      const call = { name: 'check_balance', arguments: {} };
      expect(JSON.stringify(await ask({ id: 2, method: 'tools/call', params: call }))).toContain('2.00');
      child.stdin.end();
      expect(await ended).toEqual([0, null]);
    });

    it('runs the proxy before an MCP server with the bridge’s executable, and ends as the server does', async () => {
      const env = {
        TREASURY_OWNER: treasury.owner,
        TREASURY_AGENT_ID: 'scout',
        TREASURY_API_KEY: scout.key,
        TREASURY_DATA: treasury.dataDir,
      };
      const server = ['--name', 'x', '--', process.execPath, '-e', 'process.exit(7)'];
      expect(await run(bridge, ['proxy', ...server], env)).toMatchObject({ code: 7, stderr: '' });
      expect(await run(bridge, ['proxy'], env)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Name the server'),
      });
    });

    it.skipIf(!existsSync('/usr/bin/script') || process.platform !== 'linux')(
      'asks on a terminal, and takes the end of its input for a no',
      async () => {
        await treasury.client.post('/v1/freeze');
        const onTerminal = (typed: string): Promise<Ended> => {
          const line = `"${executable}" --data "${treasury.dataDir}" unfreeze`;
          const shell = run(
            '/bin/sh',
            ['-c', `printf '${typed}' | /usr/bin/script -qec '${line}' /dev/null`],
            {
              PATH: '/usr/bin:/bin',
            },
          );
          return shell;
        };
        const isFrozen = async (): Promise<boolean> =>
          (await treasury.client.get('/v1/dashboard')).body['frozen'];
        const refused = {
          code: 3,
          stdout: expect.stringMatching(/Lift the freeze.*\[y\/N\][^]*Nothing was done\./),
        };
        expect(await onTerminal('no\\n')).toMatchObject(refused);
        expect(await onTerminal('\\004')).toMatchObject(refused);
        expect(await isFrozen()).toBe(true);
        expect(await onTerminal('yes\\n')).toMatchObject({ code: 0 });
        expect(await isFrozen()).toBe(false);
      },
    );
  },
);
