// The filled part of a bar: for display only, never for a decision.
import { parseUsdc } from '../../server/money.ts';

/** `part` of `whole`, both decimal strings, in percent from 0 to 100. */
export const shareOf = (part: string, whole: string): number => {
  const [units, all] = [parseUsdc(part), parseUsdc(whole)];
  if (units === null || all === null || units === 0n) return 0;
  if (units >= all) return 100;
  return Number((units * 10_000n) / all) / 100;
};

/**
 * `part` of `whole` in whole percent, rounded down, without an upper end: `794`. A half stands for anything under one;
 * infinite for anything of nothing.
 */
export const percentOf = (part: string, whole: string): number => {
  const [units, all] = [parseUsdc(part), parseUsdc(whole)];
  if (units === null || all === null || units === 0n) return 0;
  if (all === 0n) return Number.POSITIVE_INFINITY;
  return units * 100n < all ? 0.5 : Number((units * 100n) / all);
};

const almostAll = 80;

/** The color of a bar that is filled to this percentage. */
export const gaugeColor = (percent: number): string => {
  if (percent >= 100) return 'red';
  return percent >= almostAll ? 'yellow' : 'teal';
};
/** `79%`, `1,234%`, `under 1%`; nothing for a share of nothing. */
export const percentText = (percent: number): string => {
  if (!Number.isFinite(percent)) return '';
  return percent > 0 && percent < 1 ? 'under 1%' : `${percent.toLocaleString('en')}%`;
};
