// Prints a gate's findings.
import type { GateResult } from './gate.ts';

export const report = ({
  number,
  title,
  seed,
  size,
  figures,
  findings,
  verdict,
  seconds,
}: GateResult): string => {
  const width = Math.max(...figures.map(({ what }) => what.length));
  const lines = figures.map(({ what, value, target, met }) => {
    const text = typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 2 }) : value;
    const told = met === null ? '' : met ? 'ok' : 'FAILED';
    return `  ${what.padEnd(width)}  ${text.padStart(11)}  ${target.padEnd(18)}  ${told}`.trimEnd();
  });
  const head = `Gate ${number}: ${title}: ${verdict} (seed ${seed}, ${size}, ${seconds} s)`;
  return [head, ...lines, ...findings.map((one) => `  ! ${one}`)].join('\n');
};
