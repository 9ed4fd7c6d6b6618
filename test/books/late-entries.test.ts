// Entries that the treasury learns of late: they are in the books before a day is anchored, and change nothing afterwards.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { monthNamed } from '../../server/books/months.ts';
import { closeMonth } from '../../server/books/close.ts';
import { lookAtClosedMonths } from '../../server/books/changed-months.ts';
import { createFaucet } from '../../server/solana/faucet.ts';
import { newWallet } from '../http/api-treasury.ts';
import { dayMs, openAnchoring, verifyText, type Anchoring } from '../harness/anchored.ts';
import { deploy, type TestAgent } from '../harness/treasury.ts';

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
