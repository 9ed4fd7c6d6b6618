// The colours of the agents that spent most, in the chart and in the ranking.
import { others } from './spending-data.ts';

const colors = ['teal-6', 'blue-5', 'orange-5', 'grape-5', 'yellow-5', 'cyan-5'];

/** @param series of the chart, the largest first */
export const colorOf = (series: readonly string[], id: string): string => {
  const color = id === others ? undefined : colors[series.indexOf(id)];
  return `var(--mantine-color-${color ?? 'gray-5'})`;
};
