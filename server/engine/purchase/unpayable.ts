// Counts the sellers that ask an agent for what this treasury cannot pay with, for the owner. It decides nothing.
import { AppError } from '../../errors.ts';
import type { EngineContext } from '../calls/call.ts';
import type { Agent, Demand, Offer } from '../ports.ts';

/**
 * The offers that `read` finds, or its refusal once that is counted. Call it outside of transactions: the refusal undoes them.
 * @param resource the URL that was asked for, or `mcp:NAME`
 */
export const offersFrom = (
  { store, time, publish }: EngineContext,
  { agentId }: Agent,
  resource: string,
  read: () => readonly Offer[],
): readonly Offer[] => {
  try {
    return read();
  } catch (error) {
    const wanted = error instanceof AppError ? (error.details?.['wanted'] as Demand | undefined) : undefined;
    if (wanted !== undefined) {
      const { origin } = new URL(resource);
      const seller = origin === 'null' ? resource : origin;
      store.lazily(() => store.refusals.countSeller({ ...wanted, seller, agentId, at: time.now() }));
      publish({ type: 'service', serviceId: seller });
    }
    throw error;
  }
};
