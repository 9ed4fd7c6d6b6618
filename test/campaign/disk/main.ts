// The gates about disk and process alone: `node --import ./build/preload.mjs test/campaign/disk/main.ts --gate 3`.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { gates } from './gates.ts';

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      gate: { type: 'string', default: gates.map(({ number }) => number).join() },
      seed: { type: 'string', default: String(randomInt(1, 2 ** 31 - 1)) },
      short: { type: 'boolean', default: false },
      source: { type: 'string' },
    },
  });
  if (!/^[1-9]\d{0,9}$/.test(values.seed))
    throw new Error('--seed must be a whole number from 1 to 2147483646.');
  const wanted = values.gate.split(',').map((text) => text.trim());
  const chosen = wanted.map((text) => {
    const gate = gates.find(({ number }) => String(number) === text);
    if (gate === undefined) throw new Error(`--gate: there is no gate ${text}.`);
    return gate;
  });
  return { ...values, chosen, seed: Number(values.seed) };
};

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const { chosen, seed, short, source } = readOptions();
const say = (text: string): void => void process.stderr.write(`${text}\n`);
for (const { number, title, run } of chosen) {
  const begin = performance.now();
  const { figures, failures, skipped } = await run({
    seed,
    short,
    say,
    ...(source === undefined ? {} : { source }),
  });
  const took = `${((performance.now() - begin) / 1_000).toFixed(0)} s`;
  const verdict =
    skipped === undefined ? (failures.length === 0 ? 'passed' : 'FAILED') : `skipped: ${skipped}`;
  const lines = Object.entries(figures).map(([name, value]) => `  ${String(value).padStart(8)}  ${name}`);
  const faults = failures.slice(0, 40).map((one) => `  ! ${one}`);
  process.stdout.write(
    [`Gate ${number}: ${title}: ${verdict} (seed ${seed}, ${took})`, ...lines, ...faults, ''].join('\n'),
  );
  if (failures.length > 0) process.exitCode = 1;
}
