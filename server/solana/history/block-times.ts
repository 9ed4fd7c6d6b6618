// The times of slots, remembered: a slot's time never changes.
import { blockTimeAnswer } from '../rpc/answers.ts';
import type { Rpc } from '../rpc/rpc.ts';

/** Resolves to Unix milliseconds; null when the RPC does not know. Never rejects. */
export const rememberBlockTimes = (rpc: Rpc): ((slot: number) => Promise<number | null>) => {
  const known = new Map<number, Promise<number | null>>();
  return (slot) => {
    let time = known.get(slot);
    if (time === undefined) {
      if (known.size >= 512) known.clear();
      time = rpc.call('getBlockTime', [slot], blockTimeAnswer).then(
        (seconds) => (seconds === null ? null : seconds * 1_000),
        () => {
          known.delete(slot);
          return null;
        },
      );
      known.set(slot, time);
    }
    return time;
  };
};
