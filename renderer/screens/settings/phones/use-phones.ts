// Changes a phone wallet, and reads the list again.
import type { Work } from '../../../shared/hooks/use-work.ts';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { outdate } from '../../../stores/queries.ts';

export const usePhones = <A extends unknown[], R>(work: (...args: A) => Promise<R>): Work<A, R> =>
  useCommand(async (...args: A) => {
    const reply = await work(...args);
    outdate(['listPhoneWallets', 'listPhoneWords', 'phoneRequests']);
    return reply;
  });
