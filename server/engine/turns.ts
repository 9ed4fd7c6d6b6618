// Fairness between payments and everything else: however many payments come at once, one turn of the event loop takes
// forward only some of them, so that a stop, which waits for its turn like everybody, waits for little.

export interface Turns {
  /** Resolves in this turn, or in the first later one that has room. In the order of the calls. */
  next(): Promise<void>;
}

/** @param most so many in one turn */
export const createTurns = (most: number): Turns => {
  let left = most;
  let isScheduled = false;
  let waiting: (() => void)[] = [];

  const begin = (): void => {
    isScheduled = false;
    left = most;
    const admitted = waiting.slice(0, most);
    waiting = waiting.slice(most);
    left -= admitted.length;
    for (const admit of admitted) admit();
    if (admitted.length > 0) schedule();
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(begin);
  };

  return {
    next() {
      schedule();
      if (left > 0 && waiting.length === 0) {
        left -= 1;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
};
