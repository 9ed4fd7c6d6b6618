// SOL that comes in, on the real chain: what the books hold of it is what the treasury's wallet holds, to the lamport.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { lookAtClosedMonths } from '../../server/books/changed-months.ts';
import { closeMonth } from '../../server/books/close.ts';
import type { BooksContext } from '../../server/books/context.ts';
import { monthNamed } from '../../server/books/months.ts';
import { forEachEntry } from '../../server/books/pass.ts';
import { enterSolDeposits } from '../../server/books/sol-deposits.ts';
import { createTallies } from '../../server/books/tallies.ts';
import { setSolCursor, solCursor, solKnownSince } from '../../server/engine/records/opening.ts';
import { addService } from '../host/support.ts';
import { newWallet } from '../http/api-treasury.ts';
import { anchoringIn, dayMs, openAnchoring, verifyText, type Anchoring } from '../harness/chain/anchored.ts';
import { createDice } from '../harness/dice.ts';
import { useFolders } from '../harness/folders.ts';
import { deploy, instantly, rpcCall, until } from '../harness/treasury.ts';

let books: Anchoring;
afterEach(() => books.close());

const seed = 20_261_126;
const contextOf = (): BooksContext => books.host.engine.context;
const give = (lamports: number): Promise<string> =>
  rpcCall(books.host.rpcUrl, 'requestAirdrop', [books.owner, lamports]);
const onChain = async (): Promise<bigint> =>
  BigInt((await rpcCall(books.host.rpcUrl, 'getBalance', [books.owner])).value);
const inBooks = async (): Promise<bigint> => {
  const tallies = createTallies();
  await forEachEntry(contextOf().store, { from: 0, to: Number.MAX_SAFE_INTEGER }, tallies.add);
  return tallies.sol();
};
const settled = (): Promise<unknown> =>
  until('all to be final', () => contextOf().store.transfers.open().length === 0);
const solDeposits = (): bigint[] =>
  contextOf()
    .store.deposits.list(null, 100)
    .flatMap(({ asset, amount }) => (asset === 'SOL' ? [amount] : []));
const months = async (): Promise<{ month: string; state: string; root: string }[]> =>
  (await books.client.get('/v1/books/months')).body['months'];
const close = async (month = ''): Promise<{ state: string; differences: string[]; root: string }> =>
  (await books.client.post(`/v1/books/months/${month}/close`, {})).body as never;
const runningMonth = async (): Promise<string> => (await months())[0]?.month ?? '';

/** Random movements of SOL, and of USDC with their fees and rents: those that fail on the chain too. */
const live = async (steps: number): Promise<void> => {
  const dice = createDice(seed);
  const { client, host } = books;
  const scout = await deploy(client, 'scout', { dailyBudget: '50' });
  const freeze = (frozen: boolean) =>
    rpcCall(host.rpcUrl, 'sandbox_freezeUsdc', [scout.wallet, frozen]).then(() => undefined);
  const withdraw = (asset: 'SOL' | 'USDC', amount: string, key: string) =>
    client.post('/v1/treasury/withdraw', { asset, to: newWallet(), amount }, { key });
  for (let step = 0; step < steps; step += 1) {
    const kind = dice.pick(['give', 'dust', 'pay', 'fail', 'sol', 'usdc', 'opened']);
    const amount = 1 + Math.floor(dice.roll() * 5_000_000);
    if (kind === 'give') await give(amount);
    // As much as a phone sends with a word.
    if (kind === 'dust') await give(1_000);
    if (kind === 'pay') await scout.pay('0.01');
    if (kind === 'sol') await withdraw('SOL', '0.00' + String(1_000_000 + (amount % 1_000)), `sol ${step}`);
    if (kind === 'usdc') await withdraw('USDC', '0.5', `usdc ${step}`);
    if (kind === 'fail') {
      await freeze(true);
      await scout.pay('0.02');
      await settled();
      await freeze(false);
    }
    if (kind === 'opened') {
      // Somebody opens the account that our payment comes to open.
      const payee = newWallet();
      addService(host, `new-${step}`, payee);
      const { chain } = contextOf();
      const { broadcast } = chain;
      chain.broadcast = async (wire) => {
        await rpcCall(host.rpcUrl, 'sandbox_fundUsdc', [payee, '0']);
        await broadcast(wire);
      };
      const bought = { service: `new-${step}`, amount: '0.01', currency: 'USDC' };
      expect((await scout.client.post('/v1/agents/scout/pay', bought)).status).toBe(200);
      chain.broadcast = broadcast;
    }
  }
  await settled();
};

