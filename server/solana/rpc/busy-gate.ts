// When a node refuses one call for too many requests, every call to it waits: while the gate is closed none is made, and
// then one call at a time tests whether the node takes requests again.
import { Busy } from './http-connection.ts';

interface Attempt {
  /** By the monotonic clock. When the gate opens later than this, the call fails at once. */
  waitsUntil: number;
  /** Ends the waiting; its reason is why. */
  signal: AbortSignal;
}

export interface BusyGate {
  isClosed(): boolean;
  /** Asks whenever the gate is open, until the node takes the request. @throws Busy when it opens too late; what `ask` throws */
  pass<T>(ask: () => Promise<T>, attempt: Attempt): Promise<T>;
}

const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** A node may name a longer pause. It is tried after this one nevertheless, since nobody could use it meanwhile. */
const longestAskedMs = 60_000;

export const createBusyGate = (): BusyGate => {
  let opensAt = -Infinity;
  let refusalsInARow = 0;
  let trial: Promise<unknown> | null = null;

  const untilOpen = async ({ waitsUntil, signal }: Attempt): Promise<void> => {
    for (;;) {
      const now = performance.now();
      const isPatient = waitsUntil > now;
      if (opensAt > now) {
        if (opensAt > waitsUntil) throw new Busy(opensAt - now);
        await orAborted(new Promise((resolve) => setTimeout(resolve, opensAt - now).unref()), signal);
      } else if (trial !== null && isPatient) await orAborted(trial, signal);
      else return;
    }
  };

  /** Asks once. @throws what `ask` throws, after closing the gate if that is Busy */
  const askOnce = async <T>(ask: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    // A call that was under way when the gate closed shows nothing new.
    const isNews = (): boolean => begun >= opensAt;
    const asked = ask();
    if (refusalsInARow > 0) trial = asked;
    try {
      const answer = await asked;
      if (isNews()) refusalsInARow = 0;
      return answer;
    } catch (error) {
      if (error instanceof Busy) {
        if (isNews()) refusalsInARow += 1;
        const pauseMs = Math.min(firstPauseMs * 2 ** (refusalsInARow - 1), longestPauseMs);
        const askedMs = Math.min(error.retryAfterMs ?? 0, longestAskedMs);
        opensAt = Math.max(opensAt, performance.now() + Math.max(pauseMs, askedMs));
      }
      throw error;
    } finally {
      if (trial === asked) trial = null;
    }
  };

  return {
    isClosed: () => performance.now() < opensAt,
    async pass(ask, attempt) {
      for (;;) {
        await untilOpen(attempt);
        try {
          return await askOnce(ask);
        } catch (error) {
          if (!(error instanceof Busy) || opensAt > attempt.waitsUntil) throw error;
        }
      }
    },
  };
};

/** Resolves when `waited` is settled in either way. @throws the reason of the signal */
const orAborted = (waited: Promise<unknown>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const settled = (): void => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    waited.then(settled, settled);
  });
