// Two candidates measured side by side. Machines are noisy: every second pair is in reverse order, and medians of the
// same minutes are compared.
export type Work = () => Promise<unknown>;

export interface Pair {
  ours: number[];
  floor: number[];
}

/** The milliseconds of each candidate, pair by pair. */
export const inPairs = async (pairs: number, ours: Work, floor: Work): Promise<Pair> => {
  const times: Pair = { ours: [], floor: [] };
  for (let pair = 0; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? (['ours', 'floor'] as const) : (['floor', 'ours'] as const);
    for (const which of order) times[which].push(await timed(which === 'ours' ? ours : floor));
  }
  return times;
};

export const timed = async (work: Work): Promise<number> => {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
};

/** The smallest value that at least `part` of all values do not exceed; NaN for none. */
export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * part) - 1)] ?? Number.NaN;

export const median = (values: readonly number[]): number => quantile(values, 0.5);
