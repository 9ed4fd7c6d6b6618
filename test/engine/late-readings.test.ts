// Readings of the chain that arrive late: one that is older than another of the same account changes nothing, also where
// the later one showed what was known, and was not stored.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFunds, type Funds } from '../../server/engine/records/funds.ts';
import type { Chain } from '../../server/engine/ports.ts';
import { usdc } from '../../server/money.ts';
import { openTreasury, type Treasury } from '../harness/treasury.ts';

let treasury: Treasury;
const [stranger, far] = ['So11111111111111111111111111111111111111112', 1_000_000_000];
/** What the RPC answers next. */
let next = { slot: far, units: 0n };
let funds: Funds;
beforeAll(async () => {
  treasury = await openTreasury();
  const { context } = treasury.host.engine;
  const chain: Chain = {
    ...context.chain,
    balances: async (wallets) => ({ slot: next.slot, units: wallets.map(() => usdc(next.units)) }),
    coldAccount: async () => {
      const [balance, allowance] = [usdc(next.units), usdc(next.units)];
      return { slot: next.slot, balance, allowance, fault: null };
    },
    moves: async function* () {},
    unitsAside: async () => 0n,
    latestSlot: async () => 2 * far,
  };
  funds = createFunds({ ...context, chain });
});
afterAll(() => treasury.close());

const read = async (slot: number, units: bigint): Promise<void> => {
  next = { slot: far + slot, units };
  await funds.compare();
};

it('a balance of a wallet does not go back', async () => {
  const { store } = treasury.host.engine.context;
  const held = () => store.wallets.get(treasury.owner)?.balance;
  for (const [slot, units] of [
    [1, 5n],
    [9, 5n],
    [4, 3n],
  ] as const)
    await read(slot, units);
  expect(held()).toBe(5n);
  await read(9, 6n);
  expect(held()).toBe(6n);
});

it('a balance after a move of the history is entered, which a reading has outrun that changed nothing', async () => {
  const { store, time } = treasury.host.engine.context;
  const past = { balance: usdc(4n), slot: far + 12, now: time.now(), mark: store.wallets.mark() };
  await read(9, 6n);
  await read(15, 6n);
  store.wallets.read(treasury.owner, past);
  expect(store.wallets.get(treasury.owner)?.balance).toBe(6n);
  store.wallets.readPast(treasury.owner, past);
  expect(store.wallets.get(treasury.owner)?.balance).toBe(4n);
});

it('balance and allowance of a cold treasury do not go back', async () => {
  const { store } = treasury.host.engine.context;
  store.atomically(() => store.cold.follow({ address: stranger, scannedTo: null }));
  const reach = () => store.cold.account(stranger)?.allowance;
  for (const [slot, units] of [
    [11, 5n],
    [19, 5n],
    [14, 7n],
  ] as const)
    await read(slot, units);
  expect(reach()).toBe(5n);
  await read(20, 7n);
  expect(reach()).toBe(7n);
});
