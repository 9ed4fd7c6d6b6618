// Fairness between payments and everything else: a limited number of payments advances in each turn of the event loop,
// so that a stop, which queues like everything else, never waits long. And fairness between agents: waiting lanes are
// served round-robin, however long one of them is.

export interface Turns {
  /** Resolves in this turn, or in the first later one that has room. Within a lane, calls resolve in their order. */
  next(lane?: string): Promise<void>;
}

/** @param most the number admitted in one turn of the event loop */
export const createTurns = (most: number): Turns => {
  let left = most;
  let isScheduled = false;
  const waiting = createLanes<() => void>();

  const begin = (): void => {
    isScheduled = false;
    left = most;
    for (; left > 0; left -= 1) {
      const admit = waiting.take();
      if (admit === undefined) break;
      admit();
      schedule();
    }
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(begin);
  };

  return {
    next(lane = '') {
      schedule();
      if (left > 0 && waiting.isEmpty()) {
        left -= 1;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.add(lane, resolve));
    },
  };
};

interface Lanes<T> {
  add(lane: string, item: T, isFirst?: boolean): void;
  /** Takes the oldest item of the lane whose turn it is; that lane then goes to the back. */
  take(mayGo?: (lane: string) => boolean): T | undefined;
  /** False when it was already taken. */
  remove(lane: string, item: T): boolean;
  isEmpty(): boolean;
}

/** Queues served round-robin. */
export const createLanes = <T>(): Lanes<T> => {
  /** In the order of their turns; none is empty. */
  const lanes = new Map<string, T[]>();
  return {
    add(lane, item, isFirst = false) {
      const queue = lanes.get(lane) ?? [];
      lanes.set(lane, queue);
      if (isFirst) queue.unshift(item);
      else queue.push(item);
    },
    take(mayGo = () => true) {
      for (const [lane, queue] of lanes) {
        if (!mayGo(lane)) continue;
        const item = queue.shift();
        lanes.delete(lane);
        if (queue.length > 0) lanes.set(lane, queue);
        return item;
      }
      return undefined;
    },
    remove(lane, item) {
      const queue = lanes.get(lane) ?? [];
      const index = queue.indexOf(item);
      if (index < 0) return false;
      queue.splice(index, 1);
      if (queue.length === 0) lanes.delete(lane);
      return true;
    },
    isEmpty: () => lanes.size === 0,
  };
};
