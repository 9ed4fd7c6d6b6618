// Gate 7: random lives of a treasury, compared step by step with a small reference and the eight invariants.
import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { between, createGate, inParallel, type Sheet } from './gate.ts';

interface Report {
  runs: number;
  steps: number;
  payments: number;
  landed: number;
  seconds: number;
  /** The smallest counterexample that fast-check found; `commands` ends with its replay path. */
  finding: { seed: number; path: string; commands: string; why: string } | null;
}

const worker = fileURLToPath(new URL('../../world/worker.ts', import.meta.url));
const preload = new URL('../../../build/preload.mjs', import.meta.url).href;
/** In memory: this gate does not test the disk, and should not wait for it. */
const inMemory = '/dev/shm';

/** A process of its own, since its clock and its timers are simulated. */
const live = (seed: number, runs: number, folder: string) => {
  const args = ['--seed', `${seed}`, '--runs', `${runs}`, '--folder', folder];
  const child = fork(worker, args, {
    execArgv: ['--import', preload],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const report = new Promise<Report>((resolve, reject) => {
    child.on('message', ({ report: told }: { report: Report }) => resolve(told));
    child.on('exit', (code) =>
      reject(new Error(`a worker of the model ended with ${String(code)}: ${errors}`)),
    );
  });
  return { report, end: () => void child.kill('SIGKILL') };
};

const model = async (sheet: Sheet): Promise<void> => {
  const { dice, short, stage, say, exactly, atMost, none, tell } = sheet;
  const size = short ? { runs: 60, each: 30 } : { runs: 10_000, each: 500 };
  const folder = await stage.keep(
    Promise.resolve(mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), 'treasury-model-'))),
    (path) => rmSync(path, { recursive: true, force: true }),
  );
  const seeds = Array.from({ length: size.runs / size.each }, () => between(dice, 1, 2 ** 31 - 2));
  const reports: Report[] = [];
  await inParallel(2, seeds, async (seed) => {
    const { report, end } = live(seed, size.each, join(folder, `${seed}`));
    await stage.keep(Promise.resolve(end), (kill) => kill());
    reports.push(await report);
    if (!short) say(`${reports.length * size.each} of ${size.runs} lives`);
  });
  const sum = (what: 'runs' | 'steps' | 'payments' | 'landed'): number =>
    reports.reduce((total, report) => total + report[what], 0);
  const findings = reports.flatMap(({ finding }) => (finding === null ? [] : [finding]));
  none(
    'invariants broken',
    findings.map(
      ({ why, commands, seed, path }) =>
        `${why.replaceAll('\n', '; ')} after: ${commands}; to see it again: test/world/worker.ts --seed ${seed} --path ${path} --replay REPLAYPATH --folder FOLDER`,
    ),
  );
  exactly(
    'lives of a treasury',
    findings.length === 0 ? sum('runs') : Math.min(sum('runs'), size.runs - 1),
    size.runs,
  );
  tell('steps, each checked', sum('steps'));
  // With few lives the average may be lower.
  if (!short) atMost('steps too few for 50 a life', Math.max(0, size.runs * 50 - sum('steps')), 0);
  tell('payments asked for', sum('payments'));
  tell('transactions that landed', sum('landed'));
};

export const gate = createGate(7, 'a model of the treasury, step by step', { 'random lives': model });
