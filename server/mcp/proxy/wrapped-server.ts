// The MCP server that the proxy wraps, as a child process. It gets nothing of the treasury: no variable that names it or
// its API key, and no file descriptor but its three streams.
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import spawn from 'cross-spawn';
import { AppError } from '../../errors.ts';
import { runWindowsTool } from '../../lib/files/windows-tool.ts';
import { createStdioPeer, type Peer } from './peer.ts';

export interface WrappedServer {
  peer: Peer;
  /** Resolves once it has ended and all of its output was read. */
  ended: Promise<Ended>;
  /** Asks it to end, as an MCP host does: by the end of its input, then by signals. */
  end(): Promise<void>;
  signal(name: NodeJS.Signals): void;
}

export interface Ended {
  /** Half a sentence about the server. */
  how: string;
  exitCode: number;
}

const notForServers = /^(?:TREASURY|npm)_/i;

export const environmentFor = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !notForServers.test(name)));

/** A descendant of it may hold its output open. */
const lastWordsMs = 500;
const endsWithinMs = 2_000;

/** @throws AppError `not_available` when there is no such program */
export const startServer = async (
  [program = '', ...args]: readonly string[],
  { env, errors }: { env: NodeJS.ProcessEnv; errors: NodeJS.WritableStream },
): Promise<WrappedServer> => {
  const child = spawn(program, args, {
    env: environmentFor(env),
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  }) as ChildProcessWithoutNullStreams;
  try {
    await once(child, 'spawn');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new AppError('not_available', `${program} cannot be started (${code}).`, undefined, {
      cause: error,
    });
  }
  const { stdin, stdout, stderr } = child;
  stdin.on('error', () => {});
  stderr.pipe(errors, { end: false });
  return {
    peer: createStdioPeer(stdout, stdin),
    ended: endOf(child),
    end: () => end(child),
    signal: (name) => kill(child, name),
  };
};

const endOf = async (child: ChildProcess): Promise<Ended> => {
  const closed = once(child, 'close');
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  await Promise.race([closed, wait(lastWordsMs, undefined, { ref: false })]);
  return signal === null
    ? { how: `has ended (exit code ${code ?? 0})`, exitCode: code ?? 0 }
    : { how: `was ended by ${signal}`, exitCode: 1 };
};

/** On Windows the program may be a script of npm’s: the server is then a child of its shell, which would outlive it. */
const kill = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (process.platform !== 'win32' || child.pid === undefined) return void child.kill(signal);
  try {
    runWindowsTool('taskkill', ['/pid', String(child.pid), '/t', '/f']);
  } catch {
    // It has ended.
  }
};

const end = async (child: ChildProcess): Promise<void> => {
  const exited = child.exitCode !== null || child.signalCode !== null ? null : once(child, 'exit');
  child.stdin?.end();
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (exited === null) return;
    const isOver = await Promise.race([exited.then(() => true), wait(endsWithinMs, false, { ref: false })]);
    if (isOver) return;
    kill(child, signal);
  }
  await exited;
};
