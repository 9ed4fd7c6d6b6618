// Sends a command: busy while it is under way, its error afterwards. The screen then draws the next snapshot.
import { useState } from 'react';
import { refresh } from '../stores/treasury.ts';

interface Command<A extends unknown[], R> {
  run(...args: A): Promise<R | undefined>;
  isBusy: boolean;
  error: Error | null;
  reset(): void;
}

/** `run` resolves to undefined when the command was refused; `error` then says why. */
export const useCommand = <A extends unknown[], R>(work: (...args: A) => Promise<R>): Command<A, R> => {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  return {
    isBusy,
    error,
    reset: () => setError(null),
    async run(...args) {
      setBusy(true);
      setError(null);
      try {
        return await work(...args);
      } catch (failure) {
        setError(failure instanceof Error ? failure : new Error(String(failure)));
        return undefined;
      } finally {
        setBusy(false);
        void refresh();
      }
    },
  };
};
