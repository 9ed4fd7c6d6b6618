// A limit that is raised more than ten times over, such as by a slip of the keyboard.
import { parseUsdc } from '../money.ts';

export interface Raise {
  label: string;
  before: string;
  after: string;
  /** Rounded down. */
  times: number;
}

const askedAbove = 10n;

/** Null for what is no large raise. No limit was there before when it was zero, so that nothing is raised. */
export const raiseOf = (label: string, before: string, after: string): Raise | null => {
  const [from, to] = [parseUsdc(before) ?? 0n, parseUsdc(after) ?? 0n];
  if (from === 0n || to <= from * askedAbove) return null;
  return { label, before, after, times: Number(to / from) };
};
