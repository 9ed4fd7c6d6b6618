// A treasury on mainnet, as far as it can tell: the sandbox behind a proxy that reports mainnet's genesis. The
// sandbox's USDC has mainnet's address anyway. No keychain is reachable, so that no test ever writes into a real one.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { readConfig } from '../../server/config.ts';
import type { MachineClock, Service } from '../../server/engine/ports.ts';
import { AppError } from '../../server/errors.ts';
import { createHost } from '../../server/host/host.ts';
import { askPassphrase, readPhrase } from '../../server/host/passphrase.ts';
import type { Host } from '../../server/host/options.ts';
import { createLog } from '../../server/log.ts';
import { createClient, type Client } from '../harness/http-client.ts';
import { scryptCost } from '../vault/constants.ts';
import { createRpcProxy, type Fault, type Proxy, type RpcRequest } from '../harness/chain/rpc-proxy.ts';
import {
  instantly,
  removeFolder,
  rpcCall,
  openSandbox,
  temporaryFolder,
  type TestSandbox,
} from '../harness/treasury.ts';
import { freePort } from '../harness/programs/free-port.ts';
import { withPreload } from '../harness/programs/programs.ts';

export const passphrase = 'correct horse battery';
const mainnetGenesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const nowhere = 'unix:path=/nonexistent/bus';
process.env['DBUS_SESSION_BUS_ADDRESS'] = nowhere;

/** The suites with a passphrase file run on Linux alone: elsewhere the machine's keychain cannot be hidden. */
export const hidesKeychain = process.platform === 'linux';

/** A fault on top of the lie about the genesis. */
export const asMainnet =
  (fault?: Fault): Fault =>
  (request, forward) => {
    if (request.method === 'getGenesisHash' && fault === undefined)
      return { jsonrpc: '2.0', id: request.id, result: mainnetGenesis };
    const truth = async (): Promise<unknown> =>
      request.method === 'getGenesisHash'
        ? { jsonrpc: '2.0', id: request.id, result: mainnetGenesis }
        : forward();
    return fault === undefined ? truth() : fault(request, truth);
  };

export interface Mainnet {
  sandbox: TestSandbox;
  proxy: Proxy;
  /** `--network`, `--rpc` and `--ws`. */
  args: string[];
  /** For the same chain as a sandbox. */
  sandboxArgs: string[];
  fund(wallet: string, micro: bigint, sol?: bigint): Promise<void>;
  close(): Promise<void>;
}

export const openMainnet = async (sandboxArgs: readonly string[] = instantly): Promise<Mainnet> => {
  const sandbox = await openSandbox(sandboxArgs);
  const proxy = await createRpcProxy(sandbox.rpcUrl);
  proxy.fault = asMainnet();
  const ws = `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`;
  return {
    sandbox,
    proxy,
    args: ['--network', 'mainnet', '--rpc', proxy.url, '--ws', ws],
    sandboxArgs: ['--rpc', sandbox.rpcUrl, '--ws', ws],
    async fund(wallet, micro, sol = 0n) {
      await rpcCall(sandbox.rpcUrl, 'sandbox_fundUsdc', [wallet, micro.toString()]);
      if (sol > 0n) await rpcCall(sandbox.rpcUrl, 'requestAirdrop', [wallet, Number(sol)]);
    },
    async close() {
      await proxy.close();
      await sandbox.close();
    },
  };
};

/** A host on mainnet whose vault has the passphrase; the folder is its own. */
export const openWithPassphrase = async (dashboard?: string) => {
  const dataDir = temporaryFolder();
  const mainnet = await openMainnet();
  const host = await createHost({
    config: readConfig(['--data', dataDir, '--port', '0', ...mainnet.args], {}),
    log: createLog('silent'),
    passphrase: () => Promise.resolve(passphrase),
    scryptCost,
    ...(dashboard === undefined ? {} : { dashboard }),
  });
  return {
    host,
    dataDir,
    async close() {
      await host.close();
      await mainnet.close();
      removeFolder(dataDir);
    },
  };
};
export type WithPassphrase = Awaited<ReturnType<typeof openWithPassphrase>>;

export interface Inside {
  host: Host;
  client: Client;
  close(): Promise<void>;
}

interface InsideOptions {
  phrase?: string;
  clock?: MachineClock;
  /** The folder of a built dashboard. */
  dashboard?: string;
  locked?: boolean;
}

/** The host in this process, unlocked unless told otherwise, with a token for its owner. */
export const openInside = async (
  dataDir: string,
  args: readonly string[],
  { phrase, clock, dashboard, locked = false }: InsideOptions = {},
): Promise<Inside> => {
  const host = await createHost({
    config: readConfig(['--data', dataDir, '--port', `${await freePort()}`, '--owner-cookie', ...args], {}),
    log: createLog('silent'),
    passphrase: () => Promise.resolve(locked ? undefined : passphrase),
    scryptCost,
    ...(phrase === undefined ? {} : { phrase: () => Promise.resolve(phrase) }),
    ...(clock === undefined ? {} : { clock }),
    ...(dashboard === undefined ? {} : { dashboard }),
  });
  const client = createClient(host.url, host.owner, readFileSync(host.cookieFile ?? '', 'utf8'));
  return {
    host,
    client,
    async close() {
      client.close();
      await host.close();
    },
  };
};

