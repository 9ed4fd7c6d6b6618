// Sums over the last while, kept in ten parts, so that a sum costs the same with ten payments or ten thousand. The oldest
// part leaves as a whole: a sum covers between nine tenths of its span and all of it.
import type { DailyMost, Pace, Part } from '../domain/watch.ts';

export const minuteMs = 60_000;
export const spans = {
  five: 5 * minuteMs,
  ten: 10 * minuteMs,
  hour: 60 * minuteMs,
  fourHours: 240 * minuteMs,
  sixHours: 360 * minuteMs,
  twelveHours: 720 * minuteMs,
  day: 1_440 * minuteMs,
} as const;

const parts = 10;
/** The days before today that tell what is usual. */
export const baselineDays = 14;
/** After the burst that made the watch ask, another one within this time pauses the agent. */
export const furtherMs = 30 * minuteMs;

export const dayOf = (now: number): number => Math.floor(now / spans.day);

export const newPace = (): Pace => ({ parts: [], most: [] });

export const countIn = (of: readonly Part[], spanMs: number, now: number): number =>
  sumOf(of, spanMs, now, 1);
export const amountIn = (of: readonly Part[], spanMs: number, now: number): number =>
  sumOf(of, spanMs, now, 2);

const sumOf = (of: readonly Part[], spanMs: number, now: number, field: 1 | 2): number => {
  let sum = 0;
  for (const part of of) if (part[0] > now - spanMs) sum += part[field];
  return sum;
};

/** When the part of this moment began. */
export const partOf = (now: number, spanMs: number): number =>
  Math.floor(now / (spanMs / parts)) * (spanMs / parts);

/** Adds a payment of this moment. */
export const addPart = (to: Part[], spanMs: number, now: number, amount: number): void => {
  const from = partOf(now, spanMs);
  const last = to.at(-1);
  if (last !== undefined && last[0] >= from) {
    last[1] += 1;
    last[2] += amount;
  } else to.push([from, 1, amount]);
  while ((to[0]?.[0] ?? now) <= now - spanMs) to.shift();
};

/** The most of each day, with today's raised to this value. Days that no longer count are dropped. */
export const raise = (most: DailyMost, now: number, value: number): void => {
  const today = dayOf(now);
  const last = most.at(-1);
  if (last?.[0] === today) last[1] = Math.max(last[1], value);
  else most.push([today, value]);
  while ((most[0]?.[0] ?? today) < today - baselineDays) most.shift();
};

/** The days of the baseline: the last 14, without today. */
export const baselineOf = (most: DailyMost, now: number): DailyMost => {
  const today = dayOf(now);
  return most.filter(([day]) => day < today && day >= today - baselineDays);
};

/** The most of the baseline; 0 when there is none. */
export const mostBefore = (most: DailyMost, now: number): number =>
  baselineOf(most, now).reduce((highest, [, value]) => Math.max(highest, value), 0);
