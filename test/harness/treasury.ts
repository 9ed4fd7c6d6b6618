// A real treasury for a test: the host in this process or one of its own, on the real sandbox.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { readConfig } from '../../server/config.ts';
import type { MachineClock, Disk } from '../../server/engine/ports.ts';
import { createHost } from '../../server/host/host.ts';
import type { Host } from '../../server/host/options.ts';
import { createLog } from '../../server/log.ts';
import { createSandbox } from '../../server/sandbox/sandbox.ts';
import type { Message } from '../../server/notices/message.ts';
import { createClient, type Client } from './http-client.ts';
import type { Entry } from '../../build/programs.ts';
import { freePort } from './programs/free-port.ts';
import { withPreload } from './programs/programs.ts';
import { signalTo, toBeAsked } from './programs/signals.ts';

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'treasury-test-'));
export const removeFolder = (path: string): void =>
  rmSync(path, { recursive: true, force: true, maxRetries: 10 });

/** A chain that confirms and finalizes at once. */
export const instantly = ['--confirm-ms', '0', '--finalize-ms', '0'];

export interface Treasury {
  host: Host;
  dataDir: string;
  owner: string;
  /** Calls as the owner. */
  client: Client;
  close(): Promise<void>;
}

export interface Options {
  args?: readonly string[];
  dataDir?: string;
  clock?: MachineClock;
  disk?: Disk;
  logFile?: string;
  sockets?: number;
  /** The folder of a built dashboard. */
  dashboard?: string;
  pictureWithinMs?: number;
  passphrase?: string;
  proxyHoldMs?: number;
  /** The desktop's shell. */
  showNotice?: (message: Message) => void;
}

/** The host in this process, with its sandbox, or with `--rpc` in `args`. */
export const openTreasury = async (options: Options = {}): Promise<Treasury> => {
  const dataDir = options.dataDir ?? temporaryFolder();
  const args = ['--data', dataDir, '--port', `${await freePort()}`, ...(options.args ?? instantly)];
  const log = options.logFile === undefined ? createLog('silent') : createLog('debug', options.logFile);
  const host = await createHost({
    config: readConfig(args, {}),
    log,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.disk === undefined ? {} : { disk: options.disk }),
    ...(options.dashboard === undefined ? {} : { dashboard: options.dashboard }),
    ...(options.showNotice === undefined ? {} : { showNotice: options.showNotice }),
    ...(options.proxyHoldMs === undefined ? {} : { proxyHoldMs: options.proxyHoldMs }),
    ...(options.pictureWithinMs === undefined ? {} : { pictureWithinMs: options.pictureWithinMs }),
    ...(options.passphrase === undefined ? {} : { passphrase: async () => options.passphrase }),
  });
  const client = createClient(
    host.url,
    host.owner,
    readFileSync(host.cookieFile ?? '', 'utf8'),
    options.sockets,
  );
  return {
    host,
    dataDir,
    owner: host.owner,
    client,
    async close() {
      client.close();
      await host.close();
      if (options.dataDir === undefined) removeFolder(dataDir);
    },
  };
};

export interface Ready {
  pid: number;
  url: string;
  owner: string;
  rpcUrl: string;
  cookieFile: string;
  loginUrl: string;
}

