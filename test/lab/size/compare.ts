// Sends the same request to two hosts in turn, and compares their times.
import { inPairs, median, quantile, type Work } from '../bench/measure.ts';

export interface Compared {
  id: string;
  what: string;
  /** Milliseconds. */
  large: { p50: number; p99: number };
  floor: { p50: number; p99: number };
  /** The difference of the p50, and of the p99 when there are enough samples for one. */
  ratio: number;
  ratioP99: number | null;
  samples: number;
  /** Null for a figure that only informs. */
  met: boolean | null;
}

export const atMost = 1.5;
const enoughForP99 = 200;
const warmUp = 5;

export interface Question {
  id: string;
  what: string;
  large: Work;
  floor: Work;
  samples: number;
  warmUp?: number;
}

/** Asks both hosts, one after the other each time. */
export const compare = async (question: Question): Promise<Compared> => {
  const { large, floor, samples } = question;
  await inPairs(question.warmUp ?? Math.min(warmUp, samples), large, floor);
  const times = await inPairs(samples, large, floor);
  return judged(question, times.ours, times.floor);
};

export const judged = (
  { id, what }: Pick<Question, 'id' | 'what'>,
  large: readonly number[],
  floor: readonly number[],
): Compared => {
  const [ours, floored] = [figures(large), figures(floor)];
  const ratio = rounded(ours.p50 / floored.p50);
  const ratioP99 = large.length < enoughForP99 ? null : rounded(ours.p99 / floored.p99);
  return {
    id,
    what,
    large: ours,
    floor: floored,
    ratio,
    ratioP99,
    samples: large.length,
    met: Math.max(ratio, ratioP99 ?? 0) <= atMost,
  };
};

const figures = (times: readonly number[]) => ({
  p50: rounded(median(times)),
  p99: rounded(quantile(times, 0.99)),
});
const rounded = (value: number): number => Number(value.toPrecision(3));

const header = ['', 'what', 'large p50', 'p99', 'floor p50', 'p99', 'ratio', 'of p99', `at most ${atMost}`];

export const tableOf = (rows: readonly Compared[]): string => {
  const cells = [
    header,
    ...rows.map(({ id, what, large, floor, ratio, ratioP99, met }) => [
      id,
      what,
      `${large.p50} ms`,
      String(large.p99),
      `${floor.p50} ms`,
      String(floor.p99),
      String(ratio),
      String(ratioP99 ?? ''),
      met === null ? '' : met ? 'ok' : 'MISSED',
    ]),
  ];
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
