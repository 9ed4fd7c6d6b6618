// The command as it is shipped: one file for any Node, and one executable for no Node at all.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeExecutables } from '../../build/executables.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { deploy, openTreasury, until, type Treasury } from '../harness/treasury.ts';

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

/** The machine's own Node, which may be as old as 20; npm puts another one first. */
const oldestNode = (process.env['PATH'] ?? '')
  .split(':')
  .map((folder) => join(folder, 'node'))
  .find((file) => existsSync(file) && !file.includes('node_modules'));

let treasury: Treasury;
let executable: string;
let bundle: string;
beforeAll(async () => {
  [{ file: executable, bundle } = { file: '', bundle: '' }] = await makeExecutables();
  treasury = await openTreasury();
  await deploy(treasury.client, 'scout', { allocate: '2' });
});
afterAll(() => treasury.close());

const tokenFile = (): string => join(treasury.dataDir, 'runtime', 'terminal-token.json');

describe.skipIf(process.platform === 'win32')('the treasury command', () => {
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

  it('is let in once the owner granted the code that it shows, and then tells how things are', async () => {
    const data = ['--data', treasury.dataDir];
    const before = await run(executable, [...data, 'status']);
    expect([before.code, before.stderr]).toEqual([1, 'This terminal is not let in. Run: treasury login\n']);

    const login = run(executable, [...data, 'login']);
    const [asked] = await until('the login', async () => {
      const { logins } = (await treasury.client.get('/v1/logins')).body;
      return logins.length > 0 && logins;
    });
    await treasury.client.post(`/v1/logins/${asked.loginId}/grant`);
    const { code, stdout } = await login;
    expect(code).toBe(0);
    expect(stdout).toContain(`Code: ${asked.code}`);
    expect(statSync(tokenFile()).mode & 0o777).toBe(0o600);

    const { stdout: text } = await run(executable, [...data, 'status']);
    expect(text).toContain('scout  2.00 USDC, 0.00 of 5.00 today');
    const { stdout: json } = await run(executable, [...data, '--json', 'status']);
    expect(JSON.parse(json)).toMatchObject({ network: 'sandbox', frozen: false });
    expect(text + json).not.toContain(
      (JSON.parse(readFileSync(tokenFile(), 'utf8')) as { token: string }).token,
    );
  });

  it('says that the owner refused', async () => {
    const login = run(executable, ['--data', treasury.dataDir, 'login']);
    const [asked] = await until('the login', async () => {
      const { logins } = (await treasury.client.get('/v1/logins')).body;
      return logins.length > 0 && logins;
    });
    await treasury.client.post(`/v1/logins/${asked.loginId}/deny`);
    expect(await login).toMatchObject({ code: 1, stderr: 'The owner refused.\n' });
  });

  it.each([
    [['status', '--data', '/nowhere'], 1, 'not running'],
    [['nonsense'], 2, 'unknown command'],
    [['login', '--passphrase-fd', 'secret'], 2, 'file descriptor'],
  ])('ends %j with its exit code and a sentence', async (args, code, words) => {
    const ended = await run(executable, args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(words);
  });
});
