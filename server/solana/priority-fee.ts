// The priority fee that a transfer offers.
import type { Log } from '../log.ts';
import { prioritizationAnswer } from './rpc/answers.ts';
import { tokenAccountAddress } from './message.ts';
import type { Rpc } from './rpc/rpc.ts';

interface PriceOptions {
  mint: string;
  treasury: string;
  /** The most micro-lamports per compute unit; 0: no priority fee. */
  maxComputeUnitPrice: bigint;
  log: Log;
}

/** The 75th percentile of recent priority fees per compute unit on the accounts that our transfers write, capped. */
export const keepPrice = (rpc: Rpc, { maxComputeUnitPrice, treasury, mint, log }: PriceOptions) => {
  let price = 0n;
  if (maxComputeUnitPrice === 0n) return { get: () => price, close: () => {} };
  const refresh = async (): Promise<void> => {
    try {
      const accounts = [treasury, tokenAccountAddress(treasury, mint)];
      const recent = await rpc.call('getRecentPrioritizationFees', [accounts], prioritizationAnswer);
      const fees = recent.map(({ prioritizationFee }) => prioritizationFee).toSorted((a, b) => a - b);
      const wanted = BigInt(Math.ceil(fees[Math.floor(fees.length * 0.75)] ?? 0));
      price = wanted < maxComputeUnitPrice ? wanted : maxComputeUnitPrice;
    } catch (error) {
      log.debug({ err: error }, 'no recent priority fees; the last ones stand');
    }
  };
  void refresh();
  const timer = setInterval(() => void refresh(), 20_000);
  timer.unref();
  return { get: () => price, close: () => clearInterval(timer) };
};
