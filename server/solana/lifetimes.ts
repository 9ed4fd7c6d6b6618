// The blockhash that the next transfer is built with, and how long it lives.
import type { Lifetime } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { blockhashAnswer, epochInfoAnswer } from './answers.ts';
import type { Rpc } from './rpc.ts';

const blockhashFreshMs = 5_000;
/** A blockhash lives for about a minute; one this old is not used for a new payment. */
const blockhashTooOldMs = 20_000;
const blocksToSpare = 50;
/** Blocks left of a blockhash's 150, by two answers that may come from two nodes of a pool. */
const sanelyLeft = { least: 100, most: 200 };

/** Fetches a blockhash before it is needed. */
export const keepLifetime = (rpc: Rpc, log: Log) => {
  let kept: { lifetime: Lifetime; at: number; wall: number } | null = null;
  let fetching: Promise<Lifetime> | null = null;
  let lastUse = 0;

  const fetchOne = async (): Promise<Lifetime> => {
    const commitment = { commitment: 'confirmed' };
    const [latest, epoch] = await Promise.all([
      rpc.call('getLatestBlockhash', [commitment], blockhashAnswer),
      rpc.call('getEpochInfo', [commitment], epochInfoAnswer),
    ]);
    const { blockhash, lastValidBlockHeight } = latest.value;
    // An RPC that confuses slot and block height here would also pass the proof of expiry: reject it now.
    const blocksLeft = lastValidBlockHeight - epoch.blockHeight;
    if (blocksLeft < sanelyLeft.least || blocksLeft > sanelyLeft.most)
      throw new AppError('chain_unreachable', 'The Solana RPC gives a block height that cannot be right.');
    const lifetime = {
      blockhash,
      lastValidHeight: lastValidBlockHeight,
      slot: epoch.absoluteSlot,
      height: epoch.blockHeight,
    };
    kept = { lifetime, at: performance.now(), wall: Date.now() };
    return lifetime;
  };
  const refresh = (): Promise<Lifetime> => {
    fetching ??= fetchOne().finally(() => {
      fetching = null;
    });
    return fetching;
  };
  /** By the clock that says more: the monotonic one may stand still while the machine sleeps. */
  const age = (): number =>
    kept === null ? Infinity : Math.max(performance.now() - kept.at, Math.abs(Date.now() - kept.wall));
  const inBackground = (): void => {
    refresh().catch((error: unknown) => log.debug({ err: error }, 'no fresh blockhash now'));
  };
  const timer = setInterval(() => {
    // While payments come, one is always ready; an idle treasury asks nothing.
    if (performance.now() - lastUse < 60_000 && age() > blockhashFreshMs) inBackground();
  }, blockhashFreshMs);
  timer.unref();

  return {
    async get(): Promise<Lifetime> {
      lastUse = performance.now();
      if (kept === null || age() > blockhashTooOldMs) return refresh();
      if (age() > blockhashFreshMs) inBackground();
      return kept.lifetime;
    },
    /** Drops a blockhash that has no time left. */
    reached(height: number): void {
      if (kept !== null && height > kept.lifetime.lastValidHeight - blocksToSpare) kept = null;
    },
    close: () => clearInterval(timer),
  };
};
