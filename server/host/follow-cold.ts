// Follows every account that is or was the cold treasury's by subscription: its owner's changes are known at once, and a
// draw that no row explains freezes everything at once. A notification is a hint, as every one: the accounts are read anew,
// the timer of the funds goes on as the net below, and each signature is preceded by a reading of its own.
import type { Engine } from '../engine/engine.ts';
import type { SolanaChain } from '../solana/chain.ts';

/** Returns a function that ends it. */
export const followCold = (engine: Engine, chain: Pick<SolanaChain, 'onChange'>): (() => void) => {
  const { store, funds, log } = engine.context;
  const followed = new Map<string, () => void>();
  let reading: Promise<void> | null = null;
  let isOutdated = false;

  /** One reading at a time; a change during one leads to another. */
  const read = (): void => {
    isOutdated = true;
    reading ??= readAll().finally(() => {
      reading = null;
    });
  };
  const readAll = async (): Promise<void> => {
    while (isOutdated) {
      isOutdated = false;
      await funds.readCold().catch((error: unknown) => {
        log.debug({ err: error }, 'the cold treasury has changed, and is read later');
      });
    }
  };
  const follow = (): void => {
    for (const { address } of store.cold.accounts())
      if (!followed.has(address)) followed.set(address, chain.onChange(address, read));
  };
  const stopListening = engine.onEvent(({ type }) => {
    if (type === 'cold') follow();
  });
  follow();
  return () => {
    stopListening();
    for (const unsubscribe of followed.values()) unsubscribe();
  };
};
