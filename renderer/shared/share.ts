// The filled part of a bar: for display only, never for a decision.
import { parseUsdc } from '../../server/money.ts';

/** `part` of `whole`, both decimal strings, in percent from 0 to 100. */
export const shareOf = (part: string, whole: string): number => {
  const [units, all] = [parseUsdc(part), parseUsdc(whole)];
  if (units === null || all === null || units === 0n) return 0;
  if (units >= all) return 100;
  return Number((units * 10_000n) / all) / 100;
};
