// Wallets that the chain has seen are found again: the search ends twenty unseen wallets after the last one seen.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Context } from '../../server/engine/payment/context.ts';
import { findAgents } from '../../server/engine/records/restore.ts';
import { useFolders } from '../harness/folders.ts';
import { openStore } from '../harness/store.ts';

const newFolder = useFolders();

it.each([
  { used: [1, 20, 39], found: [1, 20, 39] },
  { used: [20, 40, 60], found: [20, 40, 60] },
  { used: [1, 22], found: [1] },
  { used: [], found: [] },
])('of wallets $used the ones found are $found', async ({ used, found }) => {
  const store = openStore(join(newFolder(), 't.db'));
  const asked: string[] = [];
  const context = {
    store,
    keys: { address: (index: number) => `wallet-${index}` },
    chain: {
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
