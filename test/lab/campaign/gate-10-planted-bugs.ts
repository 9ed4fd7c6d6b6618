// Gate 10: each bug is planted in a copy of the source, and the gate or the test that it names has to fail there.
// Without a bug the same ones pass: a check that always fails catches nothing.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { removeFolder, temporaryFolder } from '../../harness/treasury.ts';
import { bugsCaughtByTests, type TestTrial } from './bugs-caught-by-tests.ts';
import { between, createGate, inParallel, type GateResult, type Sheet } from './gate.ts';
import { plantedBugs, type Bug, type PlantedBug } from './planted-bugs.ts';
import { runTests } from './run-tests.ts';
import { copySource, plant, thisSource } from './source-copy.ts';

const atOnce = 2;
const withinMs = 1_800_000;

type Trial = Pick<PlantedBug, 'gate' | 'part' | 'size'>;

/** The findings of one part of a gate in another tree; empty when it passed, null when it did not finish in time. */
const tryGate = async (
  source: string,
  { gate, part, size }: Trial,
  seed: number,
): Promise<string[] | null> => {
  const wanted = ['--gate', String(gate), '--part', part, '--seed', String(seed), '--json'];
  const program = ['--import', './build/preload.mjs', 'test/lab/campaign/main.ts', ...wanted];
  // In a group of its own: with a bug in it, a host may outlive the gate that started it.
  const child = spawn(process.execPath, size === 'full' ? program : [...program, '--short'], {
    cwd: source,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const { pid } = child;
  const endGroup = (): void => {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // The whole group has ended.
    }
  };
  const timer = setTimeout(endGroup, withinMs);
  const stdout = await text(child.stdout);
  clearTimeout(timer);
  endGroup();
  if (!stdout.includes('"results"')) return null;
  const { results } = JSON.parse(stdout) as { results: GateResult[] };
  return results.flatMap(({ figures }) =>
    figures.flatMap(({ what, value, target, met }) =>
      met === false ? [`${what}: ${value}, not ${target}`] : [],
    ),
  );
};

const bugs = async (sheet: Sheet): Promise<void> => {
  const seed = between(sheet.dice, 1, 2 ** 31 - 2);
  await catchAll(sheet, plantedBugs, {
    trialOf: ({ gate, part, size }) => ({ gate, part, ...(size === undefined ? {} : { size }) }),
    nameOf: ({ gate, part }) => `gate ${gate}, ${part}`,
    run: (source, trial) => tryGate(source, trial, seed),
  });
};

/** The tests that failed in another tree; null when there were none to run. */
const tryTest = async (source: string, { file, title }: TestTrial): Promise<string[] | null> => {
  const folder = temporaryFolder();
  const output = join(folder, 'report.json');
  const ran = await runTests(source, { files: [file], title, output, withinMs });
  removeFolder(folder);
  return ran === null || ran.passed + ran.failed.length === 0 ? null : ran.failed;
};

const bugsOfTests = (sheet: Sheet): Promise<void> =>
  catchAll(sheet, bugsCaughtByTests, {
    trialOf: ({ file, title }) => ({ file, title }),
    nameOf: ({ file, title }) => `${file}, ${title}`,
    run: tryTest,
  });

interface Catching<B, T> {
  /** The trial that has to fail with the bug, and to pass without it. */
  trialOf(bug: B): T;
  nameOf(trial: T): string;
  /** Findings in a tree; empty when it passed, null when nothing was tried. */
  run(source: string, trial: T): Promise<string[] | null>;
}

const catchAll = async <B extends Bug, T>(
  { short, bug: wanted = '', say, exactly, none, tell }: Sheet,
  all: readonly B[],
  { trialOf, nameOf, run }: Catching<B, T>,
): Promise<void> => {
  const planted = all.filter(({ name }) => name.includes(wanted));
  // A bug that no longer fits the source would never be caught.
  for (const { edits } of planted) plant(edits);
  exactly('bugs that fit the source', planted.length, planted.length);
  if (short) return tell('caught, each by its own', 'in the full size only');
  const kinds = new Map(planted.map((bug) => [JSON.stringify(trialOf(bug)), trialOf(bug)]));
  const failing: string[] = [];
  await inParallel(atOnce, [...kinds.values()], async (trial) => {
    const findings = await run(thisSource, trial);
    say(`without a bug, ${nameOf(trial)}: ${findings?.length === 0 ? 'passes' : 'FAILS'}`);
    if (findings?.length !== 0) failing.push(`${nameOf(trial)}: ${findings?.join('; ')}`);
  });
  const missed: string[] = [];
  await inParallel(atOnce, planted, async (bug) => {
    const where = nameOf(trialOf(bug));
    const copy = copySource(bug.edits);
    const findings = await run(copy.source, trialOf(bug)).finally(copy.remove);
    const seen = findings?.[0];
    say(`${bug.name} -> ${where}: ${seen ?? 'MISSED'}`);
    if (seen === undefined)
      missed.push(
        `${bug.name}: ${where}, ${findings === null ? 'could not be run to its end' : 'saw nothing'}`,
      );
    tell(bug.name, seen === undefined ? 'missed' : where);
  });
  none('what fails without a bug', failing);
  none('bugs missed', missed);
};

export const gate = createGate(10, 'planted bugs are caught', { bugs, 'bugs of tests': bugsOfTests });
