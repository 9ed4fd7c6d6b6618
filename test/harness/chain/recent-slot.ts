import type { Connection } from '@solana/web3.js';

/** The newest slot before the last one that has a block: a lookup table is opened by it, and some slots are skipped. */
export const recentSlot = async (connection: Connection): Promise<number> => {
  const last = await connection.getSlot('finalized');
  const [newest] = (await connection.getBlocks(Math.max(0, last - 8), last - 1, 'finalized')).toReversed();
  if (newest === undefined) throw new Error(`no block lies before slot ${last}`);
  return newest;
};
