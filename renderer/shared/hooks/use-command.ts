// Sends a command: busy until its reply, then with its error, if any. The screen draws the next snapshot.
import type { OwnerRoute } from '../../../server/contract/owner-api.ts';
import { outdate } from '../../stores/queries.ts';
import { refresh } from '../../stores/treasury.ts';
import { useWork, type Work } from './use-work.ts';

/** `run` resolves to undefined when the command was refused; `error` then says why. */
export const useCommand = <A extends unknown[], R>(work: (...args: A) => Promise<R>): Work<A, R> =>
  useWork(async (...args: A) => {
    try {
      return await work(...args);
    } finally {
      void refresh();
    }
  });

/** The same, for what makes these routes' replies out of date. */
export const useChange = <A extends unknown[], R>(
  outdated: readonly OwnerRoute[],
  work: (...args: A) => Promise<R>,
): Work<A, R> =>
  useCommand(async (...args: A) => {
    const reply = await work(...args);
    outdate(outdated);
    return reply;
  });
