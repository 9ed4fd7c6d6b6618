// Runs work at a moment of the chain's time: one timer for all of it, and `poke` after time was moved.
export interface Schedule {
  /** Runs at once if the moment has passed. Returns a function that cancels it. */
  at(ms: number, run: () => void): () => void;
  poke(): void;
  close(): void;
}

interface Entry {
  readonly ms: number;
  readonly run: () => void;
}

export const createSchedule = (now: () => number): Schedule => {
  const entries: Entry[] = [];
  let timer: NodeJS.Timeout | undefined;

  const arm = (): void => {
    clearTimeout(timer);
    const [next] = entries;
    timer = next && setTimeout(poke, Math.min(Math.max(next.ms - now(), 1), maxTimerMs));
  };
  const poke = (): void => {
    for (let next = entries[0]; next && next.ms <= now(); next = entries[0]) {
      entries.shift();
      next.run();
    }
    arm();
  };
  return {
    poke,
    at: (ms, run) => {
      if (ms <= now()) {
        run();
        return () => {};
      }
      const entry = { ms, run };
      entries.splice(entries.findLastIndex((other) => other.ms <= ms) + 1, 0, entry);
      if (entries[0] === entry) arm();
      return () => {
        const index = entries.indexOf(entry);
        if (index >= 0) entries.splice(index, 1);
      };
    },
    close: () => {
      clearTimeout(timer);
      entries.length = 0;
    },
  };
};

const maxTimerMs = 2 ** 31 - 1;