export const addService = (host: Host, id: string, payee: string, vouched = true): void => {
  const { store } = host.engine.context;
  const entry: Service = {
    id,
    name: id,
    description: 'A service of the tests.',
    category: 'test',
    source: 'svc-native',
    endpoint: 'GET /',
    origin: `https://${id}.example`,
    payees: [payee],
    pricing: {},
    price: null,
    vouched,
  };
  store.atomically(() => store.services.upsert(entry));
};

export interface Spawned {
  child: ChildProcess;
  ready: { pid: number; url: string; owner: string; cookieFile: string | null };
  client: Client;
  stderr(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface Launch {
  /** The contents of each descriptor from 3 on. */
  descriptors?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** A command that runs node with its arguments. */
  wrapper?: readonly string[];
}

export const launch = (
  dataDir: string,
  args: readonly string[],
  { descriptors = [], env, wrapper = [] }: Launch,
) => {
  const [command = process.execPath, ...rest] = [
    ...wrapper,
    process.execPath,
    ...withPreload('server/main.ts'),
    '--data',
    dataDir,
    '--port',
    '0',
    ...args,
  ];
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'pipe', ...descriptors.map(() => 'pipe' as const)],
    env: env ?? { ...process.env, DBUS_SESSION_BUS_ADDRESS: nowhere },
  });
  for (const [n, text] of descriptors.entries()) {
    const pipe = child.stdio[3 + n] as Writable;
    // A host that refuses to start earlier does not read it.
    pipe.on('error', () => {});
    pipe.end(text);
  }
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return { child, stderr: () => errors };
};

/** Starts the host in a process of its own. Resolves once it is ready. */
export const spawnHost = async (
  dataDir: string,
  args: readonly string[],
  how: Launch = {},
): Promise<Spawned> => {
  const { child, stderr } = launch(dataDir, args, how);
  const line = await Promise.race([
    once(createInterface(child.stdout as Readable), 'line').then(([text]) => String(text)),
    once(child, 'close').then(([code]) =>
      Promise.reject(new Error(`it ended with ${String(code)}: ${stderr()}`)),
    ),
  ]);
  const ready = JSON.parse(line) as Spawned['ready'];
  const token = ready.cookieFile === null ? null : readFileSync(ready.cookieFile, 'utf8');
  const client = createClient(ready.url, ready.owner, token);
  return {
    child,
    ready,
    client,
    stderr,
    async stop(signal = 'SIGTERM') {
      client.close();
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      // Not to the child: a wrapper does not forward it.
      process.kill(ready.pid, signal);
      await ended;
    },
  };
};

/** Starts a host in this process that is expected to refuse. Returns the sentence. @throws when it starts */
export const refusedInside = async (
  dataDir: string,
  args: readonly string[],
  descriptors: readonly string[] = [],
): Promise<string> => {
  const folder = temporaryFolder();
  const open = descriptors.map((text, n) => {
    const file = join(folder, String(n));
    writeFileSync(file, text);
    return openSync(file, 'r');
  });
  const own = args.map((arg, at) =>
    args[at - 1]?.endsWith('-fd') === true ? String(open[Number(arg) - 3] ?? arg) : arg,
  );
  try {
    const config = readConfig(['--data', dataDir, '--port', '0', ...own], {});
    const { importPhraseFd } = config;
    const host = await createHost({
      config,
      log: createLog('silent'),
      passphrase: (isNew) => askPassphrase(config, {}, isNew),
      scryptCost,
      ...(importPhraseFd === null ? {} : { phrase: () => readPhrase(importPhraseFd) }),
    });
    await host.close();
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  } finally {
    for (const descriptor of open) closeSync(descriptor);
    removeFolder(folder);
  }
  throw new Error(`a host started with ${args.join(' ')}`);
};

/** Starts a host that is expected to refuse, as a process. Returns its output and exit code. */
export const refusedStart = async (dataDir: string, args: readonly string[], how: Launch = {}) => {
  const { child, stderr } = launch(dataDir, [...args, '--log-level', 'silent'], how);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said: stderr(), output };
};

interface KilledStart {
  dataDir: string;
  args: readonly string[];
  how: Launch;
}

/** Starts a host and kills it at its n-th request to the chain (that `counts`); resolves when it is dead. */
export const killedAt = async (
  { proxy }: Mainnet,
  { n, counts = () => true }: { n: number; counts?: (request: RpcRequest) => boolean },
  { dataDir, args, how }: KilledStart,
): Promise<void> => {
  let seen = 0;
  const { child } = launch(dataDir, args, how);
  proxy.fault = asMainnet((request, forward) => {
    if (counts(request)) seen += 1;
    if (seen < n) return forward();
    child.kill('SIGKILL');
    return null;
  });
  await once(child, 'close');
  proxy.fault = asMainnet();
};

export const protectionOf = (dataDir: string, network = 'mainnet'): string =>
  String(JSON.parse(readFileSync(join(dataDir, network, 'vault.json'), 'utf8')).protection);
export const hasCookie = (dataDir: string): boolean => existsSync(join(dataDir, 'owner.cookie'));
