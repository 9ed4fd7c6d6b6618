// Waiting for what the treasury tells an agent, over one event stream that all waits share. Nothing is asked on a timer.
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentEvent } from '../contract/agent-events.ts';
import { AppError } from '../errors.ts';
import type { AgentClient } from './agent-client.ts';

export interface News {
  /**
   * Looks now, and again at each event that concerns it and after each connection, until it is done or the time is over.
   * @returns what the last look found
   * @throws as the first look does
   */
  until<T>(look: () => Promise<T>, isDone: (found: T) => boolean, waiting: Waiting): Promise<T>;
}

interface Waiting {
  concerns(event: AgentEvent): boolean;
  waitMs: number;
  /** Aborted when nobody waits any more. */
  signal: AbortSignal;
}

interface Waiter extends Waiting {
  wake(): void;
}

/** The stream outlives its last waiter by this time: another often follows. */
const idleMs = 30_000;
/** Between attempts to connect. A treasury without such a stream is asked as often. */
const [leastPauseMs, mostPauseMs] = [100, 5_000];

export const createNews = (client: Pick<AgentClient, 'listen'>): News => {
  const waiters = new Set<Waiter>();
  let stream: AbortController | null = null;
  let idle: NodeJS.Timeout | undefined;

  /** @param event null: anything may have happened */
  const tell = (event: AgentEvent | null): void => {
    for (const waiter of waiters) if (event === null || waiter.concerns(event)) waiter.wake();
  };
  const enter = (waiter: Waiter): void => {
    clearTimeout(idle);
    waiters.add(waiter);
    if (stream !== null) return;
    stream = new AbortController();
    void keepOpen(client, tell, stream.signal);
  };
  const leave = (waiter: Waiter): void => {
    waiters.delete(waiter);
    if (waiters.size > 0) return;
    clearTimeout(idle);
    idle = setTimeout(() => {
      stream?.abort();
      stream = null;
    }, idleMs).unref();
  };

  return {
    async until(look, isDone, waiting) {
      const over = AbortSignal.any([waiting.signal, AbortSignal.timeout(waiting.waitMs)]);
      let found = await look();
      if (isDone(found) || over.aborted || waiting.waitMs <= 0) return found;
      const bell = createBell();
      const waiter: Waiter = { ...waiting, wake: bell.ring };
      enter(waiter);
      try {
        for (;;) {
          await bell.rung(over);
          if (over.aborted) return found;
          found = await look().catch(unlessAway(found));
          if (isDone(found)) return found;
        }
      } finally {
        leave(waiter);
      }
    },
  };
};

/** The treasury may be restarting: what was found stands until it is back. */
const unlessAway =
  <T>(found: T) =>
  (error: unknown): T => {
    if (error instanceof AppError && error.code === 'halted') return found;
    throw error;
  };

/** Connects anew until it is aborted, and tells of each connection, and of each end. */
const keepOpen = async (
  client: Pick<AgentClient, 'listen'>,
  tell: (event: AgentEvent | null) => void,
  signal: AbortSignal,
): Promise<void> => {
  let pauseMs = leastPauseMs;
  const hear = (event: AgentEvent | null): void => {
    pauseMs = leastPauseMs;
    tell(event);
  };
  while (!signal.aborted) {
    await client.listen(hear, signal).catch(() => {});
    await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    pauseMs = Math.min(2 * pauseMs, mostPauseMs);
    tell(null);
  }
};

/** A ring that nobody waited for is heard by the next to wait. */
const createBell = () => {
  let isRung = false;
  let answer = (): void => {};
  return {
    ring(): void {
      isRung = true;
      answer();
    },
    /** Resolves when it rings, or when `over` is aborted. */
    async rung(over: AbortSignal): Promise<void> {
      if (!isRung && !over.aborted)
        await new Promise<void>((resolve) => {
          answer = resolve;
          over.addEventListener('abort', () => resolve(), { once: true });
        });
      isRung = false;
    },
  };
};
