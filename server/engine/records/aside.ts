// USDC in accounts beside the usual one of each wallet. Anybody can make such an account and pay into it. The treasury
// never spends from it, but a thief who has the wallet's key can, so the honest number counts it.
import type { Context } from '../payment/context.ts';

/** Wallets that are read at once, in turn: each is a request to the RPC. */
const walletsAtOnce = 4;

export interface Aside {
  /** Reads the next wallets. One that cannot be read is tried again in its turn. */
  read(): Promise<void>;
  /** Micro-USDC, as last read in this process. */
  units(): bigint;
  /** Whether each wallet that there was at the start was read since. The address of a new one is known to nobody yet. */
  isWhole(): boolean;
}

export const createAside = ({ store, chain, log }: Pick<Context, 'store' | 'chain' | 'log'>): Aside => {
  const known = new Map<string, bigint>();
  let first: readonly string[] | null = null;
  let turn = 0;

  const readOne = async (address: string): Promise<void> => {
    try {
      known.set(address, await chain.unitsAside(address));
    } catch (error) {
      log.debug({ err: error, wallet: address }, 'accounts beside the usual one could not be read now');
    }
  };
  return {
    async read() {
      const all = store.wallets.list().map(({ address }) => address);
      first ??= all;
      const some = Array.from(
        { length: Math.min(walletsAtOnce, all.length) },
        (_, n) => all[(turn + n) % all.length],
      );
      turn += some.length;
      await Promise.all(some.map((address) => address !== undefined && readOne(address)));
    },
    units: () => known.values().reduce((sum, units) => sum + units, 0n),
    isWhole: () => first?.every((address) => known.has(address)) === true,
  };
};
