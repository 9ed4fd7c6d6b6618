// What is read of the chain: late readings, readings in doubt, draws read before they were recorded, and wallets that are
// found again.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDoubts } from '../../server/engine/records/doubts.ts';
import { findAgents } from '../../server/engine/records/find-agents.ts';
import { createFunds, type Funds } from '../../server/engine/records/funds.ts';
import type { Context } from '../../server/engine/payment/context.ts';
import type { Chain, Transfer } from '../../server/engine/ports.ts';
import { usdc } from '../../server/money.ts';
import { createCold, createColdSums } from '../../server/store/cold.ts';
import { openDatabase } from '../../server/store/database.ts';
import { createJournal } from '../../server/store/records/journal.ts';
import { useFolders } from '../harness/folders.ts';
import { openStore } from '../harness/engine/store.ts';
import { openTreasury, type Treasury } from '../harness/treasury.ts';

const newFolder = useFolders();

/** One that is older than another of the same account changes nothing, also where the later one was not stored. */
describe('a reading that arrives late', () => {
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
});

describe('balances in doubt', () => {
  let inDoubt: Set<string>;
  let read: string[][];
  beforeEach(() => {
    vi.useFakeTimers();
    [inDoubt, read] = [new Set(['a', 'b']), []];
  });
  afterEach(() => vi.useRealTimers());

  const transfer = { wallet: 'a', payee: 'b', source: null } as unknown as Transfer;
  const doubtsHere = () =>
    createDoubts(
      {
        store: {
          wallets: { get: (address: string) => ({ doubt: inDoubt.has(address) ? 1n : 0n }) },
          cold: { get: () => null },
        },
        log: { debug: () => {} },
      } as unknown as Pick<Context, 'store' | 'log'>,
      { wallets: async (addresses) => void read.push([...addresses]), cold: async () => {} },
    );

  it('are read once, however often a transfer moves on', () => {
    const doubts = doubtsHere();
    doubts.noticed(transfer);
    doubts.noticed(transfer);
    vi.runAllTimers();
    expect(read).toEqual([['a', 'b']]);
  });

  it('are not read once another reading has settled them', () => {
    const doubts = doubtsHere();
    doubts.noticed(transfer);
    inDoubt.delete('a');
    vi.runAllTimers();
    expect(read).toEqual([['b']]);
    doubts.noticed(transfer);
    inDoubt.clear();
    vi.runAllTimers();
    expect(read).toEqual([['b']]);
  });

  it('are not read after the end', async () => {
    for (const isWaiting of [true, false]) {
      const doubts = doubtsHere();
      if (isWaiting) doubts.noticed(transfer);
      await doubts.stop();
      doubts.noticed(transfer);
      vi.runAllTimers();
      expect(read).toEqual([]);
    }
  });
});

const openCold = () => {
  const db = openDatabase({ file: join(newFolder(), 't.db') });
  const sums = createColdSums(db);
  const cold = createCold(db, createJournal(db, Date.now), sums);
  db.transaction(() => cold.choose({ address: 'cold', since: 1, scannedTo: null }))();
  const read = (slot: number, allowance: bigint): void =>
    cold.read('cold', {
      slot,
      balance: usdc(100n),
      allowance: usdc(allowance),
      fault: null,
      mark: cold.mark(),
    });
  return { cold, sums, read };
};

describe('the account of a cold treasury, beside the draws that were recorded since', () => {
  it('a draw that was read in its own slot before it was recorded is not taken for a new allowance', () => {
    const { cold, sums, read } = openCold();
    read(10, 20n);
    sums.reserve('cold', 5n);
    read(12, 15n);
    sums.drawn('cold', 5n, 12);
    sums.reserve('cold', -5n);
    // Perhaps less than the truth, until the next reading.
    expect(cold.get()).toMatchObject({ allowance: 10n, granted: 20n, doubt: 10n });
    read(13, 15n);
    expect(cold.get()).toMatchObject({ allowance: 15n, granted: 20n, doubt: 0n });
  });

  it('an allowance that the owner raises, lowers or renews after draws is a new one', () => {
    const { cold, sums, read } = openCold();
    read(10, 20n);
    sums.drawn('cold', 5n, 12);
    expect(cold.get()).toMatchObject({ allowance: 15n, granted: 20n });
    read(13, 15n);
    read(14, 17n);
    expect(cold.get()).toMatchObject({ allowance: 17n, granted: 17n });
    read(15, 9n);
    expect(cold.get()).toMatchObject({ allowance: 9n, granted: 9n });
    read(16, 14n);
    expect(cold.get()).toMatchObject({ allowance: 14n, granted: 14n });
  });
});

/** The search ends twenty unseen wallets after the last one seen, unless the treasury's own history names one beyond. */
describe('a search for wallets that the chain has seen', () => {
  it.each([
    { used: [1, 20, 39], named: [], found: [1, 20, 39] },
    { used: [20, 40, 60], named: [20, 60], found: [20, 40, 60] },
    { used: [1, 22], named: [], found: [1] },
    { used: [], named: [], found: [] },
    // Two gaps, the second beyond the first; and one beyond what is named, with money from elsewhere.
    { used: [1, 22, 45, 60], named: [22, 45], found: [1, 22, 45, 60] },
    { used: [990], named: [990], found: [990] },
    { used: [1, 30], named: [1], found: [1] },
  ])(
    'of wallets $used the ones found, where $named are named, are $found',
    async ({ used, named, found }) => {
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
    },
  );
});
