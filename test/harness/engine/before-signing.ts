// Holds a transfer between its reservation and its signature.
import type { Transfer } from '../../../server/engine/ports.ts';
import { until, type Treasury } from '../treasury.ts';

/** Does something while a transfer of the agent, or of none, is reserved and not yet signed. Returns it once it was signed or ended. */
export const beforeSigning = async (
  { host }: Pick<Treasury, 'host'>,
  agentId: string | null,
  pay: () => Promise<unknown>,
  meanwhile: () => unknown,
): Promise<Transfer> => {
  const { chain, store } = host.engine.context;
  const { lifetime } = chain;
  const { promise, resolve } = Promise.withResolvers<void>();
  chain.lifetime = async () => {
    await promise;
    return lifetime();
  };
  try {
    const asked = pay();
    const row = await until('its reservation', () =>
      store.transfers.openOf(agentId).find((one) => one.state === 'reserved'),
    );
    await meanwhile();
    resolve();
    await asked;
    return await until('its end', () => {
      const now = store.transfers.get(row.id);
      return now?.state === 'reserved' ? undefined : now;
    });
  } finally {
    chain.lifetime = lifetime;
  }
};