export interface Process {
  ready: Ready;
  child: ChildProcess;
  client: Client;
  stderr(): string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

const start = async (script: Entry, args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  // The same flags as in the scripts of package.json.
  const flags = ['--max-semi-space-size=2', '--max-old-space-size=512'];
  const asked = toBeAsked();
  const child = spawn(process.execPath, [...flags, ...asked.flags, ...withPreload(script), ...args], {
    stdio: ['ignore', 'pipe', 'pipe', ...asked.stdio],
    env: { ...process.env, ...env },
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const line = await Promise.race([
    once(createInterface(child.stdout as Readable), 'line').then(([text]) => String(text)),
    once(child, 'exit').then(([code]) =>
      Promise.reject(new Error(`${script} ended with ${String(code)}: ${errors}`)),
    ),
  ]);
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    signalTo(child, signal);
    await ended;
  };
  return { child, line, kill, stderr: () => errors };
};

/** The host as a process of its own. */
export const spawnTreasury = async (
  dataDir: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<Process> => {
  const { child, line, kill, stderr } = await start(
    'server/main.ts',
    ['--data', dataDir, '--port', `${await freePort()}`, ...args],
    env,
  );
  const ready = JSON.parse(line) as Ready;
  const client = createClient(ready.url, ready.owner, readFileSync(ready.cookieFile, 'utf8'));
  return { ready, child, client, kill, stderr };
};

export interface TestSandbox {
  rpcUrl: string;
  close(): Promise<void>;
}

/** The chain in this process. What it keeps goes when it closes. */
export const openSandbox = async (args: readonly string[] = instantly): Promise<TestSandbox> => {
  const dataDir = temporaryFolder();
  const { sandbox } = readConfig(['--data', dataDir, ...args], {});
  const { rpcUrl, close } = await createSandbox({
    ...sandbox,
    dataDir,
    port: await freePort(),
    log: createLog('silent'),
  });
  return {
    rpcUrl,
    async close() {
      await close();
      removeFolder(dataDir);
    },
  };
};

export interface SandboxProcess {
  rpcUrl: string;
  pid: number;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** The chain as a process of its own. */
export const spawnSandbox = async (
  dataDir: string,
  args: readonly string[] = instantly,
): Promise<SandboxProcess> => {
  const { line, kill } = await start('server/sandbox/main.ts', [
    '--port',
    `${await freePort()}`,
    '--data',
    dataDir,
    ...args,
  ]);
  const { rpcUrl, pid } = JSON.parse(line) as { rpcUrl: string; pid: number };
  return { rpcUrl, pid, kill };
};

export interface TestAgent {
  agentId: string;
  wallet: string;
  key: string;
  client: Client;
  pay(amount: string, sent?: Parameters<Client['post']>[2]): ReturnType<Client['post']>;
}

/** Deploys an agent and gives it money. */
export const deploy = async (
  client: Client,
  agentId: string,
  {
    dailyBudget = '5.00',
    maxPerPayment = '1.00',
    allocate = '10.00' as string | null,
    policy = {} as object,
  } = {},
): Promise<TestAgent> => {
  const { body, text } = await client.post('/v1/agents/deploy', { agentId, dailyBudget, maxPerPayment });
  if (body['agent'] === undefined) throw new Error(text);
  const key = String(body['mcpConfig'].env.TREASURY_API_KEY);
  const own = client.as(key);
  if (Object.keys(policy).length > 0) await client.post(`/v1/agents/${agentId}/policy`, policy);
  if (allocate !== null) {
    const moved = await client.post(`/v1/agents/${agentId}/allocate`, { amount: allocate });
    if (moved.status !== 200) throw new Error(moved.text);
  }
  return {
    agentId,
    wallet: String(body['agent'].walletAddress),
    key,
    client: own,
    pay: (amount, sent) =>
      own.post(`/v1/agents/${agentId}/pay`, { service: 'sandbox-weather', amount, currency: 'USDC' }, sent),
  };
};

/** Calls one method of a Solana RPC. */
export const rpcCall = async (
  rpcUrl: string,
  method: string,
  params: readonly unknown[] = [],
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
): Promise<any> => {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
};

/** How long a test waits for what is certain to come. Gate 10, whose bugs keep it away, waits less. */
const patienceMs = Number(process.env['TREASURY_PATIENCE_MS'] ?? 90_000);

/** Waits until `look` finds something. @throws when it does not in time */
export const until = async <T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  ms = patienceMs,
): Promise<T> => {
  const deadline = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`waited ${ms} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
