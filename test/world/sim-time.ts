// The time of a simulated machine: this process's clock and timers are replaced, so that nothing happens by itself. It
// is never undone, so it needs a process of its own.

type Work = (...values: unknown[]) => void;

interface Timer {
  id: number;
  at: number;
  everyMs: number | null;
  run: () => void;
}

export interface SimTime {
  now(): number;
  /** Moves time at once; then every due timer runs once, in order, as after a long turn of the event loop. */
  pass(ms: number, settle: () => Promise<void>): Promise<void>;
  set(now: number): void;
  /** The process that had set the timers has ended. */
  dropTimers(): void;
}

export const installSimTime = (begin: number): SimTime => {
  let now = begin;
  let lastId = 0;
  const timers = new Map<number, Timer>();

  const add = (work: Work, ms: number, isRepeated: boolean, values: unknown[]): object => {
    lastId += 1;
    const id = lastId;
    const afterMs = Math.max(1, ms);
    timers.set(id, {
      id,
      at: now + afterMs,
      everyMs: isRepeated ? afterMs : null,
      run: () => work(...values),
    });
    const handle = { id, ref: () => handle, unref: () => handle, hasRef: () => false };
    return handle;
  };
  const remove = (handle: { id?: number } | null | undefined): void => void timers.delete(handle?.id ?? 0);

  Object.assign(globalThis, {
    setTimeout: (work: Work, ms = 1, ...values: unknown[]) => add(work, ms, false, values),
    setInterval: (work: Work, ms = 1, ...values: unknown[]) => add(work, ms, true, values),
    clearTimeout: remove,
    clearInterval: remove,
  });
  Date.now = () => now;
  performance.now = () => now - begin;

  return {
    now: () => now,
    async pass(ms, settle) {
      now += ms;
      const due = [...timers.values()]
        .filter(({ at }) => at <= now)
        .toSorted((a, b) => a.at - b.at || a.id - b.id);
      for (const timer of due) {
        if (!timers.has(timer.id)) continue;
        if (timer.everyMs === null) timers.delete(timer.id);
        else timer.at = now + timer.everyMs;
        timer.run();
        await settle();
      }
    },
    set: (time) => void (now = time),
    dropTimers: () => timers.clear(),
  };
};

/** One turn of the real event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
