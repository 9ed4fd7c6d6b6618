// The prices of tokens. Amounts are base units of USDC, rounded up once for each request.
import { usdc, type Usdc } from '../../../money.ts';
import type { Usage } from './usage.ts';

/** Micro-USDC for a million tokens. */
export interface TokenPrices {
  input: bigint;
  /** Read from the supplier's cache; the price of input where the supplier has no other. */
  cachedInput: bigint;
  /** Written into that cache; the price of input where the supplier has no other. */
  cacheWrite: bigint;
  output: bigint;
}

export interface Prices extends TokenPrices {
  /** Prices of a whole request whose input, cached tokens included, is above so many tokens. */
  tiers?: readonly (TokenPrices & { above: number })[];
}

/** A factor of 1. Factors, such as those of regions, are in millionths. */
export const oneFactor = 1_000_000n;

/**
 * The most that a request can cost: each token at the dearest price that the request can reach.
 *
 * @param inputTokens with each picture at the model's most
 * @param outputTokens of all choices together
 * @param factor in millionths
 */
export const boundOf = (inputTokens: number, outputTokens: number, prices: Prices, factor: bigint): Usdc => {
  const reached = [prices, ...(prices.tiers ?? []).filter(({ above }) => inputTokens > above)];
  const input = reached.flatMap((one) => [one.input, one.cachedInput, one.cacheWrite]).reduce(larger);
  const output = reached.map((one) => one.output).reduce(larger);
  return amountOf(BigInt(inputTokens) * input + BigInt(outputTokens) * output, factor);
};

/**
 * The cost of a usage, or the amount that a router reports, where that is more.
 *
 * @param factor in millionths
 */
export const costOf = (usage: Usage, prices: Prices, factor: bigint): Usdc => {
  const tiers = (prices.tiers ?? []).toSorted((a, b) => b.above - a.above);
  const price = tiers.find(({ above }) => usage.input > above) ?? prices;
  const plain = usage.input - usage.cachedInput - usage.cacheWrite;
  const tokens =
    BigInt(plain) * price.input +
    BigInt(usage.cachedInput) * price.cachedInput +
    BigInt(usage.cacheWrite) * price.cacheWrite +
    BigInt(usage.output) * price.output;
  return usdc(larger(amountOf(tokens, factor), usage.costMicros ?? 0n));
};

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** @param priced tokens times micro-USDC for a million */
const amountOf = (priced: bigint, factor: bigint): Usdc => {
  const divisor = 1_000_000n * oneFactor;
  return usdc((priced * factor + divisor - 1n) / divisor);
};
