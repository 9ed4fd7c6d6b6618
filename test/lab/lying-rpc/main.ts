// `npm run lies`: finds the lies that win, in lives of treasuries whose RPC lies for a while, one kind of lie in each.
import { parseArgs } from 'node:util';
import { whole } from '../size/options.ts';
import { damages, lieOf, schemes } from './lies.ts';
import type { LifePlan } from './life.ts';
import { liveThrough } from './rounds.ts';

const usage = `Usage: npm run lies -- [options]

  --alone         one RPC, which lies; without it there are two, of which the first lies
  --kind KIND     damages: answers that are spoiled without a plan; schemes: lies with one (default: both)
  --once          one false answer in each life, instead of all of some seconds
  --only TEXT     those whose names contain this
  --seconds N     how long the lies last (11)
  --at-once N     lives in a round (6)

Each life has deposits, payments under a small budget, a withdrawal and a recall. Then the lies end, and the chain judges:
nothing over the budget, no receipt for nothing, one payment for each key, no deposit lost or made up, and records, sums
and balances that agree with the chain again without a restart. It ends with 1 when a lie has won.
`;

const { values } = parseArgs({
  options: {
    alone: { type: 'boolean', default: false },
    kind: { type: 'string', default: 'both' },
    once: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '11' },
    'at-once': { type: 'string', default: '6' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const named = [
  ...(values.kind === 'schemes' ? [] : damages.map((lie) => ({ name: lie.name, lies: [lie] }))),
  ...(values.kind === 'damages'
    ? []
    : schemes.map((scheme) => ({ name: scheme.join(' + '), lies: lieOf(scheme) }))),
];
const liesLastMs = whole('seconds', values.seconds, 3) * 1_000;
const plans = named
  .filter(({ name }) => name.includes(values.only))
  .map((one): LifePlan => ({ ...one, isOnce: values.once, hasSecond: !values.alone, liesLastMs }));

const verdicts = await liveThrough(plans, whole('at-once', values['at-once'], 2), (round) => {
  for (const { name, lies, faults } of round)
    process.stdout.write(
      `${faults.length === 0 ? 'held' : 'LOST'}  ${name} (${lies})${faults.map((fault) => `\n      ${fault}`).join('')}\n`,
    );
});
const won = verdicts.filter(({ faults }) => faults.length > 0).length;
process.stdout.write(
  `${plans.length} lives, ${verdicts.reduce((sum, { lies }) => sum + lies, 0)} false answers, ${won} lies won\n`,
);
process.exit(won === 0 ? 0 : 1);
