// A process that runs many lives of the treasury, each from the same beginning, and reports its findings.
import { check } from 'fast-check';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installSimTime } from './sim-time.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    runs: { type: 'string' },
    folder: { type: 'string' },
    /** The path of an earlier finding; its commands end with the value of `replay`. */
    path: { type: 'string', default: '' },
    replay: { type: 'string', default: '' },
    steps: { type: 'string', default: '105' },
    /** Reports the first counterexample without shrinking it. */
    first: { type: 'boolean', default: false },
  },
});
const { seed = '1', runs = '10', folder = '', path, steps: mostSteps, first } = values;

const begin = Date.UTC(2026, 0, 5, 20);
const realClock = performance.now.bind(performance);
const time = installSimTime(begin);
// Modules that are imported from here on know no other time.
const { makeTemplate } = await import('./keys.ts');
const { createLife } = await import('./life.ts');
const { lives } = await import('./commands.ts');

const startedAt = realClock();
const totals = { runs: 0, steps: 0, payments: 0, landed: 0 };
const template = makeTemplate(join(folder, 'template'), begin);
const property = lives(
  (isAlone) => createLife(time, begin, template, { folder: join(folder, 'life'), isAlone }),
  { maxCommands: Number(mostSteps), ...(values.replay === '' ? {} : { replayPath: values.replay }) },
  ({ judge, steps }) => {
    totals.runs += 1;
    totals.steps += steps();
    totals.payments += judge.counts.payments;
    totals.landed += judge.counts.landed;
  },
);
const details = await check(property, {
  seed: Number(seed),
  numRuns: Number(runs),
  endOnFailure: first,
  ...(path === '' ? {} : { path }),
});
const finding = details.failed
  ? {
      seed: details.seed,
      path: details.counterexamplePath,
      runs: details.numRuns,
      shrinks: details.numShrinks,
      commands: `${details.counterexample?.[0] === true ? 'with one RPC: ' : ''}${String(details.counterexample?.[1])}`,
      why:
        details.errorInstance instanceof Error
          ? details.errorInstance.message
          : String(details.errorInstance),
      stack: details.errorInstance instanceof Error ? details.errorInstance.stack : '',
    }
  : null;
rmSync(folder, { recursive: true, force: true });
const report = { ...totals, seconds: (realClock() - startedAt) / 1_000, finding };
if (process.send === undefined) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else process.send({ report });
