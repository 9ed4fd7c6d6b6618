// One blockhash per block, derived from the chain's seed: the queue needs no storage and survives any restart.
import { hash } from 'node:crypto';

import { heightOf, isSkipped, slotOfHeight } from './clock.ts';
import { keyText } from '../../lib/solana/wire.ts';

/** The number of later blocks in which a blockhash is still valid. */
export const blockhashAge = 150;

export interface Blockhashes {
  ofSlot(slot: number): Uint8Array;
  /** The slot of this blockhash if a block at `slot` accepts it, otherwise null. */
  find(blockhash: Uint8Array, slot: number): number | null;
}

export const createBlockhashes = (seed: string): Blockhashes => {
  const slots = new Map<string, number>();
  let newestSlot = -1;

  const ofSlot = (slot: number): Uint8Array => hash('sha256', `${seed}:${slot}`, 'buffer');

  const advance = (slot: number): void => {
    if (slot <= newestSlot) return;
    const oldest = slotOfHeight(Math.max(0, heightOf(slot) - keptBlocks));
    for (let next = Math.max(oldest, newestSlot + 1); next <= slot; next++) {
      if (!isSkipped(next)) slots.set(keyText(ofSlot(next)), next);
    }
    for (const [text, old] of slots) {
      if (old >= oldest) break;
      slots.delete(text);
    }
    newestSlot = slot;
  };

  return {
    ofSlot,
    find: (blockhash, slot) => {
      advance(slot);
      const found = slots.get(keyText(blockhash));
      if (found === undefined || found > slot) return null;
      return heightOf(slot) - heightOf(found) <= blockhashAge ? found : null;
    },
  };
};

/** More than the age, since an older bank (finalized) may be asked too. */
const keptBlocks = 2 * blockhashAge;
