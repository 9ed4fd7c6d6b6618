// Follows the account of the cold treasury by subscription: its owner's changes are known at once, and a draw that no row
// explains freezes everything at once. A notification is a hint, as every one: the account is read anew, the timer of the
// funds goes on as the net below, and each signature is preceded by a reading of its own.
import type { Engine } from '../engine/engine.ts';
import type { SolanaChain } from '../solana/chain.ts';

const nothing = (): void => {};

/** Follows the account of the present cold treasury. Returns a function that ends it. */
export const followCold = (engine: Engine, chain: Pick<SolanaChain, 'onChange'>): (() => void) => {
  const { store, funds, log } = engine.context;
  let followed: string | null = null;
  let unsubscribe = nothing;
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
    const address = store.cold.get()?.address ?? null;
    if (address === followed) return;
    unsubscribe();
    followed = address;
    unsubscribe = address === null ? nothing : chain.onChange(address, read);
  };
  const stopListening = engine.onEvent(({ type }) => {
    if (type === 'cold') follow();
  });
  follow();
  return () => {
    stopListening();
    unsubscribe();
  };
};
