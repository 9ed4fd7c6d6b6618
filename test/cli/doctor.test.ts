// `treasury doctor`: each state that it names, on a real treasury or on the folder that one left.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statfsSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Check } from '../../server/cli/doctor/check.ts';
import { diskChecks } from '../../server/cli/doctor/folder.ts';
import { keysOfRunning } from '../../server/cli/doctor/keys.ts';
import type { Reply } from '../../server/contract/schemas.ts';
import { useFolders } from '../harness/folders.ts';
import { freePort } from '../harness/programs/free-port.ts';
import { createRpcProxy } from '../harness/chain/rpc-proxy.ts';
import { instantly, openSandbox, openTreasury, rpcCall, type TestSandbox } from '../harness/treasury.ts';
import { everyone, windowsTools } from '../harness/programs/windows/windows-tools.ts';
import { command, home, treasury, useTreasury } from './cli-treasury.ts';
import { letIn, run, type Setting } from './terminal.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = useFolders();
useTreasury();

const checksOf = async (
  dataDir: string,
  setting: Partial<Setting> = {},
  args: readonly string[] = [],
): Promise<Check[]> => {
  const ended = await run(['doctor', '--json', '--data', dataDir, ...args], { home, ...setting });
  const checks = ended.json.checks as Check[];
  const isWell = checks.every(({ state }) => state !== 'failed');
  expect([ended.code, ended.json.ok]).toEqual([isWell ? 0 : 1, isWell]);
  return checks;
};
const named = (checks: Check[], name: string): Check | undefined => checks.find((one) => one.name === name);
const check = async (name: string): Promise<Check | undefined> =>
  named(await checksOf(treasury.dataDir), name);

const ended = folder();
beforeAll(async () => (await openTreasury({ dataDir: ended })).close());
/** The folder of a treasury that ended, to be changed. */
const left = (): string => {
  const dataDir = folder();
  cpSync(ended, dataDir, { recursive: true });
  return dataDir;
};

/** The folders of tests may lie in memory, which the doctor warns of. */
const ofMemory = statfsSync(tmpdir()).type === 0x01021994 ? ['Disk'] : [];

describe('a treasury that runs', () => {
  it('is healthy, with a line for each thing', async () => {
    const checks = await checksOf(treasury.dataDir);
    expect(checks.map(({ name }) => name)).toEqual(
      (
        'Command,Data folder,Disk space,Disk,Treasury,Port,Network,Owner,Login,Version,Clock,Chain,Runtime,' +
        'Keys: sandbox,State,Backups: sandbox'
      ).split(','),
    );
    expect(checks.filter(({ state }) => state !== 'ok').map(({ name }) => name)).toEqual(ofMemory);
    expect(named(checks, 'Keys: sandbox')?.found).toBe('a file with its key beside it (sandbox)');
  });

  it('names the runtime, and why it is that', async () => {
    const other = await openTreasury({ args: [...instantly, '--runtime', 'script'] });
    await letIn(other);
    expect(named(await checksOf(other.dataDir), 'Runtime')?.found).toBe(
      'script: asked for with --runtime or SANDBOX_RUNTIME',
    );
    await other.close();
  });

  it('is frozen, locked, or halted', async () => {
    await treasury.client.post('/v1/freeze');
    expect(await check('State')).toMatchObject({
      state: 'warning',
      found: 'Everything is stopped',
      next: 'treasury unfreeze',
    });
    await treasury.client.post('/v1/unfreeze');
    await treasury.client.post('/v1/lock');
    await letIn(treasury);
    expect(await check('State')).toMatchObject({
      state: 'warning',
      found: 'The treasury is locked',
      next: 'treasury unlock',
    });
    await treasury.client.post('/v1/unlock', {});
    const { halted } = treasury.host.engine.context;
    Object.assign(halted, { reason: 'its disk failed' });
    expect(await check('State')).toMatchObject({
      state: 'failed',
      next: 'its disk failed. Nothing is paid until it is started again.',
    });
    Object.assign(halted, { reason: null });
  });

  it('has lost its root key, or it was damaged', async () => {
    const file = join(treasury.dataDir, 'sandbox', 'vault-root.json');
    renameSync(file, `${file}.away`);
    const next = expect.stringContaining('Put it back from a copy');
    expect(await check('Keys: sandbox')).toMatchObject({
      state: 'failed',
      found: expect.stringContaining('gone from a file'),
      next,
    });
    writeFileSync(file, '{}', { mode: 0o600 });
    expect(await check('Keys: sandbox')).toMatchObject({
      state: 'failed',
      found: expect.stringContaining('damaged in'),
      next,
    });
    rmSync(file);
    renameSync(`${file}.away`, file);
    expect(await check('Keys: sandbox')).toMatchObject({ state: 'ok' });
  });

  it('has its root key in a keychain that cannot be reached', () => {
    const about = { network: 'mainnet', protection: 'keychain+seal' } as Reply<'diagnostics'>['about'];
    expect(keysOfRunning({ about, root: 'out_of_reach' }, 'win32')).toMatchObject({
      state: 'failed',
      found: expect.stringContaining('out of reach in the Credential Manager, under a passphrase'),
      next: expect.stringContaining('Unlock the keychain'),
    });
    expect(keysOfRunning({ about, root: 'there' }, 'darwin')).toMatchObject({
      state: 'ok',
      found: 'the Keychain, under a passphrase',
    });
  });

  it('has a terminal that is not logged in: what it is not told of is said', async () => {
    const other = await openTreasury();
    const checks = await checksOf(other.dataDir);
    expect(named(checks, 'Login')).toMatchObject({
      state: 'warning',
      found: 'versions, clock, chain and runtime not seen',
      next: expect.stringContaining('treasury login'),
    });
    expect(named(checks, 'Keys: sandbox')).toMatchObject({ state: 'ok' });
    await other.close();
  });
});

