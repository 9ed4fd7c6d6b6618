// Distributions of what agents do: waits, sizes and counts have long tails.
import type { Dice } from '../../harness/dice.ts';

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export const between = (dice: Dice, low: number, high: number): number => low + (high - low) * dice.roll();

/** Every order of magnitude between the two is as likely as another. */
export const logBetween = (dice: Dice, low: number, high: number): number =>
  low * (high / low) ** dice.roll();

const normal = (dice: Dice): number =>
  Math.sqrt(-2 * Math.log(1 - dice.roll())) * Math.cos(2 * Math.PI * dice.roll());

/** Half of all values are below the median; with a spread of 1, one in fifty is more than 7.7 times the median. */
export const longTailed = (dice: Dice, median: number, spread: number): number =>
  median * Math.exp(spread * normal(dice));

/** One day differs from the next: in seven of ten by less than half. */
export const busyness = (dice: Dice): number => longTailed(dice, 1, 0.4);

export const waitFor = (dice: Dice, mean: number): number => -mean * Math.log(1 - dice.roll());

/** The moments of what happens by itself, at so many per hour, from `from` until before `to`. */
export const arrivals = (dice: Dice, perHour: number, from: number, to: number): number[] => {
  const found: number[] = [];
  if (perHour <= 0) return found;
  for (let at = from; ; found.push(at)) {
    at += waitFor(dice, hourMs / perHour);
    if (at >= to) return found;
  }
};

/** How often something happens that does so `mean` times on average. */
export const countOf = (dice: Dice, mean: number): number => arrivals(dice, mean, 0, hourMs).length;

/** The moments of `count` calls one after another: the gaps have a median and a long tail. */
export const inARow = (
  dice: Dice,
  from: number,
  count: number,
  gap: { median: number; spread: number },
): number[] => {
  let at = from;
  return Array.from({ length: Math.max(0, Math.round(count)) }, (_, index) => {
    if (index > 0) at += longTailed(dice, gap.median, gap.spread);
    return at;
  });
};
