// The built desktop as a process of its own, under the stand-in, with its real engine and sandbox.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { desktopFolder, ensureBuilt, rendererFolder } from '../../build/build.ts';
import type { DesktopCommand } from '../../electron/ipc/channels.ts';
import type { DesktopInput, DesktopReply, DesktopState, IpcAnswer } from '../../electron/ipc/ipc.ts';
import type { OwnerRoute } from '../../server/contract/owner-api.ts';
import type { Input, Reply } from '../../server/contract/schemas.ts';
import { instantly, until } from '../harness/treasury.ts';
import type { CommandName, Commands, Sender } from './stand-in/commands.ts';

type In<N extends CommandName> = Parameters<Commands[N]>[0];
type Out<N extends CommandName> = Awaited<ReturnType<Commands[N]>>;

export interface DesktopProcess {
  do<N extends CommandName>(name: N, ...input: In<N> extends undefined ? [] : [In<N>]): Promise<Out<N>>;
  /** Asks as the page does. @throws the error that comes back */
  ask<N extends OwnerRoute>(route: N, input?: Input<N> & { key?: string }): Promise<Reply<N>>;
  desktop<C extends DesktopCommand>(command: C, input: DesktopInput<C>): Promise<DesktopReply<C>>;
  answer(channel: string, input: unknown, as?: Sender): Promise<IpcAnswer<unknown>>;
  running(): Promise<DesktopState>;
  firstLine: string;
  stderr(): string;
  /** Resolves with the exit code. */
  exited: Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
}

export interface LaunchOptions {
  args?: readonly string[];
  env?: NodeJS.ProcessEnv;
}

const standIn = ['register.ts', 'commands.ts'].flatMap((file) => [
  '--import',
  new URL(`stand-in/${file}`, import.meta.url).href,
]);

const bodyOf = async (answered: Promise<IpcAnswer<unknown>>): Promise<unknown> => {
  const got = await answered;
  if (got.ok) return got.body;
  throw Object.assign(new Error(got.error.message), { code: got.error.code });
};

/** Resolves at its first line on standard output. */
export const launchDesktop = async (
  dataDir: string,
  { args = ['--port', '0', ...instantly], env = {} }: LaunchOptions = {},
): Promise<DesktopProcess> => {
  await ensureBuilt('desktop');
  // Any page will do: the stand-in draws nothing.
  if (!existsSync(join(rendererFolder, 'index.html'))) await ensureBuilt('dashboard');
  const main = join(desktopFolder, 'main.js');
  const child = spawn(process.execPath, [...standIn, main, '--data', dataDir, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  child.on('message', ({ id, value, error }: { id: number; value?: unknown; error?: string }) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(value);
    else asked?.reject(new Error(error));
  });
  const gone = (): Error => new Error(`the desktop is gone: ${errors}`);
  void exited.then(() => {
    for (const { reject } of waiting.values()) reject(gone());
    waiting.clear();
  });

  let last = 0;
  const tell = (name: string, input?: unknown): Promise<unknown> => {
    const told = new Promise((resolve, reject) => {
      const id = (last += 1);
      waiting.set(id, { resolve, reject });
      child.send({ id, name, input }, (error) => {
        if (error !== null) reject(gone());
      });
    });
    // A test that ends the desktop need not wait for what it asked last.
    told.catch(() => {});
    return told;
  };
  const answer: DesktopProcess['answer'] = (channel, input, as = 'page') =>
    tell('invoke', { channel, args: [input], as }) as Promise<IpcAnswer<unknown>>;
  const desktop: DesktopProcess['desktop'] = (command, input) =>
    bodyOf(answer(`desktop:${command}`, input)) as Promise<DesktopReply<typeof command>>;

  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const firstLine = await Promise.race([
    once(lines, 'line').then(([text]) => String(text)),
    exited.then((code) => Promise.reject(new Error(`it ended with ${code}: ${errors}`))),
  ]);
  return {
    do: ((name: string, input?: unknown) => tell(name, input)) as DesktopProcess['do'],
    ask: (route, input = {}) => bodyOf(answer(`owner:${route}`, input)) as Promise<Reply<typeof route>>,
    desktop,
    answer,
    running: () =>
      until('the treasury runs', async () => {
        const state = await desktop('state', {});
        if (state.phase === 'failed') throw new Error(state.failure?.message);
        return state.phase === 'running' ? state : undefined;
      }),
    firstLine,
    stderr: () => errors,
    exited,
    signal: (signal) => void child.kill(signal),
  };
};
