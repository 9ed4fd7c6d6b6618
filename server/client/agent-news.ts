// Waiting for news of the treasury to an agent, over one event stream that all waits share. While the stream is open,
// nothing is asked on a timer.
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentEvent } from '../contract/agents/agent-events.schemas.ts';
import { AppError } from '../errors.ts';
import type { AgentClient } from './agent-client.ts';

export interface News {
  /**
   * Looks now, and again after each event that concerns it, until it is done, a stop came, or the time is over.
   * @returns what the last look found
   * @throws as a look does. A treasury that is away may come back in time: it is an error only at the end of the wait
   */
  until<T>(look: () => Promise<T>, isDone: (found: T) => boolean, waiting: Waiting): Promise<Heard<T>>;
}

export interface Heard<T> {
  found: T;
  /** The stop that came meanwhile and ended the wait. */
  stop: Stop | null;
}

export type Stop = Extract<AgentEvent, { type: 'stop' }>['data'];

export interface Waiting {
  concerns(event: AgentEvent): boolean;
  waitMs: number;
  /** Aborted when nobody waits any more. */
  signal: AbortSignal;
}

/** @param event null: anything may have happened */
type Listener = (event: AgentEvent | null) => void;

/** The stream outlives its last listener by this time: another often follows. */
const idleMs = 30_000;
/** Between attempts to connect. */
const [leastPauseMs, mostPauseMs] = [100, 5_000];

export const createNews = (client: Pick<AgentClient, 'listen'>): News => {
  const listeners = createListeners(client);
  return {
    async until(look, isDone, { concerns, waitMs, signal }) {
      let found = await look();
      if (isDone(found) || waitMs <= 0 || signal.aborted) return { found, stop: null };
      const bell = createBell();
      let [isOver, stop, failure]: [boolean, Stop | null, AppError | null] = [false, null, null];
      const end = (): void => {
        isOver = true;
        bell.ring();
      };
      const timer = setTimeout(end, waitMs);
      signal.addEventListener('abort', end, { once: true });
      const leave = listeners.add((event) => {
        if (event?.type === 'stop' && Object.values(event.data).includes(true)) stop = event.data;
        if (stop !== null || event === null || concerns(event)) bell.ring();
      });
      try {
        for (;;) {
          await bell.rung();
          if (isOver) break;
          const asked = stop;
          const next = await look().catch(away);
          failure = next instanceof AppError ? next : null;
          if (next instanceof AppError) bell.ring();
          else found = next;
          if (failure === null && (isDone(found) || asked !== null)) break;
        }
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        leave();
      }
      if (failure !== null) throw failure as AppError;
      return { found, stop };
    },
  };
};

/** The treasury may be restarting. */
const away = (error: unknown): AppError => {
  if (error instanceof AppError && error.code === 'halted') return error;
  throw error;
};

/** The listeners of one stream, which is open as long as it has any, and a while longer. */
const createListeners = (client: Pick<AgentClient, 'listen'>) => {
  const listeners = new Set<Listener>();
  let stream: { closing: AbortController; isConnected: boolean } | null = null;
  let idle: NodeJS.Timeout | undefined;

  const open = (): void => {
    const opened = { closing: new AbortController(), isConnected: false };
    stream = opened;
    void keepOpen(client, opened.closing.signal, (event, isConnected) => {
      opened.isConnected = isConnected;
      for (const listener of listeners) listener(event);
    });
  };
  return {
    /** Returns a function that removes it. */
    add(listener: Listener): () => void {
      clearTimeout(idle);
      listeners.add(listener);
      if (stream === null) open();
      // News since the listener's own look went to the others alone.
      else if (stream.isConnected) listener(null);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(idle);
        idle = setTimeout(() => {
          stream?.closing.abort();
          stream = null;
        }, idleMs).unref();
      };
    },
  };
};

/**
 * Connects, and connects anew, until it is aborted. Every connection, end and failed attempt is passed on as null: so a
 * treasury that refuses the stream is asked at that pace.
 */
const keepOpen = async (
  client: Pick<AgentClient, 'listen'>,
  signal: AbortSignal,
  tell: (event: AgentEvent | null, isConnected: boolean) => void,
): Promise<void> => {
  let pauseMs = leastPauseMs;
  while (!signal.aborted) {
    const hear: Listener = (event) => {
      pauseMs = leastPauseMs;
      tell(event, true);
    };
    await client.listen(hear, signal).catch(() => {});
    tell(null, false);
    await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    pauseMs = Math.min(2 * pauseMs, mostPauseMs);
  }
};

/** A ring that nobody waited for reaches the next to wait. */
const createBell = () => {
  let isRung = false;
  let answer: (() => void) | null = null;
  return {
    ring(): void {
      isRung = true;
      answer?.();
    },
    async rung(): Promise<void> {
      if (!isRung) await new Promise<void>((resolve) => (answer = resolve));
      isRung = false;
    },
  };
};
