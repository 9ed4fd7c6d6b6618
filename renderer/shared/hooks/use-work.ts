// Runs asynchronous work: busy until it ends, then with its error, if any.
import { useEffect, useState } from 'react';
import { Unreachable } from '../../api/unreachable.ts';
import { useConnection } from '../../stores/connection.ts';

export interface Work<A extends unknown[], R> {
  run(...args: A): Promise<R | undefined>;
  isBusy: boolean;
  error: Error | null;
  reset(): void;
}

/** `run` resolves to undefined when the work failed; `error` then says why. */
export const useWork = <A extends unknown[], R>(work: (...args: A) => Promise<R>): Work<A, R> => {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const phase = useConnection((state) => state.phase);
  useEffect(() => {
    // The treasury can be reached again, so the note is no longer true.
    if (phase === 'connected') setError((before) => (before instanceof Unreachable ? null : before));
  }, [phase]);
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
      }
    },
  };
};
