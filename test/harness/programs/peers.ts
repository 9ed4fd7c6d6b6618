// The packages of others that tests deal with: those of the payment protocols, those that read OpenAPI, SDKs, web
// frameworks, runtimes. They are the workspaces of test/peers, which has one lock file; npm installs a workspace when a
// test first needs it. Their programs are processes.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The workspaces that `npm test` needs: npm installs them together. */
const ofEveryTest = [
  'x402-v2',
  'x402-v1',
  'mpp',
  'mcp-everything',
  'mcp-conformance',
  'openapi',
  'openai',
] as const;
/** What the compatibility lab needs besides. */
const ofTheLab = ['sdks', 'runtimes', 'web'] as const;

export type PeerName = (typeof ofEveryTest)[number] | (typeof ofTheLab)[number];

const folder = fileURLToPath(new URL('../../peers', import.meta.url));
const installWithinMs = 10 * 60_000;
/** A lock that has not been touched for so long was left by a process that was killed. */
const staleMs = 15_000;

/**
 * Installs a peer's packages as the lock file has them, once.
 * @returns its folder
 * @throws when the registry cannot be reached: the official packages are what these tests are about
 */
export const installPeer = async (name: PeerName): Promise<string> => {
  await installPeers(isOfEveryTest(name) ? ofEveryTest : [name]);
  return join(folder, name);
};

/** A file of an installed package. */
export const peerFile = async (name: PeerName, path: string): Promise<string> => {
  const places = [join(await installPeer(name), 'node_modules'), join(folder, 'node_modules')];
  const found = places.map((place) => join(place, path)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`the peer ${name} has no ${path}`);
  return found;
};

const isOfEveryTest = (name: string): boolean => ofEveryTest.some((one) => one === name);

const installPeers = async (names: readonly string[]): Promise<void> => {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const stamp = join(folder, 'node_modules', '.installed');
  const installed = (): string[] => {
    try {
      const [of = '', ...them] = readFileSync(stamp, 'utf8').split(' ');
      return of === lock ? them : [];
    } catch {
      return [];
    }
  };
  const lack = (): string[] => names.filter((name) => !installed().includes(name));
  if (lack().length === 0) return;
  const release = await takeTurn(join(folder, 'installing'));
  try {
    const lacking = lack();
    if (lacking.length === 0) return;
    const before = installed();
    // `npm ci` would empty the folder, in which programs may run.
    await npm([
      ...(before.length === 0 ? ['ci'] : ['install', '--no-save']),
      ...lacking.flatMap((name) => ['-w', name]),
    ]);
    writeFileSync(stamp, [lock, ...before, ...lacking].join(' '));
  } finally {
    release();
  }
};

const npm = async (command: readonly string[]): Promise<void> => {
  const isWindows = process.platform === 'win32';
  // The variables of an outer npm describe its own project, and would be taken for this one's.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([key]) => !/^(npm_config_local_prefix|npm_package_.*|INIT_CWD)$/i.test(key),
    ),
  );
  const args = [...command, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  const settings = { cwd: folder, env, timeout: installWithinMs, shell: isWindows };
  try {
    await promisify(execFile)(isWindows ? 'npm.cmd' : 'npm', args, settings);
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string };
    throw new Error(
      `npm ${command[0]} in test/peers failed; it needs the npm registry once: ${stderr.trim() || message}`,
      { cause: error },
    );
  }
};

/** One process installs at a time: only one can make the folder. */
const takeTurn = async (path: string): Promise<() => void> => {
  const deadline = Date.now() + installWithinMs;
  for (;;) {
    try {
      mkdirSync(path);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (Date.now() > deadline) throw new Error(`${path} stayed for ${installWithinMs / 60_000} minutes`);
    if (isStale(path)) remove(path);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const alive = setInterval(() => utimesSync(path, new Date(), new Date()), staleMs / 5);
  return () => {
    clearInterval(alive);
    remove(path);
  };
};

const isStale = (path: string): boolean => {
  try {
    return Date.now() - statSync(path).mtimeMs > staleMs;
  } catch {
    return false;
  }
};
const remove = (path: string): void => {
  try {
    rmdirSync(path);
  } catch {
    // Another process was faster.
  }
};

export interface Peer {
  /** Its first line: its URL, its addresses. */
  says: Readonly<Record<string, string>>;
  pid: number;
  /** Sends a line, and resolves with the JSON of the line that answers; one at a time. */
  ask<T>(line: string): Promise<T>;
  /** The JSON of the next line, for a program that answers with several. */
  next<T>(): Promise<T>;
  stderr(): string;
  end(): Promise<void>;
}

/** Starts `test/peers/NAME/PROGRAM.mjs` with the installed packages. It ends with this process at the latest. */
export const startPeer = async (
  name: PeerName | 'chain',
  program: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<Peer> => {
  // The chain needs no package but those of this repository.
  if (name !== 'chain') await installPeer(name);
  const script = join(folder, name, `${program}.mjs`);
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Without the test runner's own flags and preloads.
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-100_000)));
  const ended = once(child, 'exit');
  // Lines that come while nobody waits are kept: one chunk may hold several.
  const lines: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  createInterface(child.stdout).on('line', (line) => {
    const next = waiting.shift();
    if (next === undefined) lines.push(line);
    else next(line);
  });
  const nextLine = (): Promise<string> => {
    const line = lines.shift();
    if (line !== undefined) return Promise.resolve(line);
    return Promise.race([
      new Promise<string>((resolve) => waiting.push(resolve)),
      ended.then(([code]) =>
        Promise.reject(new Error(`${name}/${program} ended with ${String(code)}: ${errors}`)),
      ),
    ]);
  };
  const says = JSON.parse(await nextLine()) as Record<string, string>;
  return {
    says,
    pid: child.pid ?? 0,
    async ask<T>(line: string): Promise<T> {
      const answer = nextLine();
      child.stdin.write(`${line}\n`);
      return JSON.parse(await answer) as T;
    },
    next: async <T>() => JSON.parse(await nextLine()) as T,
    stderr: () => errors,
    async end() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
};
