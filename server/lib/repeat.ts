// Runs work repeatedly with a pause in between, never concurrently. A run that fails is reported, and the next one comes
// all the same: a rejection that nobody handles would end the process.

export interface Repeated {
  start(): void;
  /** Resolves once the current run has ended; never rejects. */
  stop(): Promise<void>;
}

/** @param failed is called with why a run failed */
export const repeat = (
  work: () => void | Promise<void>,
  pauseMs: number,
  failed: (error: unknown) => void,
): Repeated => {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  const run = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      failed(error);
    }
    if (!stopped) start();
  };
  const start = (): void => {
    timer = setTimeout(() => {
      running = run();
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
