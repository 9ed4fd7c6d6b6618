// `npm run watch-traces`: what accidents cost, and how often ordinary days are stopped, under each watch.
import { parseArgs } from 'node:util';
import { whole } from '../size/options.ts';
import { fixedThresholds } from './fixed-thresholds.ts';
import { judgeAccident, judgeOrdinary, score, type AccidentScore, type Score, type Watch } from './score.ts';
import { ruledWatch } from './rules.ts';
import { parts, type Trace } from './trace.ts';
import { accidentDay, ordinaryDay } from './traces.ts';

const usage = `Usage: npm run watch-traces -- [options]

  --report      the part for the report instead of the one for tuning; look at it only when the rules are fixed
  --fresh       the part that no version of the rules was tuned on or chosen by
  --days N      only the first N ordinary days of the part
  --json        JSON on standard output instead of tables
`;

const fixed = (payments: number, times: number): [string, Watch] => [
  `fixed: ${payments} payments in five minutes, ${times} times the median price`,
  fixedThresholds({ payments, times }),
];
const watches: readonly (readonly [name: string, watch: Watch])[] = [
  ['none', () => null],
  ['the rules of this treasury', ruledWatch()],
  fixed(30, 3),
  fixed(100, 5),
  fixed(300, 10),
];

/** The traces of the seeds from the first to the last, one at a time: all together they do not fit into memory. */
function* each([first, last]: readonly [number, number], make: (seed: number) => Trace): Generator<Trace> {
  for (let seed = first; seed <= last; seed += 1) yield make(seed);
}

/** The judgements of each watch, in their order. */
const judged = <T>(traces: Iterable<Trace>, judge: (watch: Watch, trace: Trace) => T): T[][] => {
  const found: T[][] = watches.map(() => []);
  for (const trace of traces)
    for (const [index, [, watch]] of watches.entries()) found[index]?.push(judge(watch, trace));
  return found;
};

const percent = (part: number): string => `${(100 * part).toFixed(part < 0.0995 ? 1 : 0)} %`;

const line = ({ kind, traces, stopped, loss, share, requests }: AccidentScore): string =>
  [
    kind.padEnd(18),
    String(traces).padStart(7),
    percent(stopped / traces).padStart(9),
    (Number(loss) / 1e6).toFixed(3).padStart(12),
    percent(share).padStart(10),
    String(requests).padStart(10),
  ].join('');

const tableOf = (name: string, { kinds, ...rest }: Score): string =>
  [
    `Watch: ${name}`,
    `${'accident'.padEnd(18)} traces  stopped   loss, USDC of budget  requests`,
    ...kinds.map(line),
    `False stops: ${rest.falseStops}, on ${rest.stoppedDays} of ${rest.days.toLocaleString('en')} ordinary days: ` +
      `${rest.perThousand.toFixed(1)} per 1,000 (at most ${rest.upperBound.toFixed(1)} at 95 %)`,
    `  ${rest.perThousandOf.map(({ agent, perThousand }) => `${agent} ${perThousand.toFixed(0)}`).join(', ')}`,
  ].join('\n');

const readOptions = () =>
  parseArgs({
    options: {
      report: { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      days: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values;

const run = (values: ReturnType<typeof readOptions>): void => {
  const { accidents, ordinary } = parts[values.fresh ? 'fresh' : values.report ? 'report' : 'tune'];
  const [first, last] = ordinary;
  const days = values.days === undefined ? last : Math.min(last, first - 1 + whole('days', values.days, 5));
  const found = judged(each(accidents, accidentDay), judgeAccident);
  const stopped = judged(each([first, days], ordinaryDay), judgeOrdinary);
  const scores = watches.map(([name], index) => ({
    name,
    ...score(found[index] ?? [], stopped[index] ?? []),
  }));
  const head = `Seeds ${accidents.join(' to ')}, ordinary days ${first} to ${days}. Medians of loss, share and requests before the stop.`;
  process.stdout.write(
    values.json
      ? `${JSON.stringify(scores, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 2)}\n`
      : `${[head, ...scores.map(({ name, ...one }) => tableOf(name, one))].join('\n\n')}\n`,
  );
};

try {
  const options = readOptions();
  if (options.help) process.stdout.write(usage);
  else run(options);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
