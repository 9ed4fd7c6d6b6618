// Tracks the transfers that some call waits for, so that no other call resumes them, and the wishes that some call asks
// for, from its arrival on, when there is no transfer yet.

/** Transfers that some call waits for now, by id, and wishes that some call asks for now, by hash. */
export interface Attended {
  has(name: string): boolean;
  /** Whether a call other than that of `over` attends it. */
  hasOther(name: string, over: AbortSignal): boolean;
  /** Until `over` is aborted. Idempotent. */
  attend(name: string, over: AbortSignal): void;
  /** The call of `over` waits for it no longer. Idempotent. */
  leave(name: string, over: AbortSignal): void;
}

export const createAttended = (): Attended => {
  const calls = new Map<string, Set<AbortSignal>>();
  const leave = (name: string, over: AbortSignal): void => {
    const own = calls.get(name);
    own?.delete(over);
    if (own?.size === 0) calls.delete(name);
  };
  return {
    leave,
    has: (name) => calls.has(name),
    hasOther(name, over) {
      const own = calls.get(name);
      return own !== undefined && own.size > (own.has(over) ? 1 : 0);
    },
    attend(name, over) {
      const own = calls.get(name) ?? new Set();
      if (over.aborted || own.has(over)) return;
      calls.set(name, own.add(over));
      over.addEventListener('abort', () => leave(name, over), { once: true });
    },
  };
};
