// The ground of an attack: a treasury, a seller whom the agent has paid and may pay no more, and a thief's wallet.
import { Keypair } from '@solana/web3.js';
import type { Store } from '../../../server/engine/ports.ts';
import { openTreasury, rpcCall, until, type TestAgent, type Treasury } from '../../harness/treasury.ts';

export interface Ground {
  treasury: Treasury;
  store: Store;
  thief: string;
  settled(): Promise<unknown>;
  close(): Promise<void>;
}

const newAddress = (): string => Keypair.generate().publicKey.toBase58();

export const openGround = async (dataDir: string): Promise<Ground> => {
  const treasury = await openTreasury({ dataDir });
  const { store } = treasury.host.engine.context;
  const weather = store.services.get('sandbox-weather');
  if (weather === undefined) throw new Error('the sandbox sells the weather');
  const unlisted = { ...weather, id: 'unlisted', name: 'Unlisted', payees: [newAddress()] };
  store.atomically(() => store.services.upsert(unlisted));
  const stopExpiring = keepExpiring(treasury);
  let closed: Promise<void> | undefined;
  return {
    treasury,
    store,
    thief: newAddress(),
    settled: () => until('all to be final', () => store.transfers.open().length === 0),
    close() {
      stopExpiring();
      return (closed ??= treasury.close());
    },
  };
};

/**
 * A payment that a stop met between signing and sending is proven expired once its blockhash has expired, a minute later:
 * this makes the minute pass at once. Returns the end of it.
 */
export const keepExpiring = ({ host }: Treasury): (() => void) => {
  const expireUnsent = async (): Promise<void> => {
    const open = host.engine.context.store.transfers.open();
    if (open.some(({ state }) => state === 'unknown')) await rpcCall(host.rpcUrl, 'sandbox_warp', [300]);
  };
  const expiring = setInterval(() => void expireUnsent(), 500);
  return () => clearInterval(expiring);
};

/** The owner lets the agent pay both sellers once: from here on only a list of services keeps it from one of them. */
export const introduce = async ({ treasury: { client } }: Ground, agent: TestAgent): Promise<void> => {
  for (const service of ['sandbox-weather', 'unlisted']) {
    const body = { service, amount: '0.01', currency: 'USDC' };
    const first = await agent.client.post(`/v1/agents/${agent.agentId}/pay`, body, { prefer: 'wait=0' });
    const { body: shown } = await client.get(`/v1/approvals/${first.body['approvalId']}`);
    await client.post(`/v1/approvals/${shown['approvalId']}/grant`, { hash: shown['hash'] });
  }
};