describe('a treasury', () => {
  it('has in its books the SOL that it has on the chain, and its month closes, is anchored and is proved', async () => {
    books = await openAnchoring();
    await live(24);
    await enterSolDeposits(contextOf());
    expect(await inBooks()).toBe(await onChain());
    expect(solDeposits()).toContain(1_000n);
    // What was given at its first start is no opening.
    expect(contextOf().store.books.openings()).toEqual([]);
    const month = await runningMonth();
    await books.pass(45 * dayMs);
    await books.final(1);
    const closed = await close(month);
    expect(closed).toMatchObject({ state: 'closed', differences: [] });
    expect(await inBooks()).toBe(await onChain());
    // After a reconciliation, the records of SOL begin anew.
    const { store } = contextOf();
    store.atomically(() => setSolCursor(store, null));
    await enterSolDeposits(contextOf());
    expect(store.books.openings()).toMatchObject([{ wallet: null, amount: 0n }]);
    expect(await inBooks()).toBe(await onChain());
    const { now } = (await books.client.get(`/v1/books/months/${month}/totals`)).body;
    expect(now.solDeposits.entries).toBe(solDeposits().length);
    expect((await verifyText(await books.statement(), books.owner, books.host.rpcUrl)).faults).toEqual([]);
  });
});

describe('a month', () => {
  it('differs when the RPC hides a deposit or a debit of SOL, and names a debit that no row explains', async () => {
    books = await openAnchoring();
    await enterSolDeposits(contextOf());
    const hidden = await give(5_000);
    await give(7_000);
    const scout = await deploy(books.client, 'scout', { dailyBudget: '50' });
    await scout.pay('0.01');
    const month = await runningMonth();
    await books.pass(45 * dayMs);
    const context = contextOf();
    const { chain } = context;
    const closeBy = async (changed: Partial<typeof chain>): Promise<readonly string[]> => {
      const lying = { ...context, chain: { ...chain, ...changed } };
      return (await closeMonth(lying, monthNamed(lying, month))).differences;
    };
    const hiding = await closeBy({
      solListing: async (wallet, range) =>
        (await chain.solListing(wallet, range)).filter(({ signature }) => signature !== hidden),
    });
    expect(hiding).toEqual([expect.stringMatching(/^At the month’s end the treasury held \d.* SOL on the/)]);
    // The deposit is found, and what a fee took is shown as higher than it is booked.
    expect(await closeBy({})).toEqual([]);
    const [newest] = await chain.solListing(books.owner, {});
    const stranger = 'S'.repeat(88);
    const strange = await closeBy({
      solListing: async (wallet, range) => {
        const page = await chain.solListing(wallet, range);
        const last = page[0];
        return last === undefined || range.before !== undefined
          ? page
          : [{ ...last, signature: stranger }, ...page];
      },
      solMove: async (wallet, signature) => {
        if (signature !== stranger) return chain.solMove(wallet, signature);
        const known = await chain.solMove(wallet, newest?.signature ?? '');
        return known && { ...known, signature, change: -5_000n, balance: known.balance - 5_000n };
      },
    });
    expect(strange[0]).toContain(`Transaction ${stranger} moved -0.000005 SOL of the treasury`);
    expect(strange[1]).toMatch(/^At the month’s end the treasury held \d.* SOL/);
    expect(strange).toHaveLength(2);
  });
});

