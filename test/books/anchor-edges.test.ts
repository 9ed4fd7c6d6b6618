// Anchors at the edges: a clock that ran ahead, entries that come while the tree is made, no SOL left, and a late switch.
import { afterEach, expect, it } from 'vitest';
import { finalUntil } from '../../server/books/final.ts';
import { createFaucet } from '../../server/solana/faucet.ts';
import { aDay, dayMs, openAnchoring, verifyText, type Anchoring } from '../harness/anchored.ts';
import { beforeSigning } from '../harness/before-signing.ts';
import { deploy, openTreasury, until } from '../harness/treasury.ts';

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});
const opened = async (): Promise<Anchoring> => {
  const books = await openAnchoring();
  closing.push(books.close);
  return books;
};

it('no day is final before it has ended, also by a clock that ran ahead and was set right', async () => {
  let aheadMs = 0;
  const clock = { wall: () => Date.now() + aheadMs, monotonic: () => performance.now() };
  const treasury = await openTreasury({ clock });
  closing.push(treasury.close);
  const { context } = treasury.host.engine;
  const scout = await deploy(treasury.client, 'scout', { dailyBudget: '50' });
  aheadMs = 3 * dayMs;
  context.time.trust();
  expect((await scout.pay('0.1')).status).toBe(200);
  aheadMs = 0;
  context.time.trust();
  await until('all to be settled', async () => {
    await context.funds.compare();
    return context.store.transfers.open().length === 0 && context.store.deposits.unsettled().length === 0;
  });
  expect(context.time.now()).toBeGreaterThan(Date.now() + 2 * dayMs);
  expect(finalUntil(context, 'UTC')).toBeLessThanOrEqual(Date.now());
});

it('an entry that comes into the span while its tree is made is in the anchor', async () => {
  const books = await opened();
  const { store } = books.host.engine.context;
  const scout = await deploy(books.client, 'scout', { dailyBudget: '50' });
  await books.pass(2 * dayMs);
  const enter = (id: string, wallet: string, later = 0): void => {
    for (const known of store.deposits.list(null, 1)) {
      store.deposits.insert({
        ...known,
        id,
        txSignature: id,
        wallet,
        status: 'confirmed',
        at: known.at + later,
      });
      store.deposits.settle(id, 'final');
    }
  };
  // Enough entries for several turns.
  store.atomically(() =>
    Array.from({ length: 200 }, (_, n) => enter(`dep_${n}`, books.owner, n === 0 ? 1_000 : 1)),
  );
  const { deposits } = store.books;
  let isLate = false;
  store.books.deposits = function* (span) {
    let read = 0;
    for (const one of deposits(span)) {
      yield one;
      read += 1;
      if (read !== 150 || isLate) continue;
      isLate = true;
      setImmediate(() => store.atomically(() => enter('dep_late', scout.wallet)));
    }
  };
  await books.final(1);
  store.books.deposits = deposits;
  const verdict = await verifyText(await books.statement(), books.owner, books.host.rpcUrl);
  expect([verdict.faults, isLate]).toEqual([[], true]);
});

it('a deposit that the RPC hid at the close of its month is told as a change as soon as an anchor finds it', async () => {
  const books = await opened();
  const { store, chain } = books.host.engine.context;
  const scout = await deploy(books.client, 'scout', { dailyBudget: '50' });
  const faucet = createFaucet(books.host.rpcUrl);
  const hidden = await faucet.fund(scout.wallet, 1_234_567n);
  faucet.close();
  await books.pass(40 * dayMs);
  const { listing, move } = chain;
  chain.listing = async function* (wallet) {
    for await (const page of listing(wallet)) yield page.filter(({ signature }) => signature !== hidden);
  };
  chain.move = async (wallet, signature) => {
    const found = await move(wallet, signature);
    return wallet === scout.wallet ? { ...found, balance: 10_000_000n } : found;
  };
  const monthNow = async () => (await books.client.get('/v1/books/months')).body['months'].at(-1);
  const { month } = await monthNow();
  await books.client.post(`/v1/books/months/${month}/close`, {});
  expect((await monthNow()).state).toBe('closed');
  Object.assign(chain, { listing, move });
  await books.final(1);
  expect((await monthNow()).state).toBe('changed');
  expect(store.books.hasDeposit(hidden, scout.wallet)).toBe(true);
});

it('without SOL for its fee it is not made, and the reason is told', async () => {
  const books = await opened();
  await books.pass(aDay);
  books.host.engine.context.chain.lamports = async () => 800_000n;
  await books.host.engine.context.funds.refreshLamports();
  await books.turn(true);
  const told = await until('the reason', async () => {
    const { waiting } = await books.anchors();
    return waiting.length > 0 && waiting;
  });
  expect(told).toEqual([expect.stringContaining('SOL')]);
});

it('one that is reserved and not signed ends when the owner switches it off', async () => {
  const books = await opened();
  await books.pass(aDay);
  const row = await beforeSigning(
    books,
    null,
    () => books.turn(true),
    () => books.turn(false),
  );
  expect([row.state, row.signed]).toEqual(['cancelled', null]);
});
