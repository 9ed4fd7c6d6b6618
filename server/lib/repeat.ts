// Work that is done again and again with a pause between, never twice at once, and that an end waits for.

export interface Repeated {
  start(): void;
  /** Resolves when nothing of it is under way any more. */
  stop(): Promise<void>;
}

/** @param work never rejects */
export const repeat = (work: () => Promise<void>, pauseMs: number): Repeated => {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  const start = (): void => {
    timer = setTimeout(() => {
      running = work().finally(() => {
        if (!stopped) start();
      });
    }, untilTheNext(pauseMs));
  };

  return {
    start,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};

/** All works wake at the same moments, so that a treasury at rest seldom wakes the processor. At least half of `pauseMs`. */
const untilTheNext = (pauseMs: number): number => {
  const now = performance.now();
  return Math.ceil(now / pauseMs + 0.5) * pauseMs - now;
};
