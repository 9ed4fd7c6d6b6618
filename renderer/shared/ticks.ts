// Round amounts for the axis of a chart.

/** The lines of a chart up to `most`: at most five, from zero, at round amounts. */
export const ticksOf = (most: number): number[] => {
  if (!(most > 0)) return [0];
  const rough = most / 4;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * size >= rough) ?? 10) * size;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step);
};