describe('a treasury on a chain of another program', () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await openSandbox();
  });

  it('has an RPC without what it needs, or one that is down: each by host, answer and next step', async () => {
    const proxy = await createRpcProxy(sandbox.rpcUrl);
    const absent = ['getTransaction', 'getFirstAvailableBlock'];
    proxy.fault = ({ id, method }, forward) =>
      absent.includes(method) ? { id, error: { code: -32_601, message: 'Method not found' } } : forward();
    const args = ['--rpc', proxy.url, '--ws', 'ws://127.0.0.1:9', '--second-rpc', sandbox.rpcUrl];
    const other = await openTreasury({ args });
    await letIn(other);
    const { host } = new URL(proxy.url);
    const lacking = await checksOf(other.dataDir);
    expect(named(lacking, 'RPC')).toMatchObject({ state: 'failed', next: expect.stringContaining('--rpc') });
    for (const words of [
      host,
      'getTransaction',
      'Deposits are never listed',
      'getFirstAvailableBlock',
      'websocket',
    ])
      expect(named(lacking, 'RPC')?.found).toContain(words);
    expect(named(lacking, 'Second RPC')).toMatchObject({ state: 'ok' });
    const { rpcFaults } = (await other.client.get('/v1/dashboard')).body;
    expect(rpcFaults).toHaveLength(2);
    expect(rpcFaults[0]).toMatchObject({ host, answer: expect.stringContaining('-32601') });

    proxy.fault = null;
    expect(named(await checksOf(other.dataDir), 'RPC')).toMatchObject({ state: 'warning' });
    expect((await other.client.get('/v1/dashboard')).body['rpcFaults']).toEqual([]);
    proxy.fault = () => null;
    expect(named(await checksOf(other.dataDir), 'RPC')).toMatchObject({
      state: 'failed',
      found: expect.stringMatching(new RegExp(`^${host}.*connection`)),
    });
    await other.close();
    await proxy.close();
  });

  it('has a clock that is off, or a chain that cannot be reached', async () => {
    const ws = sandbox.rpcUrl.replace('http', 'ws');
    const other = await openTreasury({ args: ['--rpc', sandbox.rpcUrl, '--ws', ws] });
    await letIn(other);
    await rpcCall(sandbox.rpcUrl, 'sandbox_warp', [1_500]);
    const off = await checksOf(other.dataDir);
    expect(named(off, 'Clock')).toMatchObject({ state: 'failed', next: 'Set this machine’s clock.' });
    expect(named(off, 'Runtime')).toBeUndefined();
    await sandbox.close();
    expect(named(await checksOf(other.dataDir), 'Chain')).toMatchObject({
      state: 'failed',
      found: expect.stringMatching(/^not reachable/),
    });
    await other.close();
  });
});

