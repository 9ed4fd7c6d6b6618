// The prices of tokens. Amounts are base units of USDC, rounded up once for each request.
import { usdc, type Usdc } from '../../../money.ts';
import type { ModelPrices } from '../../ports.ts';
import type { Usage } from './usage.ts';

/**
 * The most that a request can cost: each token at the dearest price that the request can reach.
 *
 * @param inputTokens with each picture at the model's most
 * @param outputTokens of all choices together
 */
export const boundOf = (inputTokens: number, outputTokens: number, prices: ModelPrices): Usdc => {
  const reached = [prices, ...(prices.tiers ?? []).filter(({ above }) => inputTokens > above)];
  const input = reached.flatMap((one) => [one.input, one.cachedInput, one.cacheWrite]).reduce(larger);
  const output = reached.map((one) => one.output).reduce(larger);
  return amountOf(BigInt(inputTokens) * input + BigInt(outputTokens) * output);
};

/**
 * The cost of a usage, or the amount that a router reports, where that is more.
 */
export const costOf = (usage: Usage, prices: ModelPrices): Usdc => {
  const tiers = (prices.tiers ?? []).toSorted((a, b) => b.above - a.above);
  const price = tiers.find(({ above }) => usage.input > above) ?? prices;
  const plain = usage.input - usage.cachedInput - usage.cacheWrite;
  const tokens =
    BigInt(plain) * price.input +
    BigInt(usage.cachedInput) * price.cachedInput +
    BigInt(usage.cacheWrite) * price.cacheWrite +
    BigInt(usage.output) * price.output;
  return usdc(larger(amountOf(tokens), usage.costMicros ?? 0n));
};

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** @param priced tokens times micro-USDC for a million */
const amountOf = (priced: bigint): Usdc => usdc((priced + 999_999n) / 1_000_000n);
