// The cost of an answer that has ended, when it is known and when it is not. Nothing is released on a guess.
import { usdc, type Usdc } from '../../../money.ts';
import type { AmountMark, ModelPrices } from '../../ports.ts';
import { boundOf, costOf } from './price.ts';
import type { StreamFacts } from './stream-reader.ts';
import type { Usage } from './usage.ts';

/** The reservation for a request. */
export interface Reserved {
  /** Tokens, pictures included. */
  inputBound: number;
  /** Tokens of all choices. */
  outputBound: number;
  prices: ModelPrices;
  /** Whether the model may bill output that it does not show. */
  reasons: boolean;
}

/** All that was known when the answer ended, by createStreamReader or readAnswer. */
export interface Ending extends Pick<StreamFacts, 'usage' | 'outputBytes' | 'failed' | 'began' | 'whole'> {
  /** Whether a byte of the body left for the supplier. */
  sent: boolean;
  /** Null where no answer came. */
  status: number | null;
  streamed: boolean;
}

export interface Settlement {
  outcome: 'released' | 'settled';
  /** Base units of USDC; above the bound only where the supplier reported more. */
  amount: Usdc;
  /** `unknown` is the bound itself. */
  mark: AmountMark;
}

/** Tokens that may be under way when a stream is cut. */
const underWay = 1_024;

/**
 * Settles a request. Released: nothing of the body left, or the supplier itself refused before any event of the model.
 * Exact: a whole answer with its usage. Estimated: another answer with status 2xx. Unknown: everything else, such as a
 * gateway's 502, which says nothing of what was billed.
 */
export const settle = (reserved: Reserved, ending: Ending): Settlement => {
  const { inputBound, outputBound, prices } = reserved;
  const { sent, status, usage, whole, failed } = ending;
  if (!sent || isRefusal(ending)) return { outcome: 'released', amount: usdc(0n), mark: 'exact' };
  if (status === null || status < 200 || status > 299)
    return { outcome: 'settled', amount: boundOf(inputBound, outputBound, prices), mark: 'unknown' };
  return usage !== null && whole && !failed && isCredible(reserved, ending, usage)
    ? { outcome: 'settled', amount: costOf(usage, prices), mark: 'exact' }
    : { outcome: 'settled', amount: estimated(reserved, ending), mark: 'estimated' };
};

const isRefusal = ({ status, failed, began }: Ending): boolean =>
  failed && !began && status !== null && (Math.floor(status / 100) === 4 || [500, 503, 529].includes(status));

/** No request has no input, and no text is no output: such a report counts as none. */
const isCredible = ({ outputBound }: Reserved, { outputBytes }: Ending, usage: Usage): boolean =>
  usage.complete && usage.input > 0 && (usage.output > 0 || outputBound === 0 || outputBytes === 0);

const estimated = (reserved: Reserved, ending: Ending): Usdc => {
  const { inputBound, outputBound, prices } = reserved;
  const { usage } = ending;
  const output = Math.max(usage?.output ?? 0, Math.min(outputBound, unreported(reserved, ending)));
  const bound = boundOf(inputBound, output, prices);
  if (usage === null) return bound;
  const reported = costOf({ ...usage, output }, prices);
  return usage.input > 0 || reported > bound ? reported : bound;
};

/** Output tokens, at their most. */
const unreported = ({ outputBound, reasons }: Reserved, ending: Ending): number => {
  if (reasons) return outputBound;
  if (ending.whole && !ending.failed) return ending.outputBytes;
  return ending.streamed ? ending.outputBytes + underWay : outputBound;
};