describe('a treasury that does not run', () => {
  it('is named so, and its folder and keys are looked at', async () => {
    const dataDir = left();
    const checks = await checksOf(dataDir);
    expect(named(checks, 'Treasury')).toMatchObject({ state: 'failed', found: 'not running' });
    // Another program of this machine may have the usual port: the tests of the port are below.
    const off = checks.filter(({ state, name }) => state !== 'ok' && name !== 'Port');
    expect(off.map(({ name }) => name)).toEqual([...ofMemory, 'Treasury']);
    const none = await checksOf(join(home, 'none'));
    expect(named(none, 'Data folder')).toMatchObject({ state: 'failed', next: 'Name it with --data.' });
    expect(named(none, 'Keys: sandbox')).toBeUndefined();
  });

  it.skipIf(process.platform === 'win32')('has files that others may read (modes: POSIX alone)', async () => {
    const dataDir = folder();
    await (await openTreasury({ dataDir })).close();
    const key = join(dataDir, 'sandbox', 'vault.key');
    chmodSync(key, 0o644);
    expect(named(await checksOf(dataDir), 'Keys: sandbox')).toMatchObject({
      state: 'failed',
      next: `chmod 600 ${key}`,
    });
    chmodSync(dataDir, 0o755);
    expect(named(await checksOf(dataDir), 'Data folder')).toMatchObject({
      state: 'warning',
      next: `chmod 700 ${dataDir}`,
    });
    chmodSync(dataDir, 0o777);
    expect(named(await checksOf(dataDir), 'Data folder')).toMatchObject({ state: 'failed' });
    chmodSync(dataDir, 0o755);
    chmodSync(join(dataDir, 'runtime'), 0o755);
    expect(named(await checksOf(dataDir), 'Data folder')).toMatchObject({ state: 'failed' });
  });

  it('has a folder that others may read, on Windows', async () => {
    const tools = windowsTools(folder());
    for (const [name, value] of Object.entries(tools.env)) vi.stubEnv(name, value);
    const dataDir = left();
    tools.icacls(dataDir, '/inheritance:r', '/grant', `${everyone}:(OI)(CI)R`);
    const checks = await checksOf(dataDir, { platform: 'win32' });
    const next = expect.stringContaining(`icacls "${dataDir}`);
    expect(named(checks, 'Data folder')).toMatchObject({ state: 'failed', next });
    expect(named(checks, 'Keys: sandbox')).toMatchObject({ state: 'failed', next });
  });

  it('has lost a file of its keys', async () => {
    const dataDir = left();
    const key = join(dataDir, 'sandbox', 'vault.key');
    rmSync(key);
    expect(named(await checksOf(dataDir), 'Keys: sandbox')).toMatchObject({
      state: 'failed',
      found: `${key} is gone`,
    });
  });

  it('has its keys in a keychain, which this session reaches or not', async () => {
    const dataDir = folder();
    mkdirSync(join(dataDir, 'mainnet'));
    const marker = { protection: 'keychain+seal', createdAt: new Date().toISOString() };
    writeFileSync(join(dataDir, 'mainnet', 'vault.json'), JSON.stringify(marker));
    expect(named(await checksOf(dataDir), 'Keys: mainnet')).toMatchObject({
      state: 'failed',
      found: expect.stringContaining('which this session does not reach'),
      next: expect.stringContaining('dbus-run-session'),
    });
    const session = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus' };
    expect(named(await checksOf(dataDir, { env: session }), 'Keys: mainnet')).toMatchObject({ state: 'ok' });
  });

  it('was copied long ago, or never', async () => {
    const dataDir = left();
    const marker = join(dataDir, 'sandbox', 'vault.json');
    writeFileSync(marker, JSON.stringify({ protection: 'key-file', createdAt: '2020-01-01T00:00:00.000Z' }));
    const next = 'treasury backup';
    const name = 'Backups: sandbox';
    expect(named(await checksOf(dataDir), name)).toMatchObject({ state: 'warning', found: 'none', next });
    mkdirSync(join(dataDir, 'backups'));
    const copy = join(dataDir, 'backups', 'sandbox-daily-1.db');
    writeFileSync(copy, '');
    expect(named(await checksOf(dataDir), name)).toMatchObject({ state: 'ok' });
    const old = Date.now() / 1_000 - 5 * 86_400;
    utimesSync(copy, old, old);
    expect(named(await checksOf(dataDir), name)).toMatchObject({
      state: 'warning',
      found: 'the newest is 5 days old',
      next,
    });
  });
});

