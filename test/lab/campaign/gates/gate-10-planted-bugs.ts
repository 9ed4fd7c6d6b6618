// Gate 10: each bug is planted in a copy of the source, and the gate or the test that it names has to fail there.
// Without a bug the same ones pass: a check that always fails catches nothing.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { removeFolder, temporaryFolder } from '../../../harness/treasury.ts';
import { bugsCaughtByTests, type TestTrial } from '../bugs/caught-by-tests.ts';
import { between, createGate, inParallel, type GateResult, type Sheet } from '../gate.ts';
import { plantedBugs, type Bug, type PlantedBug } from '../planted-bugs.ts';
import { runTests, type Ran } from '../run-tests.ts';
import { copySource, plant, thisSource } from '../source-copy.ts';

const atOnce = 2;
const withinMs = 1_800_000;
/** A bug often keeps away what its test waits for. The same tests pass within it where nothing is planted. */
const patienceMs = 45_000;
/** Without a deadline that the bug took away, a test would wait for ever. */
const testMs = 180_000;

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
    async runClean(trials) {
      const findings = new Map<Trial, string[] | null>();
      await inParallel(atOnce, trials, async (trial) => {
        findings.set(trial, await tryGate(thisSource, trial, seed));
      });
      return trials.map((trial) => findings.get(trial) ?? null);
    },
  });
};

/** Runs these tests in a tree; null when that did not finish in time. */
const runTrials = async (source: string, trials: readonly TestTrial[]): Promise<Ran | null> => {
  const folder = temporaryFolder();
  const [files, titles] = [trials.map(({ file }) => file), trials.map(({ title }) => title)];
  const output = join(folder, 'report.json');
  const env = { TREASURY_PATIENCE_MS: String(patienceMs) };
  const wanted = { files: [...new Set(files)], titles, output, withinMs, testMs, env };
  const ran = await runTests(source, wanted);
  removeFolder(folder);
  return ran;
};

/** The tests of a trial that failed; null when there were none to run. */
const failedIn = (ran: Ran | null, { file, title }: TestTrial): string[] | null => {
  const tests = ran?.tests.filter((test) => test.file === file && test.name.includes(title)) ?? [];
  if (tests.length === 0) return null;
  return tests.filter(({ hasPassed }) => !hasPassed).map(({ name }) => name);
};

const bugsOfTests = (sheet: Sheet): Promise<void> =>
  catchAll(sheet, bugsCaughtByTests, {
    trialOf: ({ file, title }) => ({ file, title }),
    nameOf: ({ file, title }) => `${file}, ${title}`,
    run: async (source, trial) => failedIn(await runTrials(source, [trial]), trial),
    async runClean(trials) {
      const ran = await runTrials(thisSource, trials);
      return trials.map((trial) => failedIn(ran, trial));
    },
  });

interface Catching<B, T> {
  /** The trial that has to fail with the bug, and to pass without it. */
  trialOf(bug: B): T;
  nameOf(trial: T): string;
  /** Findings in a tree; empty when it passed, null when nothing was tried. */
  run(source: string, trial: T): Promise<string[] | null>;
  /** The same of each trial in this tree, where nothing is planted. */
  runClean(trials: readonly T[]): Promise<(string[] | null)[]>;
}

const catchAll = async <B extends Bug, T>(
  { short, bug: wanted = '', say, exactly, none, tell }: Sheet,
  all: readonly B[],
  { trialOf, nameOf, run, runClean }: Catching<B, T>,
): Promise<void> => {
  const planted = all.filter(({ name }) => name.includes(wanted));
  // Without a file, the runner of tests would run them all.
  if (planted.length === 0) return tell('bugs of that name', 0);
  // A bug that no longer fits the source would never be caught.
  for (const { edits } of planted) plant(edits);
  exactly('bugs that fit the source', planted.length, planted.length);
  if (short) return tell('caught, each by its own', 'in the full size only');
  const kinds = new Map(planted.map((bug) => [JSON.stringify(trialOf(bug)), trialOf(bug)]));
  const trials = [...kinds.values()];
  const failing: string[] = [];
  for (const [index, findings] of (await runClean(trials)).entries()) {
    const name = nameOf(trials[index] as T);
    say(`without a bug, ${name}: ${findings?.length === 0 ? 'passes' : 'FAILS'}`);
    if (findings?.length !== 0)
      failing.push(`${name}: ${findings?.join('; ') ?? 'could not be run to its end'}`);
  }
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
