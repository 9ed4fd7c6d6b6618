// The calls that wait for the outcome of a transfer or an approval.
import { AppError } from '../../../errors.ts';

export interface Outcomes {
  /** Resolves when `done` holds or `ms` have passed. @throws AppError `unauthorized` if the API key is revoked */
  wait(id: string, done: () => boolean, ms: number, keyId: string | null): Promise<void>;
  changed(id: string): void;
  endWaitsOf(keyId: string): void;
  /** Ends every wait, at shutdown. */
  close(): void;
  /** Rejects every wait, now and later, with the reason why no outcome can be known. */
  halt(error: AppError): void;
}

interface Waiter {
  done: () => boolean;
  keyId: string | null;
  end: (error?: AppError) => void;
}

export const createOutcomes = (): Outcomes => {
  const waiters = new Map<string, Set<Waiter>>();

  let halted: AppError | null = null;

  return {
    halt(error) {
      halted = error;
      for (const set of waiters.values()) for (const waiter of set) waiter.end(error);
    },
    wait(id, done, ms, keyId) {
      if (ms <= 0 || done()) return Promise.resolve();
      if (halted !== null) return Promise.reject(halted);
      return new Promise((resolve, reject) => {
        const set = waiters.get(id) ?? new Set<Waiter>();
        waiters.set(id, set);
        const waiter: Waiter = {
          done,
          keyId,
          end(error) {
            clearTimeout(timer);
            set.delete(waiter);
            if (set.size === 0 && waiters.get(id) === set) waiters.delete(id);
            if (error === undefined) resolve();
            else reject(error);
          },
        };
        const timer = setTimeout(() => waiter.end(), ms);
        set.add(waiter);
      });
    },
    changed(id) {
      for (const waiter of waiters.get(id) ?? []) if (waiter.done()) waiter.end();
    },
    endWaitsOf(keyId) {
      for (const set of waiters.values()) {
        for (const waiter of set) {
          if (waiter.keyId === keyId) waiter.end(new AppError('unauthorized', 'This API key was revoked.'));
        }
      }
    },
    close() {
      for (const set of waiters.values()) for (const waiter of set) waiter.end();
    },
  };
};
