// `npm run runtime-diff`: the runtime in TypeScript against the real one.
import { setImmediate as turn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { compareLife, foundText, newTally } from './differential.ts';

const usage = `Usage: npm run runtime-diff -- [options]

  --transactions N   how many (1000)
  --seed N           the seed of the first life (1); each life of 200 transactions has the next
  --units            how far compute units are off, for each kind of instruction
`;

const life = 200;

const run = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      transactions: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      units: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const [wanted, first] = [Number(values.transactions), Number(values.seed)];
  const tally = newTally();
  for (let seed = first, left = wanted; left > 0; seed += 1, left -= life) {
    // The real runtime gives its memory back between turns alone.
    await turn();
    const found = compareLife(seed, Math.min(life, left), tally);
    if (found === null) continue;
    process.stdout.write(`${foundText(found)}\n`);
    process.exitCode = 1;
    break;
  }
  const { transactions, succeeded, refused, errors, kinds } = tally;
  process.stdout.write(
    `${transactions} transactions, ${succeeded} succeeded, ${errors.size - 1} kinds of errors, ${refused} refused by name; ${process.exitCode === 1 ? 'they differ' : 'no difference'}\n`,
  );
  if (!values.units) return;
  for (const [name, { all, good }] of [...kinds].toSorted())
    process.stdout.write(`${name}: ${good} of ${all} succeeded\n`);
  for (const [error, count] of [...errors].toSorted(([, a], [, b]) => b - a))
    process.stdout.write(`${count} ${error}\n`);
  for (const [key, { count, exact, most, share, least, greatest }] of [...tally.deviations].toSorted())
    process.stdout.write(
      `${key}: ${count} took ${least} to ${greatest}, ${exact} exact, at most ${most} off (${(100 * share).toFixed(0)} %)\n`,
    );
};

await run();
