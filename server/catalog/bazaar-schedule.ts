// When each source is imported. Imports run one at a time, the most overdue first.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runPass, type PassDeps } from './bazaar-pass.ts';

interface BazaarSchedule {
  isRunning(sourceId: string): boolean;
  /** Runs what is due, and sets the timer for what comes next. */
  wake(): void;
  /** Does this work while the source has no pass and gets none. */
  without(sourceId: string, work: () => Promise<void>): Promise<void>;
  /** Imports what is due, now and from now on. */
  start(): void;
  /** Stops the pass under way where it is. */
  close(): Promise<void>;
}

const mostWaitMs = 3_600_000;
const tellEveryMs = 1_000;

/** @param tell reports how far a source is; it is called at most once a second, and at each pass's end */
export const createBazaarSchedule = (deps: PassDeps, tell: (sourceId: string) => void): BazaarSchedule => {
  const { store, time, log } = deps.context;
  let running: { sourceId: string; abort: AbortController; ended: Promise<void> } | null = null;
  const leaving = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isOpen = false;

  const wake = (): void => {
    clearTimeout(timer);
    if (!isOpen || running !== null) return;
    try {
      const sources = store.sources.list().filter(({ id }) => !leaving.has(id));
      const [next] = sources.toSorted((a, b) => a.nextRunAt - b.nextRunAt);
      if (next === undefined) return;
      const waitMs = next.nextRunAt - time.now();
      if (waitMs > 0) timer = setTimeout(wake, Math.min(waitMs, mostWaitMs)).unref();
      else run(next.id);
    } catch (error) {
      stop(error);
    }
  };

  /** Nothing more can be read or written: a pass continues where it was after the next start. */
  const stop = (error: unknown): void => {
    isOpen = false;
    log.warn({ err: error }, 'imports have stopped');
  };

  const run = (sourceId: string): void => {
    const abort = new AbortController();
    const work = async (): Promise<void> => {
      try {
        await runPass(deps, {
          sourceId,
          signal: abort.signal,
          onProgress: atMostEvery(tellEveryMs, () => tell(sourceId)),
        });
      } catch (error) {
        if (!abort.signal.aborted) stop(error);
      }
      running = null;
      tell(sourceId);
      wake();
    };
    // Its first step is taken in a later turn, when `running` is known.
    running = { sourceId, abort, ended: nextTurn().then(work).catch(stop) };
  };

  return {
    isRunning: (sourceId) => running?.sourceId === sourceId,
    wake,
    async without(sourceId, work) {
      leaving.add(sourceId);
      try {
        if (running?.sourceId === sourceId) {
          running.abort.abort();
          await running.ended;
        }
        await work();
      } finally {
        leaving.delete(sourceId);
        wake();
      }
    },
    start() {
      isOpen = true;
      wake();
    },
    async close() {
      isOpen = false;
      clearTimeout(timer);
      running?.abort.abort();
      await running?.ended;
    },
  };
};

const atMostEvery = (ms: number, work: () => void): (() => void) => {
  let doneAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - doneAt < ms) return;
    doneAt = performance.now();
    work();
  };
};
