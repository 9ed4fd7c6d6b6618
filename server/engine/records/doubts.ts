// Balances in doubt: a movement in the slot of a wallet's last reading may be in that reading or not, and a reading may show
// a movement before we have seen it. The wallet is read again a slot later; until then, what is in doubt can be spent by
// no agent, and is in the honest number.
import type { Context } from '../payment/context.ts';
import type { Transfer } from '../ports.ts';

/** A slot: a reading that follows falls into a later one than the movement. */
const pauseMs = 400;

export interface Doubts {
  /** Call it after the commit of a transfer's step. */
  noticed(transfer: Transfer): void;
  stop(): Promise<void>;
}

interface Reads {
  wallets(addresses: readonly string[]): Promise<void>;
  cold(): Promise<void>;
}

/** @param read reads the chain; a failure is left to the timer of the funds */
export const createDoubts = ({ store, log }: Pick<Context, 'store' | 'log'>, read: Reads): Doubts => {
  const waiting = new Set<string>();
  let isColdWaiting = false;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let reading: Promise<unknown> = Promise.resolve();

  const isInDoubt = (address: string): boolean => (store.wallets.get(address)?.doubt ?? 0n) > 0n;

  const readAll = async (): Promise<void> => {
    timer = undefined;
    // Another reading may have settled some of them meanwhile.
    const wallets = [...waiting].filter(isInDoubt);
    const isColdDue = isColdWaiting;
    waiting.clear();
    isColdWaiting = false;
    await Promise.all([
      ...(wallets.length > 0 ? [read.wallets(wallets)] : []),
      ...(isColdDue ? [read.cold()] : []),
    ]);
  };
  const readLater = (): void => {
    reading = readAll().catch((error: unknown) =>
      log.debug({ err: error }, 'a balance in doubt is read later'),
    );
  };

  return {
    noticed({ wallet, payee, source }) {
      for (const address of [wallet, payee]) if (isInDoubt(address)) waiting.add(address);
      if (source !== null && (store.cold.get()?.doubt ?? 0n) > 0n) isColdWaiting = true;
      if (!isStopped && (waiting.size > 0 || isColdWaiting)) timer ??= setTimeout(readLater, pauseMs);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await reading;
    },
  };
};
