// Which transfers some call waits for: what is attended is not gone on with by another call.

/** Transfers that some call waits for now. */
export interface Attended {
  has(id: string): boolean;
  /** Until `over`. */
  attend(id: string, over: AbortSignal): void;
}

export const createAttended = (): Attended => {
  const calls = new Map<string, number>();
  const leave = (id: string): void => {
    const left = (calls.get(id) ?? 1) - 1;
    if (left === 0) calls.delete(id);
    else calls.set(id, left);
  };
  return {
    has: (id) => calls.has(id),
    attend(id, over) {
      if (over.aborted) return;
      calls.set(id, (calls.get(id) ?? 0) + 1);
      over.addEventListener('abort', () => leave(id), { once: true });
    },
  };
};
