// A host in a process of its own that can be watched, killed and asked what its store holds.
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type Client } from '../../../harness/http-client.ts';
import { thisSource } from '../source-copy.ts';

export interface Look {
  rows: { id: string; kind: string; state: string; wire: string | null; signedAt: number | null }[];
  /** JSON of what `clean(audit())` found. */
  audit: string;
  /** The chain's record of each transaction, for the next check. */
  changes: Map<string, bigint>;
}

export interface Question {
  number: number;
  ask: 'quiet' | 'look';
  /** From the last check of the same chain. */
  changes?: Map<string, bigint>;
}

export interface Victim {
  pid: number;
  url: string;
  owner: string;
  /** Calls as the owner. */
  client: Client;
  /** Resolves with true once nothing is open in its store; false when that takes longer, or it has ended. */
  quiet(withinMs: number): Promise<boolean>;
  /** @throws when it has ended */
  look(last?: Look | null): Promise<Look>;
  isGone(): boolean;
  /** Resolves when the process has ended; the status, or null for a signal. */
  ended: Promise<number | null>;
  /** The text that it wrote to its log. */
  said(): string;
  /** @throws Error when it does not end, and is killed */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** A host that is asked to end waits for what it is writing, and for nobody else. */
const endsWithinMs = 60_000;

interface Ready {
  pid: number;
  url: string;
  owner: string;
  cookieFile: string;
}

export interface StartOptions {
  /** The source tree of the host; a copy may have a bug planted in it. */
  source?: string;
  dataDir: string;
  args: readonly string[];
  /** A program that starts it, with its arguments. */
  under?: readonly string[];
}

/** @throws with its log when it ends before it is ready */
export const startVictim = async ({
  source = thisSource,
  dataDir,
  args,
  under = [],
}: StartOptions): Promise<Victim> => {
  const [command = '', ...rest] = [
    ...under,
    process.execPath,
    '--max-semi-space-size=2',
    '--max-old-space-size=512',
    join(source, 'test/lab/campaign/disk/victim.ts'),
    '--data',
    dataDir,
    '--port',
    '0',
    '--log-level',
    'warn',
    ...args,
  ];
  const child = spawn(command, rest, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-100_000)));
  const ended = new Promise<number | null>((resolve) => {
    // The channel can close after the process: then no request is sent.
    child.once('exit', (code) => resolve(code));
  });
  child.on('error', () => {});
  const waiting = new Map<number, (message: Reply) => void>();
  const ready = await new Promise<Ready>((resolve, reject) => {
    child.on('message', (message: Reply) => {
      if (message.ready !== undefined) resolve(message.ready);
      else waiting.get(message.number ?? -1)?.(message);
    });
    void ended.then((code) => reject(new Error(`the host ended with ${String(code)}: ${said}`)));
  });
  return victimOf(child, ready, { ended, waiting, said: () => said });
};

interface Reply {
  ready?: Ready;
  number?: number;
  result?: unknown;
  error?: string;
}

interface Line {
  ended: Promise<number | null>;
  waiting: Map<number, (message: Reply) => void>;
  said(): string;
}

const victimOf = (child: ChildProcess, ready: Ready, { ended, waiting, said }: Line): Victim => {
  const { pid, url, owner } = ready;
  const client = createClient(url, owner, readFileSync(ready.cookieFile, 'utf8'));
  let number = 0;
  let gone = false;
  void ended.then(() => {
    gone = true;
    client.close();
  });
  const ask = (what: Omit<Question, 'number'>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const question: Question = { ...what, number: (number += 1) };
      waiting.set(question.number, ({ result, error }) => {
        waiting.delete(question.number);
        if (error === undefined) resolve(result);
        else reject(new Error(error));
      });
      void ended.then(() => reject(new Error('the host is gone')));
      if (child.connected) child.send(question, () => {});
      else reject(new Error('the host is gone'));
    });
  return {
    pid,
    url,
    owner,
    client,
    ended,
    said,
    isGone: () => gone,
    async quiet(withinMs) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, withinMs, false)));
      const asked = ask({ ask: 'quiet' }).then(
        () => true,
        () => false,
      );
      return Promise.race([asked, late]).finally(() => clearTimeout(timer));
    },
    look: async (last) =>
      (await ask({ ask: 'look', ...(last == null ? {} : { changes: last.changes }) })) as Look,
    async end(signal) {
      if (!gone) process.kill(pid, signal);
      let isStuck = false;
      const timer = setTimeout(() => {
        isStuck = true;
        process.kill(pid, 'SIGKILL');
      }, endsWithinMs);
      await ended;
      clearTimeout(timer);
      if (isStuck) throw new Error(`the host did not end within ${endsWithinMs / 1_000} s of ${signal}`);
    },
  };
};

/** The threads of libuv's pool, where the host writes its pictures. */
export const poolThreads = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`)
    .filter((id) => readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').startsWith('libuv-worker'))
    .map(Number);
