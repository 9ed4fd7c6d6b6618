// A process that lives many lives of the treasury, each from the same beginning, and reports its findings: `npm run
// world`. The clock, the timers and the random numbers of this process are replaced.
import { check, type RunDetails } from 'fast-check';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findingText, type Finding, type Report } from './run.ts';
import { installChance } from './seeded.ts';
import { installSimTime } from './sim-time.ts';
import { createTrace } from './trace.ts';

const help = `Lives many lives of a treasury in one process, and checks every step.

npm run world -- [--seed S] [--steps N]        until N steps were made; the same seed gives the same run
npm run world -- --seed S --path P --replay R  one life again, as a finding names it

--models      the agents mostly ask language models
--no-shrink   reports the first finding as it came
--shrinks N   the most lives that are tried to make a finding shorter; 100 if not given
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    seed: { type: 'string' },
    steps: { type: 'string', default: '5000' },
    path: { type: 'string', default: '' },
    replay: { type: 'string', default: '' },
    shrinks: { type: 'string', default: '100' },
    models: { type: 'boolean', default: false },
    'no-shrink': { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}
const first = Number(values.seed ?? (Date.now() % 2_147_483) + 1);
const { path, replay, models: asksModels } = values;
const livesOfSeed = 10;

const begin = Date.UTC(2026, 0, 5, 20);
const realClock = performance.now.bind(performance);
const chance = installChance();
const time = installSimTime(begin);
// Modules that are imported from here on know no other time and no other chance.
const { healDisk, installDiskFaults } = await import('./disk-faults.ts');
const { installLazyStatements } = await import('./lazy-statements.ts');
const { makeTemplate } = await import('./keys.ts');
const { phoneWallet } = await import('./phone.ts');
const { createLife } = await import('./life.ts');
const { lives } = await import('./acts/commands.ts');
const { noModelCounts } = await import('./judge/models.ts');

/** In memory: a world does not test the disk, and should not wait for it. */
const inMemory = '/dev/shm';
const folder = mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), 'treasury-world-'));
const startedAt = realClock();
installDiskFaults();
installLazyStatements();
const trace = createTrace();
const report: Report = {
  seed: first,
  lives: 0,
  steps: 0,
  payments: 0,
  landed: 0,
  bought: 0,
  deaths: 0,
  models: noModelCounts(),
  seconds: 0,
  cpuSeconds: 0,
  digest: '',
  finding: null,
};

let shrinksLeft = Infinity;
const wanted = Number(values.steps);
/** True once enough steps were made, or a finding was made shorter as often as it may be: further lives pass unseen. */
const isOver = (): boolean =>
  shrinksLeft <= 0 || (shrinksLeft === Infinity && path === '' && report.steps >= wanted);

const findingOf = (
  seed: number,
  {
    counterexample,
    counterexamplePath,
    errorInstance: error,
  }: Pick<RunDetails<unknown>, 'counterexample' | 'counterexamplePath' | 'errorInstance'>,
): Finding => {
  const [isAlone, drawn] = counterexample as [boolean, unknown];
  const steps = String(drawn);
  const replayed = /\/\*replayPath="(.*)"\*\//.exec(steps)?.[1] ?? '';
  return {
    command: `npm run world -- ${asksModels ? '--models ' : ''}--seed ${seed} --path ${String(counterexamplePath)} --replay ${replayed}`,
    steps: `${isAlone ? 'with one RPC: ' : ''}${steps.replace(/ ?\/\*.*\*\//, '')}`,
    why: error instanceof Error ? error.message : String(error),
  };
};

chance.reseed('');
const template = makeTemplate(join(folder, 'template'), begin, phoneWallet);

const live = async (seed: number): Promise<void> => {
  const property = lives(
    async (isAlone) => {
      chance.reseed(String(seed));
      healDisk();
      return createLife(
        { time, begin, template, note: trace.note },
        { folder: join(folder, 'life'), isAlone },
      );
    },
    { asksModels, maxCommands: 105, ...(replay === '' ? {} : { replayPath: replay }) },
    {
      isOver,
      ended({ judge, steps }, isWrong) {
        report.lives += 1;
        report.steps += steps();
        report.payments += judge.counts.payments;
        report.landed += judge.counts.landed;
        report.bought += judge.counts.bought;
        report.deaths += judge.counts.deaths;
        for (const [name, count] of Object.entries(judge.requests.counts))
          report.models[name as keyof Report['models']] += count;
        if (!isWrong) return;
        shrinksLeft = Math.min(shrinksLeft, Number(values.shrinks) + 1);
        shrinksLeft -= 1;
      },
    },
  );
  const details = await check(property, {
    seed,
    numRuns: path === '' ? livesOfSeed : 1,
    endOnFailure: values['no-shrink'] || path !== '',
    ...(path === '' ? {} : { path }),
  });
  if (details.failed) report.finding = findingOf(seed, details);
};

try {
  for (let seed = first; report.finding === null; seed += 1) {
    await live(seed);
    if (path !== '' || report.steps >= wanted) break;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
report.seconds = Math.round((realClock() - startedAt) / 100) / 10;
const { user, system } = process.cpuUsage();
report.cpuSeconds = Math.round((user + system) / 100_000) / 10;
report.digest = trace.digest();

const shown = ({ finding, ...counts }: Report): string => {
  const { seed, steps, payments, landed, bought, deaths, seconds, cpuSeconds } = counts;
  const head = `seed ${seed}: ${steps} steps of ${counts.lives} lives in ${seconds} s (${cpuSeconds} s of the processor); ${payments} payments, ${landed} landed (${bought} of them purchases), ${deaths} deaths`;
  const requests = asksModels ? `; requests to models: ${JSON.stringify(counts.models)}` : '';
  if (finding === null) return `${head}${requests}; nothing found\n`;
  return `${head}${requests}\n\nFOUND\n${findingText(finding)}\n`;
};
if (process.send !== undefined) process.send({ report });
else process.stdout.write(shown(report));
process.exitCode = report.finding === null ? 0 : 1;
