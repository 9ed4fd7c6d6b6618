// Runs strace to kill a host at one of its system calls, to let one fail, and to record them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Null when strace can be used; otherwise the reason why not. */
export const straceMissing = (): string | null => {
  if (process.platform !== 'linux') return 'strace is of Linux alone';
  const { status, error } = spawnSync('strace', ['-qq', '-e', 'trace=none', 'true'], { stdio: 'ignore' });
  if (error !== undefined) return 'strace is not installed (on Debian: apt-get install strace)';
  return status === 0 ? null : 'strace may not trace processes here';
};

export interface Tracer {
  /** Resolves when it, or every process that it traced, has ended. */
  ended: Promise<void>;
  /** Detaches from the traced processes, which keep running. */
  detach(): Promise<void>;
}

/**
 * Attaches to exactly these threads, and resolves once it has all of them.
 * @param expressions of `-e`; the counters of `inject` start here, one for each thread
 */
export const attach = async (
  threads: readonly number[],
  expressions: readonly string[],
  options: readonly string[],
): Promise<Tracer> => {
  const child = spawn(
    'strace',
    [
      ...options,
      ...expressions.flatMap((one) => ['-e', one]),
      ...threads.flatMap((thread) => ['-p', `${thread}`]),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'exit').then(() => {});
  let left = threads.length;
  let said = '';
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => {
      said += `${line}\n`;
      if (/attached/.test(line) && (left -= 1) === 0) resolve();
    });
    void ended.then(() => reject(new Error(`strace ended: ${said}`)));
  });
  return {
    ended,
    async detach() {
      child.kill('SIGINT');
      await ended;
    },
  };
};
