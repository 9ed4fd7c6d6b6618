// The close of a month on the real chain: what agrees, everything that does not, and what is learned of late.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lookAtClosedMonths } from '../../server/books/changed-months.ts';
import { closeMonth } from '../../server/books/close.ts';
import type { BooksContext } from '../../server/books/context.ts';
import { monthNamed } from '../../server/books/months.ts';
import type { Sighting, TransferKind, TransferState } from '../../server/engine/ports.ts';
import { createFaucet } from '../../server/solana/faucet.ts';
import {
  aDay,
  anchoringIn,
  dayMs,
  openAnchoring,
  verifyText,
  type Anchoring,
} from '../harness/chain/anchored.ts';
import { audit } from '../harness/engine/audit.ts';
import { chainRead } from '../harness/chain/chain-read.ts';
import {
  deploy,
  instantly,
  openTreasury,
  removeFolder,
  temporaryFolder,
  until,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';
import { newWallet } from '../http/api-treasury.ts';

let ahead = 0;
const clock = { wall: () => Date.now() + ahead, monotonic: () => performance.now() + ahead };

let treasury: Treasury;
let scout: TestAgent;

const open = async (): Promise<void> => {
  ahead = 0;
  treasury = await openTreasury({ clock });
  scout = await deploy(treasury.client, 'scout');
};
const passDays = async (days: number): Promise<void> => {
  const { store, funds } = treasury.host.engine.context;
  await until('all to be settled', async () => {
    await funds.compare();
    return store.transfers.open().length === 0 && store.deposits.unsettled().length === 0;
  });
  ahead = days * dayMs;
  await chainRead(treasury, clock.wall);
};
const months = async (): Promise<{ month: string; state: string }[]> =>
  (await treasury.client.get('/v1/books/months')).body['months'];
const closeOf = (month = '') => treasury.client.post(`/v1/books/months/${month}/close`, {});

describe('a month', () => {
  let month: string;
  beforeAll(async () => {
    await open();
    month = (await months())[0]?.month ?? '';
    for (const amount of ['0.1', '0.25', '0.000001']) await scout.pay(amount);
    await treasury.client.post('/v1/agents/scout/recall', { amount: '1' });
    await treasury.client.post(
      '/v1/treasury/withdraw',
      { asset: 'USDC', to: newWallet(), amount: '2' },
      { key: 'out' },
    );
    const faucet = createFaucet(treasury.host.rpcUrl);
    await faucet.fund(scout.wallet, 1_234_567n);
    faucet.close();
  });
  afterAll(() => treasury.close());

  const close = async () => (await closeOf(month)).body;
  const monthNow = async () => (await months()).find((one) => one.month === month);

  it('that runs is not closed', async () => {
    expect(await monthNow()).toMatchObject({ state: 'running' });
    const early = await closeOf(month);
    expect([early.status, early.text]).toEqual([409, expect.stringContaining('cannot be closed yet')]);
    await passDays(40);
    expect(await monthNow()).toMatchObject({ state: 'open', waiting: [] });
  });

  it('names what the chain shows otherwise: a row, a time, a balance, and what the journal lacks', async () => {
    await passDays(40);
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
    expect(differences).toHaveLength(7);
    expect(differences[5]).toMatch(/^At the month’s end the treasury held \d/);
    expect(differences[6]).toMatch(/^At the month’s end the wallet of scout held \d/);
    expect(await monthNow()).toMatchObject({ state: 'differs', differences });
  });

  it('is closed when journal, chain and file agree, with what an agent’s wallet was paid from outside', async () => {
    await passDays(40);
    const closed = await close();
    expect(closed).toMatchObject({ month, state: 'closed', differences: [] });
    // The deposits of USDC, to an agent too, and of SOL; six transfers with a fee each, and the rent of two accounts.
    expect(closed['entries']).toBe(3 + 6 * 2 + 2);
    expect(await lookAtClosedMonths(treasury.host.engine.context)).toEqual([]);
    expect(await close()).toMatchObject({ root: closed['root'], state: 'closed', differences: [] });
    const deposits = (await treasury.client.get('/v1/treasury/deposits')).body['deposits'];
    expect(
      deposits.map(({ amount, currency }: Record<string, string>) => `${amount} ${currency}`).toSorted(),
    ).toEqual(['1.234567 USDC', '10.00 SOL', '1000.00 USDC']);
  });

  it('that was closed and has changed since is shouted about', async () => {
    await passDays(40);
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

/** Nothing is sent meanwhile, and every RPC shows each unknown transaction as finalized. */
const whileItLies = async (
  error: Sighting['error'],
  work: () => void,
  { kind, ends }: { kind: TransferKind; ends: TransferState },
): Promise<string> => {
  const { chain, store } = treasury.host.engine.context;
  const { broadcast, sightings, onConfirmed, proveEnded } = chain;
  chain.broadcast = async () => {};
  chain.onConfirmed = () => () => {};
  chain.sightings = async (signatures) => {
    const { slot, found } = await sightings(signatures);
    return { slot, found: found.map((one) => one ?? { slot, commitment: 'finalized', error }) };
  };
  chain.proveEnded = async (rows) =>
    rows.map(() => ({ dead: true, failed: { slot: 1, commitment: 'finalized', error }, evidence: {} }));
  work();
  const row = await until('the false end', () => {
    const [newest] = store.transfers.list({ kinds: [kind], limit: 1 });
    return newest?.state === ends && newest;
  });
  Object.assign(chain, { broadcast, sightings, onConfirmed, proveEnded });
  return row.id;
};

/** What was not taken is still there. */
const ofSol = expect.stringMatching(/^At the month’s end the treasury held \d.* SOL on the chain/) as string;

it('a withdrawal of SOL that never landed and a failed payment whose fee was never paid are named', async () => {
  await open();
  const body = { asset: 'SOL', to: newWallet(), amount: '0.01' };
  const withdraw = () => void treasury.client.post('/v1/treasury/withdraw', body, { key: 'sol' });
  const ids = [
    await whileItLies(null, withdraw, { kind: 'withdrawal', ends: 'final' }),
    await whileItLies('InstructionError', () => void scout.pay('0.5'), { kind: 'payment', ends: 'failed' }),
  ];
  await passDays(40);
  const { differences } = (await closeOf((await months()).at(-1)?.month)).body;
  expect(differences).toHaveLength(3);
  expect(differences).toEqual(
    expect.arrayContaining([...ids.map((id) => `${id}: the chain does not show its transaction.`), ofSol]),
  );
  await treasury.close();
});

it('of two months that are closed at once across a change of the zone, one is refused', async () => {
  await open();
  await treasury.client.post('/v1/treasury/time-zone', { timeZone: 'UTC' });
  await passDays(75);
  const [second, first] = (await months()).slice(-2).map(({ month }) => month);
  const one = closeOf(first);
  await treasury.client.post('/v1/treasury/time-zone', { timeZone: 'Asia/Tokyo' });
  const answers = await Promise.all([one, closeOf(second)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(answers.map(({ text }) => text).join()).toContain('Close it again.');
  expect(treasury.host.engine.context.store.books.months()).toHaveLength(1);
  await treasury.close();
});

describe('entries that the treasury learns of late', () => {
  let books: Anchoring;
  let agent: TestAgent;
  const cold = newWallet();
  beforeAll(async () => {
    books = await openAnchoring();
    agent = await deploy(books.client, 'scout', { dailyBudget: '50' });
  });
  afterAll(() => books.close());

  const verified = async () => verifyText(await books.statement(), books.owner, books.host.rpcUrl);

  it('USDC that an agent’s wallet was sent directly is anchored with its day, and the close finds nothing more', async () => {
    const faucet = createFaucet(books.host.rpcUrl);
    await faucet.fund(agent.wallet, 1_234_567n);
    faucet.close();
    await agent.pay('0.25');
    await books.client.post(
      '/v1/treasury/withdraw',
      { asset: 'USDC', to: cold, amount: '2' },
      { key: 'to what becomes the cold treasury' },
    );
    await books.pass(40 * dayMs);
    await books.final(1);
    expect(await books.statement()).toContain('"amount":"1.234567"');
    expect((await verified()).faults).toEqual([]);

    const { context } = books.host.engine;
    const [{ month }] = (await books.client.get('/v1/books/months')).body['months'].slice(-1);
    expect(await closeMonth(context, monthNamed(context, month))).toMatchObject({ differences: [] });
    expect((await verified()).faults).toEqual([]);
  });

  it('an address that becomes the cold treasury’s changes accounts, and neither a closed month nor an anchored day', async () => {
    const { context } = books.host.engine;
    const { store, time } = context;
    const withdrawn = async (): Promise<string[]> =>
      (await books.client.get('/v1/books?format=hledger')).text
        .split('\n\n')
        .filter((text) => text.includes(' 2.00 USDC') && text.includes('wdr_'))
        .flatMap((text) => text.split('\n').filter((line) => line.endsWith(' 2.00 USDC')));
    expect(await withdrawn()).toEqual(['    Equity:Withdrawals  2.00 USDC']);
    store.atomically(() => store.cold.choose({ address: cold, since: time.now(), scannedTo: null }));
    expect(await withdrawn()).toEqual(['    Assets:Cold  2.00 USDC']);
    expect(await lookAtClosedMonths(context)).toEqual([]);
    expect((await verified()).faults).toEqual([]);
  });

  it('a deposit that the RPC hid at the close of its month is told as a change as soon as an anchor finds it', async () => {
    const { store, chain } = books.host.engine.context;
    const faucet = createFaucet(books.host.rpcUrl);
    const hidden = await faucet.fund(agent.wallet, 1_234_567n);
    faucet.close();
    const listed = async (): Promise<{ month: string; state: string }[]> =>
      (await books.client.get('/v1/books/months')).body['months'];
    const [running] = await listed();
    const stateNow = async () => (await listed()).find(({ month }) => month === running?.month)?.state;
    await books.pass(40 * dayMs);
    const { listing, move } = chain;
    chain.listing = async function* (wallet) {
      for await (const page of listing(wallet)) yield page.filter(({ signature }) => signature !== hidden);
    };
    chain.move = async (wallet, signature) => {
      const found = await move(wallet, signature);
      return signature === hidden ? { ...found, balance: found.balance - 1_234_567n } : found;
    };
    await books.client.post(`/v1/books/months/${running?.month}/close`, {});
    expect(await stateNow()).toBe('closed');
    Object.assign(chain, { listing, move });
    await books.final((await books.anchors()).anchors.length + 1);
    expect(await stateNow()).toBe('changed');
    expect(store.books.depositOf(hidden, agent.wallet)).toBeDefined();
  });
});

/** To wallets of agents. */
const depositsOf = ({ host, owner }: Anchoring): string[] =>
  host.engine.context.store.deposits
    .list(null, 9)
    .filter(({ wallet }) => wallet !== owner)
    .map(({ amount }) => String(amount));

describe('after a restore from the chain alone', () => {
  const agedMs = 3 * dayMs;
  let dataDir = '';
  afterEach(() => removeFolder(dataDir));

  /** A treasury whose agent was given money by us and by somebody else, days before its database was lost. */
  const restored = async (): Promise<Anchoring> => {
    dataDir = temporaryFolder();
    const first = await anchoringIn({ args: instantly, aheadMs: 0, dataDir });
    const payee = await deploy(first.client, 'scout', { dailyBudget: '50' });
    await payee.pay('0.25');
    const faucet = createFaucet(first.host.rpcUrl);
    await faucet.fund(payee.wallet, 1_234_567n);
    faucet.close();
    await first.pass(agedMs);
    await first.close();
    const folder = join(dataDir, 'sandbox');
    for (const file of readdirSync(folder)) if (file.startsWith('treasury.db')) rmSync(join(folder, file));
    return anchoringIn({ args: instantly, aheadMs: agedMs, dataDir });
  };

  it('an anchor enters nothing that the opening balances hold', async () => {
    const books = await restored();
    expect((await audit(books.host)).drift).toEqual([]);
    await books.client.post('/v1/unfreeze');
    await books.turn(true);
    await books.pass(aDay);
    await books.final(1);
    const found = [(await audit(books.host)).drift, depositsOf(books)];
    await books.close();
    expect(found).toEqual([[], []]);
  });

  it('the close of a month enters nothing that they hold, and the first whole month after it closes', async () => {
    const books = await restored();
    await books.pass(75 * dayMs);
    const close = async (month: string) =>
      (await books.client.post(`/v1/books/months/${month}/close`, {})).body['state'];
    const whole = (await books.client.get('/v1/books/months')).body['months'].slice(1).toReversed();
    const states = [];
    for (const { month } of whole) states.push(await close(month));
    const found = [(await audit(books.host)).drift, depositsOf(books)];
    await books.close();
    expect(states.slice(1)).toEqual(whole.slice(1).map(() => 'closed'));
    expect(found).toEqual([[], []]);
  });
});
