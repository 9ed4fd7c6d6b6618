// The close of a month on the real chain: what agrees, and everything that does not.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BooksContext } from '../../server/books/context.ts';
import { closeMonth } from '../../server/books/close.ts';
import { monthNamed } from '../../server/books/months.ts';
import { lookAtClosedMonths } from '../../server/books/changed-months.ts';
import { createFaucet } from '../../server/solana/faucet.ts';
import { newWallet } from '../http/api-treasury.ts';
import { chainRead } from '../harness/chain-read.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';

const dayMs = 86_400_000;
let ahead = 0;
const clock = { wall: () => Date.now() + ahead, monotonic: () => performance.now() + ahead };

let treasury: Treasury;
let scout: TestAgent;
let month: string;

beforeEach(async () => {
  ahead = 0;
  treasury = await openTreasury({ clock });
  scout = await deploy(treasury.client, 'scout');
  month = (await treasury.client.get('/v1/books/months')).body['months'][0].month;
  for (const amount of ['0.1', '0.25', '0.000001']) await scout.pay(amount);
  await treasury.client.post('/v1/agents/scout/recall', { amount: '1' });
  await treasury.client.post(
    '/v1/treasury/withdraw',
    { asset: 'USDC', to: newWallet(), amount: '2' },
    { key: 'out' },
  );
});
afterEach(() => treasury.close());

/** The next month, with everything settled and read. */
const nextMonth = async (): Promise<void> => {
  const { store } = treasury.host.engine.context;
  await until('all to be final', () => store.transfers.open().length === 0);
  await until('the deposit to be final', () => store.deposits.unsettled().length === 0);
  ahead = 40 * dayMs;
  await chainRead(treasury, clock.wall);
};

const close = async () => (await treasury.client.post(`/v1/books/months/${month}/close`, {})).body;
const monthNow = async () =>
  (await treasury.client.get('/v1/books/months')).body['months'].find(
    (one: { month: string }) => one.month === month,
  );

describe('a month', () => {
  it('that has ended is closed when journal, chain and file agree, and stays so', async () => {
    expect(await monthNow()).toMatchObject({ state: 'running' });
    const early = await treasury.client.post(`/v1/books/months/${month}/close`, {});
    expect([early.status, early.text]).toEqual([409, expect.stringContaining('cannot be closed yet')]);
    await nextMonth();
    expect(await monthNow()).toMatchObject({ state: 'open', waiting: [] });
    const closed = await close();
    expect(closed).toMatchObject({ month, state: 'closed', differences: [] });
    // The deposits of USDC and SOL, six transfers with a fee each, and the rent of two accounts.
    expect(closed['entries']).toBe(2 + 6 * 2 + 2);
    expect(await lookAtClosedMonths(treasury.host.engine.context)).toEqual([]);
    expect(await close()).toMatchObject({ root: closed['root'], state: 'closed' });
  });

  it('enters what an agent’s wallet was paid from outside, and closes', async () => {
    const faucet = createFaucet(treasury.host.rpcUrl);
    await faucet.fund(scout.wallet, 1_234_567n);
    faucet.close();
    await nextMonth();
    expect(await close()).toMatchObject({ state: 'closed', differences: [] });
    const deposits = async (): Promise<string[]> =>
      (await treasury.client.get('/v1/treasury/deposits')).body['deposits']
        .map(({ amount, currency }: Record<string, string>) => `${amount} ${currency}`)
        .toSorted();
    const all = ['1.234567 USDC', '10.00 SOL', '1000.00 USDC'];
    expect(await deposits()).toEqual(all);
    expect(await close()).toMatchObject({ state: 'closed', differences: [] });
    expect(await deposits()).toEqual(all);
  });

  it('names what the chain shows otherwise: a row, a time, a balance, and what the journal lacks', async () => {
    await nextMonth();
    const { context } = treasury.host.engine;
    const { store, chain } = context;
    const [withdrawal] = store.transfers.list({ kinds: ['withdrawal'], limit: 1 });
    const [recalled] = store.transfers.list({ kinds: ['recall'], limit: 1 });
    const hidden = withdrawal?.signed?.signature;
    const stranger = 'S'.repeat(88);
    const lying: BooksContext = {
      ...context,
      chain: {
        ...chain,
        async *listing(wallet) {
          for await (const page of chain.listing(wallet)) {
            const [newest] = page;
            if (newest !== undefined)
              yield [{ ...newest, signature: stranger, blockTime: withdrawal?.blockTime ?? 0 }];
            yield page
              .filter(({ signature }) => signature !== hidden)
              .map((one) =>
                one.signature === recalled?.signed?.signature
                  ? { ...one, blockTime: (one.blockTime ?? 0) - 1_000 }
                  : one,
              );
          }
        },
        async move(wallet, signature) {
          if (signature !== stranger) return chain.move(wallet, signature);
          const known = await chain.move(wallet, recalled?.signed?.signature ?? '');
          return { ...known, signature, change: -7n };
        },
        async sightings(signatures) {
          const { slot, found } = await chain.sightings(signatures);
          return { slot, found: found.map((one, index) => (signatures[index] === hidden ? null : one)) };
        },
      },
    };
    const { differences } = await closeMonth(lying, monthNamed(lying, month));
    const said = (text: string): number => differences.filter((one) => one.includes(text)).length;
    expect(said(`Transaction ${stranger} moved -0.000007 USDC of the treasury`)).toBe(1);
    expect(said(`Transaction ${stranger} moved -0.000007 USDC of the wallet of scout`)).toBe(1);
    expect(said(`${recalled?.id}: the chain has another time of its block`)).toBe(2);
    expect(said(`${withdrawal?.id}: the chain does not show its transaction.`)).toBe(1);
    expect(differences).toHaveLength(6);
    expect(differences[5]).toMatch(/^At the month’s end the treasury held \d/);
    expect(await monthNow()).toMatchObject({ state: 'differs', differences });
    expect(await close()).toMatchObject({ state: 'closed', differences: [] });
  });

  it('that was closed and has changed since is shouted about', async () => {
    await nextMonth();
    await close();
    const { context } = treasury.host.engine;
    const warned: string[] = [];
    treasury.host.engine.onEvent((event) => event.type === 'warning' && warned.push(event.message));
    context.store.atomically(() => {
      for (const deposit of context.store.deposits.list(null, 1))
        context.store.deposits.insert({ ...deposit, id: 'dep_x', txSignature: 'x', status: 'confirmed' });
      context.store.deposits.settle('dep_x', 'final');
    });
    expect(await lookAtClosedMonths(context)).toEqual([month]);
    expect(await lookAtClosedMonths(context)).toEqual([]);
    expect(await monthNow()).toMatchObject({ state: 'changed' });
    expect(warned).toEqual([expect.stringContaining(`The closed month ${month} has changed`)]);
    expect(await close()).toMatchObject({ state: 'differs' });
  });
});