describe('the port of a treasury that does not run', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(() => servers.splice(0).forEach((server) => server.close()));
  const listening = async (): Promise<number> => {
    const server = createServer((_, response) => response.end('no treasury')).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };

  it('is free', async () => {
    const port = await freePort();
    const checks = await checksOf(home, {}, ['--port', String(port)]);
    expect(named(checks, 'Port')).toEqual({ name: 'Port', state: 'ok', found: `${port} is free` });
  });

  it.skipIf(process.platform !== 'linux')('is taken by a program, which is named (Linux)', async () => {
    const port = await listening();
    expect(named(await checksOf(home, {}, ['--port', String(port)]), 'Port')).toMatchObject({
      state: 'failed',
      found: expect.stringMatching(
        new RegExp(`^Port ${port} .* taken by another program. It is node, process ${process.pid}\\.$`),
      ),
      next: expect.stringMatching(/^Start this one on another port: --port \d+/),
    });
  });

  it('is taken by a program, which is named (Windows)', async () => {
    const port = await listening();
    const tools = windowsTools(folder());
    tools.playPort(port, { name: 'other.exe', pid: 4321 });
    for (const [name, value] of Object.entries(tools.env)) vi.stubEnv(name, value);
    const checks = await checksOf(home, { platform: 'win32' }, ['--port', String(port)]);
    expect(named(checks, 'Port')?.found).toMatch(
      process.platform === 'win32'
        ? new RegExp(`It is .+, process ${process.pid}\\.$`)
        : /It is other\.exe, process 4321\.$/,
    );
  });

  it.skipIf(!existsSync('/usr/bin/lsof'))('is taken by a program, which is named (by lsof)', async () => {
    const port = await listening();
    const checks = await checksOf(home, { platform: 'darwin' }, ['--port', String(port)]);
    expect(named(checks, 'Port')?.found).toMatch(new RegExp(`It is .+, process ${process.pid}\\.$`));
  });

  it.skipIf(process.platform !== 'linux')('is kept for the administrator (Linux)', async () => {
    const words = ['--import', join(root, 'build/preload.mjs'), join(root, 'server/cli/main.ts')];
    const asked = [process.execPath, ...words, '--data', folder(), 'doctor', '--json', '--port', '80'];
    // Without the right to such ports, which root has.
    const [program = '', ...args] =
      process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-net_bind_service', ...asked] : asked;
    const asking = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const { checks } = JSON.parse(await text(asking.stdout)) as { checks: Check[] };
    expect(named(checks, 'Port')).toEqual({
      name: 'Port',
      state: 'failed',
      found: '80 may not be used',
      next: 'This user may not use port 80. Choose one above 1023 with --port.',
    });
  });

  it('is taken by another treasury', async () => {
    const port = new URL(treasury.host.url).port;
    expect(named(await checksOf(home, {}, ['--port', port]), 'Port')).toMatchObject({
      state: 'failed',
      found: expect.stringContaining(`Port ${port} on 127.0.0.1 is taken by another treasury.`),
    });
  });

  it('is no port', async () => {
    expect((await command(['doctor', '--port', '70000'])).stderr).toContain('a port number from 1 to 65535');
  });
});

const failing = (): never => {
  throw Object.assign(new Error('no'), { code: 'EIO' });
};

describe('the disk', () => {
  const io = { platform: process.platform } as Parameters<typeof diskChecks>[0]['io'];
  const onDisk = (dataDir: string, freeAt = 1e12, sync: (descriptor: number) => void = () => {}) =>
    diskChecks({ dataDir, io }, { freeAt: () => freeAt, sync });

  it.each([
    [63, 'failed', '63 MB free: nothing is paid below 64 MB'],
    [65, 'warning', '65 MB free'],
    [4_000, 'ok', '4000 MB free'],
  ])('with %s MB free', (megabytes, state, found) => {
    expect(onDisk(folder(), megabytes * 1_048_576)[0]).toMatchObject({ state, found });
  });

  it('that does not sync', () => {
    const dataDir = folder();
    expect(onDisk(dataDir, 1e12, failing)[1]).toMatchObject({
      state: 'failed',
      found: `${dataDir} does not keep what is written (EIO)`,
    });
  });

  it.skipIf(process.platform !== 'linux')('that takes nothing, or is memory (Linux)', () => {
    expect(onDisk('/proc')[1]).toMatchObject({
      state: 'failed',
      found: expect.stringMatching(/^\/proc cannot be written \(E\w+\)$/),
    });
    expect(onDisk('/dev/shm')[1]).toMatchObject({
      state: 'warning',
      found: 'tmpfs: a restart of this machine loses all of it',
    });
  });
});
