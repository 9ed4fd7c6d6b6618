// A store with one agent, and the payments of that agent.
import type { Store } from '../../server/engine/ports.ts';
import { reservedPayment, type PaymentRow } from '../harness/engine/payment-row.ts';
import { openStore } from '../harness/engine/store.ts';

const wallet = { agentId: 'a', walletIndex: 1, wallet: 'wallet' };

export const storeWithAgent = (file: string, now?: () => number): Store => {
  const store = openStore(file, now);
  const agent = { agentId: 'a', displayName: 'a', status: 'active', statusReason: null } as const;
  store.atomically(() => {
    store.wallets.add({ address: 'treasury', index: 0, agentId: null });
    store.agents.insert({ ...agent, createdAt: 1, archivedAt: null }, () => wallet.wallet);
  });
  return store;
};

/** Of 1 unit, at the time 1. */
export const paymentOf = (id: string, change: Partial<PaymentRow> = {}) =>
  reservedPayment({ ...wallet, id, amount: 1n, createdAt: 1, ...change });
