// The blockhash that the next transfer is built with, and how long it lives. A lifetime that is too short would allow a
// proof of expiry for bytes that can still land; one that is too long keeps their money reserved for too long. So the
// heights of all RPCs that answer bound it.
import type { Lifetime } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { blockhashAnswer, epochInfoAnswer } from './rpc/answers.ts';
import { isDown, type NodeRpc } from './rpc/rpc.ts';
import type { Witnesses } from './rpc/witnesses.ts';

const blockhashFreshMs = 5_000;
/** A blockhash lives for about a minute; one this old is not used for a new payment. */
const blockhashTooOldMs = 20_000;
const blocksToSpare = 50;
/** The blocks for which a blockhash lives. */
const lifeBlocks = 150;
/** Blocks left of them, by two answers that may come from two nodes of a pool. */
const sanelyLeft = { least: 100, most: 200 };
/** Blocks by which another RPC may be behind the first: ten minutes. */
const mostBehind = 1_500;

/** The confirmed heights of those that answer. */
const heightsOf = async (others: readonly NodeRpc[]): Promise<number[]> => {
  const up = others.filter((rpc) => !isDown(rpc));
  const epochs = await Promise.allSettled(
    up.map((rpc) => rpc.call('getEpochInfo', [{ commitment: 'confirmed' }], epochInfoAnswer)),
  );
  return epochs.flatMap((epoch) => (epoch.status === 'fulfilled' ? [epoch.value.blockHeight] : []));
};

/** Fetches a blockhash before it is needed. */
export const keepLifetime = (witnesses: Witnesses, log: Log) => {
  let kept: { lifetime: Lifetime; at: number; wall: number } | null = null;
  let fetching: Promise<Lifetime> | null = null;
  let lastUse = 0;

  const fetchFrom = async ([rpc, ...others]: Witnesses): Promise<Lifetime> => {
    const commitment = { commitment: 'confirmed' };
    const [latest, epoch, elsewhere] = await Promise.all([
      rpc.call('getLatestBlockhash', [commitment], blockhashAnswer),
      rpc.call('getEpochInfo', [commitment], epochInfoAnswer),
      heightsOf(others),
    ]);
    const { blockhash, lastValidBlockHeight } = latest.value;
    // An RPC that confuses slot and block height here would also pass the proof of expiry: reject it now.
    const blocksLeft = lastValidBlockHeight - epoch.blockHeight;
    if (blocksLeft < sanelyLeft.least || blocksLeft > sanelyLeft.most)
      throw new AppError('chain_unreachable', 'The Solana RPC gives a block height that cannot be right.');
    const ahead = elsewhere.map((height) => epoch.blockHeight - height);
    // A blockhash of an RPC that is stuck would be dead already.
    if (ahead.some((blocks) => blocks > mostBehind || blocks < -lifeBlocks)) {
      throw new AppError(
        'chain_unreachable',
        `The Solana RPCs differ by more than ${lifeBlocks} blocks: one of them is stuck, or gives heights that are wrong. Nothing was paid. Ask treasury doctor which one, and start without it.`,
      );
    }
    const lifetime = {
      blockhash,
      // Another RPC may be some blocks behind: a lifetime that is too long costs a few seconds.
      lastValidHeight: Math.max(lastValidBlockHeight, ...elsewhere.map((height) => height + sanelyLeft.most)),
      slot: epoch.absoluteSlot,
      height: epoch.blockHeight,
    };
    kept = { lifetime, at: performance.now(), wall: Date.now() };
    return lifetime;
  };
  /** From the first RPC, or from the second when the first gives none. */
  const fetchOne = async (): Promise<Lifetime> => {
    const [first, second] = witnesses;
    if (second === undefined) return fetchFrom(witnesses);
    const [better, other] = isDown(first) ? [second, first] : [first, second];
    return fetchFrom([better, other]).catch(() => fetchFrom([other, better]));
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