describe('a month whose last payment failed before its end and was seen after it', () => {
  it('closes, though the fee is in the books of the next', async () => {
    books = await openAnchoring();
    const { store, chain } = contextOf();
    const scout = await deploy(books.client, 'scout', { dailyBudget: '50' });
    const { time } = contextOf();
    // Not in the last minutes of a month.
    if (monthNamed(contextOf(), await runningMonth()).to - time.now() < dayMs / 2) await books.pass(dayMs);
    const month = await runningMonth();
    const { to } = monthNamed(contextOf(), month);
    await books.pass(to - time.now() - 600_000);
    await rpcCall(books.host.rpcUrl, 'sandbox_freezeUsdc', [scout.wallet, true]);
    const { sightings, onConfirmed } = chain;
    chain.sightings = async (signatures) => ({
      ...(await sightings(signatures)),
      found: signatures.map(() => null),
    });
    chain.onConfirmed = () => () => {};
    const before = await onChain();
    const paying = scout.pay('0.01');
    await until('the fee', async () => (await onChain()) < before);
    await books.pass(1_200_000, { isSettled: false });
    Object.assign(chain, { sightings, onConfirmed });
    await paying;
    await settled();
    expect(store.transfers.list({ states: ['failed'], limit: 1 })[0]?.endedAt).toBeGreaterThan(to);
    await books.pass(600_000);
    expect(await close(month)).toMatchObject({ state: 'closed', differences: [] });
    expect(await inBooks()).toBe(await onChain());
  });
});

describe('an upgraded treasury', () => {
  const newFolder = useFolders();
  /** As a version leaves it that recorded no SOL. This one cannot begin to before `begin` is called. */
  const upgraded = async () => {
    const dataDir = newFolder();
    await (await anchoringIn({ args: instantly, aheadMs: 0, dataDir })).close();
    const db = new Database(join(dataDir, 'sandbox', 'treasury.db'));
    db.exec(`DELETE FROM deposit WHERE asset = 'SOL'; DELETE FROM meta WHERE name = 'sol-until'`);
    db.close();
    books = await anchoringIn({ args: instantly, aheadMs: 0, dataDir });
    const { chain } = contextOf();
    const { solMove } = chain;
    chain.solMove = async () => null;
    return {
      begin: async () => {
        chain.solMove = solMove;
        await enterSolDeposits(contextOf());
      },
    };
  };

  it('keeps its closed month, begins with an opening, and closes the first whole month after it', async () => {
    const { begin } = await upgraded();
    const context = contextOf();
    const { store } = context;
    await live(12);
    expect(solDeposits()).toEqual([]);
    const month = await runningMonth();
    await books.pass(45 * dayMs);
    const closed = await close(month);
    expect(closed).toMatchObject({ state: 'closed', differences: [] });
    expect([solCursor(store), solKnownSince(store)]).toEqual([null, null]);
    await begin();
    expect(store.books.openings()).toHaveLength(1);
    expect(solDeposits()).toEqual([]);
    expect(await inBooks()).toBe(await onChain());
    await give(123_456);
    await enterSolDeposits(context);
    expect(solDeposits()).toEqual([123_456n]);
    expect(await lookAtClosedMonths(context)).toEqual([]);
    expect((await close(month)).root).toBe(closed.root);
    // The month of the opening is not compared in SOL, and the next one is.
    const second = await runningMonth();
    await books.pass(40 * dayMs);
    expect(await close(second)).toMatchObject({ state: 'closed' });
    const third = await runningMonth();
    await give(654_321);
    await books.pass(40 * dayMs);
    expect(await close(third)).toMatchObject({ state: 'closed', differences: [] });
    expect(await inBooks()).toBe(await onChain());
  });

  it('begins below a row that is still open, so that nothing is counted twice', async () => {
    const { begin } = await upgraded();
    const { store, chain } = contextOf();
    const { sightings, onConfirmed } = chain;
    const scout = await deploy(books.client, 'scout', { dailyBudget: '50' });
    await settled();
    // It lands, and the treasury does not see it.
    chain.sightings = async (signatures) => ({
      ...(await sightings(signatures)),
      found: signatures.map(() => null),
    });
    chain.onConfirmed = () => () => {};
    const held = await onChain();
    const paying = scout.pay('0.01');
    await until('the fee', async () => (await onChain()) < held);
    await give(9_000);
    await begin();
    expect(store.transfers.open()).toHaveLength(1);
    expect(solKnownSince(store)).not.toBeNull();
    Object.assign(chain, { sightings, onConfirmed });
    await paying;
    await settled();
    await enterSolDeposits(contextOf());
    expect(solDeposits()).toEqual([9_000n]);
    expect(await inBooks()).toBe(await onChain());
  });
});
