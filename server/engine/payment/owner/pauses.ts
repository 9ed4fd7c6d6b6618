// The pauses of draws while the owner changes the allowance: each open page has its own, and draws go on when all are over.
import type { Store } from '../../ports.ts';
import type { Time } from '../../domain/time.ts';

/** As long as the owner may need at a Ledger; an open page asks again before it is over. */
const pauseMs = 120_000;

interface Pausing {
  store: Store;
  time: Time;
  /** Their ends by page, in Unix milliseconds. Lost at a restart: the store keeps the last of them. */
  pauses: Map<string, number>;
}

/** Begins or ends the pause of one page; joins the surrounding transaction. Nothing without a cold treasury. */
export const setPause = ({ store, time, pauses }: Pausing, page: string, isPaused: boolean): void => {
  const cold = store.cold.get();
  if (cold === null) return;
  const now = time.now();
  if (isPaused) pauses.set(page, now + pauseMs);
  else pauses.delete(page);
  for (const [one, until] of pauses) if (until <= now) pauses.delete(one);
  store.atomically(() => store.cold.pause(cold.address, Math.max(0, ...pauses.values())));
};
