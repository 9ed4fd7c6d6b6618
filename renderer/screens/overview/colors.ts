// The colours of the chart and of the ranking beside it: six hues that are far apart, by rank, and grey for all others.
import { others } from './spending-data.ts';

/** In degrees of OKLCH. Neighbours in rank differ in lightness too; each stands out from a light and a dark card by 3 : 1. */
const hues = [255, 55, 150, 335, 200, 95];

export const seriesColors =
  (series: readonly string[]) =>
  (id: string): string => {
    const rank = id === others ? -1 : series.indexOf(id);
    return rank < 0
      ? 'var(--mantine-color-gray-5)'
      : `oklch(${rank % 2 === 0 ? 0.5 : 0.6} 0.13 ${hues[rank]})`;
  };
