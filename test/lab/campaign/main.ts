// `npm run campaign`: faults of every kind against a real treasury. Exits with 1 when a gate fails.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { endStages, type GateResult, type Size } from './gate.ts';
import { gates } from './gates.ts';
import { report } from './report.ts';

const usage = `Usage: npm run campaign -- [options]

  --gate LIST   some gates, as in --gate 1,2; repeatable
  --part NAME   one part of a gate
  --bug TEXT    of gate 10, only the bugs whose names contain this
  --seed S      the seed of an earlier run, from 1 to 2147483646: the same plan of requests and faults
  --short       a few minutes for all gates
  --json        JSON on standard output

Gates:
${gates.map(({ number, title, parts }) => `  ${String(number).padStart(2)}  ${title}: ${parts.join('; ')}`).join('\n')}
`;

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      gate: { type: 'string', multiple: true, default: [] },
      part: { type: 'string' },
      bug: { type: 'string' },
      seed: { type: 'string' },
      short: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const wanted = values.gate.flatMap((list) => list.split(',')).map((one) => one.trim());
  const unknown = wanted.find((one) => !gates.some(({ number }) => String(number) === one));
  if (unknown !== undefined)
    throw new Error(
      `--gate: there is no gate ${JSON.stringify(unknown)}. Choose from ${gates.map(({ number }) => number).join(', ')}.`,
    );
  if (
    values.seed !== undefined &&
    (!/^[1-9]\d{0,9}$/.test(values.seed) || Number(values.seed) >= 2 ** 31 - 1)
  )
    throw new Error('--seed must be a whole number from 1 to 2147483646.');
  const seed = values.seed === undefined ? randomInt(1, 2 ** 31 - 1) : Number(values.seed);
  const chosen = gates.filter(
    ({ number, parts }) =>
      (wanted.length === 0 || wanted.includes(String(number))) &&
      (values.part === undefined || parts.includes(values.part)),
  );
  if (chosen.length === 0)
    throw new Error(`--part: no such gate has a part ${JSON.stringify(values.part)}. See --help.`);
  const size: Size = values.short ? 'short' : 'full';
  return { ...values, seed, chosen, size };
};

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const run = async (): Promise<void> => {
  const { chosen, seed, size, part, bug, json, help } = readOptions();
  if (help) return void process.stdout.write(usage);
  say(`seed ${seed}`);
  const results: GateResult[] = [];
  for (const gate of chosen) {
    try {
      results.push(await gate.run({ seed, size, part, bug, say }));
    } catch (error) {
      // A gate that cannot run proves nothing.
      const { number, title } = gate;
      const finding = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const figures = [{ what: 'the gate could not run', value: 1, target: 'exactly 0', met: false }];
      results.push({
        number,
        title,
        seed,
        size,
        figures,
        findings: [finding],
        verdict: 'FAILED',
        seconds: 0,
      });
    }
    const last = results.at(-1);
    if (!json && last !== undefined) process.stdout.write(`${report(last)}\n\n`);
  }
  if (json) process.stdout.write(`${JSON.stringify({ seed, results }, null, 2)}\n`);
  if (results.some(({ verdict }) => verdict === 'FAILED')) process.exitCode = 1;
};

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void endStages().finally(() => process.exit(130)));
try {
  await run();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
