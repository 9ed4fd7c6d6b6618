// Gate 10: each bug is planted in a copy of the source, and the gate that is named for it has to fail there. Without a bug
// the same gates pass: what fails anyhow catches nothing.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { between, createGate, inParallel, type GateResult, type Sheet } from './gate.ts';
import { plantedBugs, type PlantedBug } from './planted-bugs.ts';
import { copySource, plant, thisSource } from './source-copy.ts';

const atOnce = 2;
const withinMs = 300_000;

type Trial = Pick<PlantedBug, 'gate' | 'part' | 'size'>;

/** The findings of one part of a gate in another tree; empty when it passed, null when it said nothing in time. */
const tryGate = async (
  source: string,
  { gate, part, size }: Trial,
  seed: number,
): Promise<string[] | null> => {
  const wanted = ['--gate', String(gate), '--part', part, '--seed', String(seed), '--json'];
  const program = ['--import', './build/preload.mjs', 'test/campaign/main.ts', ...wanted];
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
      // All of it has ended.
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

const bugs = async ({ dice, short, say, exactly, none, tell }: Sheet): Promise<void> => {
  // A bug that no longer fits the source would be caught by nobody.
  for (const { edits } of plantedBugs) plant(edits);
  exactly('bugs that fit the source', plantedBugs.length, plantedBugs.length);
  if (short) return tell('caught, each by its gate', 'in the full size only');
  const seed = between(dice, 1, 2 ** 31 - 2);
  const kinds = Map.groupBy(plantedBugs, ({ gate, part, size }) => JSON.stringify({ gate, part, size }));
  const failing: string[] = [];
  await inParallel(atOnce, [...kinds.keys()], async (kind) => {
    const trial = JSON.parse(kind) as Trial;
    const findings = await tryGate(thisSource, trial, seed);
    say(`without a bug, gate ${trial.gate}, ${trial.part}: ${findings?.length === 0 ? 'passes' : 'FAILS'}`);
    if (findings?.length !== 0) failing.push(`gate ${trial.gate}, ${trial.part}: ${findings?.join('; ')}`);
  });
  const missed: string[] = [];
  await inParallel(atOnce, plantedBugs, async ({ name, edits, ...trial }) => {
    const copy = copySource(edits);
    const findings = await tryGate(copy.source, trial, seed).finally(copy.remove);
    const seen = findings?.[0];
    const where = `gate ${trial.gate}, ${trial.part}`;
    say(`${name} -> ${where}: ${seen ?? 'MISSED'}`);
    if (seen === undefined)
      missed.push(`${name}: ${where}, ${findings === null ? 'could not be run to its end' : 'saw nothing'}`);
    tell(name, seen === undefined ? 'missed' : where);
  });
  none('gates that fail without a bug', failing);
  none('bugs missed', missed);
};

export const gate = createGate(10, 'planted bugs are caught', { bugs });
