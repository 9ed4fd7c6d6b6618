// Requests to language models that only open requests of the same caller refuse: they wait in order for those to end, since
// each then frees most of its bound. Those that the owner has to allow wait apart, and hold up none that fits.
import type { AppError } from '../../errors.ts';
import type { Outcomes } from '../payment/machine/outcomes.ts';
import type { ModelReader } from '../ports.ts';

/** A client keeps a connection open for longer than this. */
const waitsMs = 60_000;

export interface Waiting {
  /**
   * Tries until it is admitted, refused for another reason, or the wait is over.
   * @param caller requests of one caller are admitted in their order
   * @param attempt `isLast`: what still waits is now refused; `asks`: it waits for the owner
   */
  admit<T>(
    caller: string,
    keyId: string,
    attempt: (isLast: boolean) => T | 'waits' | 'asks',
    gone: AbortSignal,
  ): Promise<T>;
  /** A request of this caller has ended. */
  ended(caller: string): void;
  /** Lets all that wait try once more. */
  wakeAll(): void;
}

type Turn = <T>(
  caller: string,
  keyId: string,
  attempt: (isLast: boolean) => T | 'waits',
  ends: { gone: AbortSignal; until: number },
) => Promise<T>;

export const createWaiting = (
  outcomes: Pick<Outcomes, 'wait' | 'changed'>,
  callerGone: () => AppError,
): Waiting => {
  const queues = new Map<string, Promise<unknown>>();
  const endings = new Map<string, number>();
  const endingsOf = (caller: string): number => endings.get(caller) ?? 0;

  const turn: Turn = async (caller, keyId, attempt, { gone, until }) => {
    for (;;) {
      if (gone.aborted) throw callerGone();
      const leftMs = until - performance.now();
      const seen = endingsOf(caller);
      const result = attempt(leftMs <= 0);
      if (result !== 'waits') return result;
      await outcomes.wait(placeOf(caller), () => gone.aborted || endingsOf(caller) !== seen, leftMs, keyId);
    }
  };

  const inOrder: Turn = async (caller, keyId, attempt, { gone, until }) => {
    const before = queues.get(caller);
    if (before === undefined) {
      const result = attempt(false);
      if (result !== 'waits') return result;
    }
    const wake = (): void => outcomes.changed(placeOf(caller));
    gone.addEventListener('abort', wake);
    const mine = (before ?? Promise.resolve()).then(() => turn(caller, keyId, attempt, { gone, until }));
    const settled = mine.catch(() => {});
    queues.set(caller, settled);
    try {
      return await mine;
    } finally {
      gone.removeEventListener('abort', wake);
      if (queues.get(caller) === settled) {
        queues.delete(caller);
        endings.delete(caller);
      }
    }
  };

  const tryAgain = (caller: string): void => {
    if (!queues.has(caller)) return;
    endings.set(caller, endingsOf(caller) + 1);
    outcomes.changed(placeOf(caller));
  };

  return {
    async admit(caller, keyId, attempt, gone) {
      const terms = { gone, until: performance.now() + waitsMs };
      const result = await inOrder(caller, keyId, attempt, terms);
      if (result !== 'asks') return result;
      const again = (isLast: boolean) => {
        const next = attempt(isLast);
        return next === 'asks' ? 'waits' : next;
      };
      return inOrder(askingOf(caller), keyId, again, terms);
    },
    wakeAll() {
      for (const caller of queues.keys()) tryAgain(caller);
    },
    ended(caller) {
      tryAgain(caller);
      tryAgain(askingOf(caller));
    },
  };
};

const askingOf = (caller: string): string => `${caller} asking`;

const placeOf = (caller: string): string => `models of ${caller}`;

/** A client that hears nothing for longer may give up. */
const beatMs = 10_000;

/** Keeps a streaming client while its answer waits, until the timer is cleared. */
export const beating = (reader: ModelReader, streams: boolean): NodeJS.Timeout | undefined =>
  streams ? setInterval(() => reader.keepAlive(), beatMs) : undefined;
