// Wallets that the chain has seen are found again: the search ends twenty unseen wallets after the last one seen, unless
// the treasury's own history names one beyond.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Context } from '../../server/engine/payment/context.ts';
import { findAgents } from '../../server/engine/records/find-agents.ts';
import { useFolders } from '../harness/folders.ts';
import { openStore } from '../harness/store.ts';

const newFolder = useFolders();

it.each([
  { used: [1, 20, 39], named: [], found: [1, 20, 39] },
  { used: [20, 40, 60], named: [20, 60], found: [20, 40, 60] },
  { used: [1, 22], named: [], found: [1] },
  { used: [], named: [], found: [] },
  // Two gaps, the second beyond the first; and one beyond what is named, with money from elsewhere.
  { used: [1, 22, 45, 60], named: [22, 45], found: [1, 22, 45, 60] },
  { used: [990], named: [990], found: [990] },
  { used: [1, 30], named: [1], found: [1] },
])('of wallets $used the ones found, where $named are named, are $found', async ({ used, named, found }) => {
  const store = openStore(join(newFolder(), 't.db'));
  const asked: string[] = [];
  const context = {
    store,
    keys: {
      address: (index: number) => `wallet-${index}`,
      indexOf: async (address: string, end: number) => {
        const index = Number(/^wallet-(\d+)$/.exec(address)?.[1] ?? end);
        return index < end ? index : null;
      },
    },
    settings: { owner: 'treasury' },
    chain: {
      balances: async () => ({ slot: 1, units: [] }),
      async *history(wallet: string) {
        expect(wallet).toBe('treasury');
        yield [null, 'stranger', ...named.map((index) => `wallet-${index}`)].map((counterparty) => ({
          counterparty,
        }));
      },
      used: async (wallets: readonly string[]) => {
        asked.push(...wallets);
        return wallets.map((wallet) => used.some((index) => wallet === `wallet-${index}`));
      },
    },
    time: { now: () => 1_800_000_000_000 },
    log: { info() {} },
  } as unknown as Context;
  await findAgents(context);
  expect(store.agents.list().map(({ walletIndex }) => walletIndex)).toEqual(found);
  expect(new Set(asked).size).toBe(asked.length);
  store.close();
});
