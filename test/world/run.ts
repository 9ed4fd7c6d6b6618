// Runs worlds in a process of their own, for the tests and the campaign: `main.ts` replaces the clock of its process.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ModelCounts } from './judge/models.ts';

/** What such a process reports. */
export interface Report {
  seed: number;
  lives: number;
  steps: number;
  payments: number;
  landed: number;
  bought: number;
  deaths: number;
  /** Of requests to language models. */
  models: ModelCounts;
  seconds: number;
  /** Of the processor. */
  cpuSeconds: number;
  /** Of all that left and reached the process: equal for equal seeds. */
  digest: string;
  finding: Finding | null;
}

export interface Finding {
  /** Replays the shortest life that fails. */
  command: string;
  /** The steps of that life. */
  steps: string;
  why: string;
}

export interface WorldRun {
  report: Promise<Report>;
  end(): void;
}

const program = fileURLToPath(new URL('main.ts', import.meta.url));
const preload = new URL('../../build/preload.mjs', import.meta.url).href;

export const runWorld = (seed: number, steps: number, further: readonly string[] = []): WorldRun => {
  const child = fork(program, ['--seed', `${seed}`, '--steps', `${steps}`, ...further], {
    execArgv: ['--import', preload],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const report = new Promise<Report>((resolve, reject) => {
    child.on('message', (message: { report: Report }) => resolve(message.report));
    child.on('exit', (code) => reject(new Error(`a world ended with ${String(code)}: ${errors}`)));
  });
  return { report, end: () => void child.kill('SIGKILL') };
};

/** A finding as a person needs it. */
export const findingText = ({ why, steps, command }: Finding): string =>
  `${why}\nafter: ${steps}\nto see it again: ${command}`;
