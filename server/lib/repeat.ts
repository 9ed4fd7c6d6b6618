// Runs work repeatedly with a pause in between, never concurrently. `stop` waits for the current run.

export interface Repeated {
  start(): void;
  /** Resolves once the current run has ended. */
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

/** All timers fire at the same moments, so that an idle treasury rarely wakes the CPU. At least half of `pauseMs`. */
const untilTheNext = (pauseMs: number): number => {
  const now = performance.now();
  return Math.ceil(now / pauseMs + 0.5) * pauseMs - now;
};
