// Gate 7: random lives of a treasury, compared step by step with a small reference and the eight invariants. They are
// those of test/world.
import { findingText, runWorld, type Report } from '../../../world/run.ts';
import { noModelCounts } from '../../../world/judge/models.ts';
import { between, createGate, inParallel, type Sheet } from '../gate.ts';

interface Size {
  steps: number;
  /** Of one seed. */
  each: number;
}

const lives = async (sheet: Sheet, size: Size, further: readonly string[] = []): Promise<Report[]> => {
  const { dice, short, stage, say, exactly, atMost, none, tell } = sheet;
  const seeds = Array.from({ length: size.steps / size.each }, () => between(dice, 1, 2 ** 31 - 100_000));
  const reports: Report[] = [];
  await inParallel(2, seeds, async (seed) => {
    const { report, end } = runWorld(seed, size.each, further);
    await stage.keep(Promise.resolve(end), (kill) => kill());
    reports.push(await report);
    if (!short) say(`${reports.length * size.each} of ${size.steps} steps`);
  });
  const sum = (what: 'lives' | 'steps' | 'payments' | 'landed' | 'deaths'): number =>
    reports.reduce((total, report) => total + report[what], 0);
  none(
    'invariants broken',
    reports.flatMap(({ finding }) => (finding === null ? [] : [findingText(finding).replaceAll('\n', '; ')])),
  );
  exactly('runs to their end', reports.filter(({ finding }) => finding === null).length, seeds.length);
  atMost('steps too few', Math.max(0, size.steps - sum('steps')), 0);
  tell('steps, each checked', sum('steps'));
  tell('lives of a treasury', sum('lives'));
  tell('payments asked for', sum('payments'));
  tell('transactions that landed', sum('landed'));
  tell('deaths', sum('deaths'));
  return reports;
};

const model = async (sheet: Sheet): Promise<void> => {
  await lives(sheet, sheet.short ? { steps: 3_000, each: 1_500 } : { steps: 500_000, each: 25_000 });
};

const requests = async (sheet: Sheet): Promise<void> => {
  const size = sheet.short ? { steps: 1_000, each: 500 } : { steps: 90_000, each: 5_000 };
  const reports = await lives(sheet, size, ['--models']);
  const sum = (what: keyof Report['models']): number =>
    reports.reduce((total, { models }) => total + models[what], 0);
  const wanted = sheet.short ? 1_000 : 100_000;
  sheet.atMost('requests to models too few', Math.max(0, wanted - sum('asked')), 0);
  for (const what of Object.keys(noModelCounts()) as (keyof Report['models'])[])
    sheet.tell(`requests to models: ${what}`, sum(what));
};

export const gate = createGate(7, 'a model of the treasury, step by step', {
  'random lives': model,
  'requests to language models': requests,
});
