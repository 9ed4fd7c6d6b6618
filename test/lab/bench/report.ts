// The results of a part of the bench, and their table.
import { availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os';
import { median, quantile } from './measure.ts';

export type Unit = 'ms' | 'payments/s' | 'MB' | 'MB/s' | 'requests/s';

export interface Figure {
  unit: Unit;
  p50: number;
  p95: number;
  samples: number;
}

export interface Result {
  id: string;
  what: string;
  ours: Figure | null;
  floor: Figure | null;
  ratio: number | null;
  target: string;
  met: boolean | null;
}

export const figure = (unit: Unit, values: readonly number[]): Figure => ({
  unit,
  p50: round(median(values)),
  p95: round(quantile(values, 0.95)),
  samples: values.length,
});

export const ratioOf = (ours: number, floor: number): number => round(ours / floor);

const round = (value: number): number => Number(value.toPrecision(4));

export const machine = () => ({
  cpus: availableParallelism(),
  model: cpus()[0]?.model ?? 'unknown',
  memoryGb: Math.round(totalmem() / 2 ** 30),
  platform: platform(),
  node: process.versions.node,
  load: loadavg().map((load) => Number(load.toFixed(2))),
});

const header = ['', 'what', 'ours p50', 'p95', 'floor p50', 'p95', 'ratio', 'target', 'met'];

export const table = (results: readonly Result[]): string => {
  const rows = [header, ...results.map(cells)];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(header), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.slice(1).map(line)].join(
    '\n',
  );
};

const cells = ({ id, what, ours, floor, ratio, target, met }: Result): string[] => [
  id,
  what,
  ...shown(ours),
  ...shown(floor),
  ratio === null ? '' : ratio.toFixed(2),
  target,
  met === null ? '' : met ? 'yes' : 'NO',
];

const shown = (given: Figure | null): [string, string] => {
  if (given === null) return ['', ''];
  const { unit, p50, p95, samples } = given;
  const digits = unit === 'ms' && p50 < 100 ? 2 : 0;
  return [`${p50.toFixed(digits)} ${unit}`, samples < 20 ? '' : p95.toFixed(digits)];
};
