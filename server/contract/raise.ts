// A limit that is raised more than ten times over, such as by a slip of the keyboard.
import { parseUsdc } from '../money.ts';

export interface Raise {
  label: string;
  before: string;
  after: string;
  /** Rounded down; null when nothing could be spent before. */
  times: number | null;
}

const askedAbove = 10n;
/** A limit of zero has no multiple: it is compared as if it were 1 USDC. */
const inPlaceOfZero = 1_000_000n;

/** Null for what is no large raise, and where there was no limit before. */
export const raiseOf = (label: string, before: string, after: string): Raise | null => {
  const [from, to] = [parseUsdc(before), parseUsdc(after)];
  if (from === null || to === null || to <= (from === 0n ? inPlaceOfZero : from) * askedAbove) return null;
  return { label, before, after, times: from === 0n ? null : Number(to / from) };
};
