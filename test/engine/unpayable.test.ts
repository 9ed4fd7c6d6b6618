// What agents could not buy: sellers that ask for another token or network are counted for the owner, and nothing else is.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { demandWords } from '../../server/contract/payments/unpayable.ts';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import { AppError } from '../../server/errors.ts';
import type { Demand, SellerAnswer } from '../../server/engine/ports.ts';
import { openRich, seller, useSeller } from '../harness/chain/seller-treasury.ts';
import { openStore } from '../harness/engine/store.ts';
import { deploy, removeFolder, temporaryFolder, type TestAgent, type Treasury } from '../harness/treasury.ts';
import {
  answerOf,
  challengeOf,
  devnetId,
  mint,
  mppAnswer,
  mppRequest,
  quote,
  sellersOn,
  v1Answer,
  v1Entry,
  v2Answer,
  v2Entry,
} from '../x402/dialects/samples.ts';

useSeller();
let treasury: Treasury;
let agent: TestAgent;
beforeAll(async () => {
  treasury = await openRich();
  agent = await deploy(treasury.client, 'buyer', { allocate: '1.00' });
});
afterAll(() => treasury.close());

const usdcOnBase = { network: 'eip155:8453', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };
const sellers = async () => (await treasury.client.get('/v1/unpayable-sellers')).body['sellers'];
const fetch = (by: TestAgent, path = '/data') =>
  by.client.post(`/v1/agents/${by.agentId}/fetch`, { url: `${seller.url}${path}` });

it('a seller on another network is counted by fetch, proxy and MCP, with its last price; nobody is paid or told', async () => {
  const other = await deploy(treasury.client, 'other');
  Object.assign(seller.offer, usdcOnBase);
  expect((await fetch(agent)).body['code']).toBe('not_available');
  expect((await fetch(other, '/more')).status).toBe(501);
  Object.assign(seller.offer, { amount: '25000' });
  const { status } = await agent.client.get(
    `/v1/agents/${agent.agentId}/proxy/${seller.url.replace('://', '/')}/data`,
  );
  expect(status).toBe(501);
  const resource = 'https://mcp.example.com/mcp';
  const demand = { x402Version: 2, accepts: [v2Entry(usdcOnBase)] };
  await agent.client.post(`/v1/agents/${agent.agentId}/pay`, { demand, resource, request: 'a'.repeat(64) });
  expect(await sellers()).toEqual([
    expect.objectContaining({ seller: seller.url, ...usdcOnBase, price: '25000', times: 3, agents: 2 }),
    expect.objectContaining({ seller: 'https://mcp.example.com', price: '10000', times: 1, agents: 1 }),
  ]);
  expect((await agent.client.get('/v1/unpayable-sellers')).status).toBe(403);
  const { store } = treasury.host.engine.context;
  expect([...store.transfers.iterate({ kinds: ['payment'] })]).toEqual([]);
  expect((await treasury.client.get('/v1/notices')).body['notices']).toEqual([]);
});

it('a seller that takes USDC on Solana is not counted, whatever else is wrong with its offer', async () => {
  const before = await sellers();
  Object.assign(seller.offer, { network: v2Entry()['network'], asset: mint, payTo: 'nobody' });
  expect((await fetch(agent)).status).toBe(501);
  expect(await sellers()).toEqual(before);
});

const read = (answer: SellerAnswer): Demand | undefined => {
  try {
    sellersOn().offers(answer);
  } catch (error) {
    if (error instanceof AppError) return error.details?.['wanted'] as Demand | undefined;
  }
  throw new Error('It can be paid.');
};

it.each<[string, SellerAnswer, string | undefined]>([
  ['x402 version 2', v2Answer([v2Entry(usdcOnBase), v2Entry({ network: 'eip155:1' })]), '0.01 USDC on Base'],
  ['x402 version 1', v1Answer([v1Entry({ ...usdcOnBase, network: 'base' })]), '0.01 USDC on Base'],
  ['another token', v2Answer([v2Entry({ asset: 'Bonk' })]), '10000 units of Bonk on Solana'],
  ['another Solana', v2Answer([v2Entry({ network: devnetId })]), `10000 units of ${mint} on Solana devnet`],
  [
    'MPP',
    mppAnswer(challengeOf(mppRequest({ currency: '0x20' }), { method: 'tempo' })),
    '10000 units of 0x20 on tempo',
  ],
  [
    'MPP on devnet',
    mppAnswer(challengeOf(mppRequest({ currency: 'USDC' }, { network: 'devnet' }))),
    '0.01 USDC on Solana devnet',
  ],
  ['receipts', answerOf({}, quote({ network: 'devnet' })), '0.01 USDC on Solana devnet'],
  ['a price that cannot be read', v2Answer([v2Entry({ ...usdcOnBase, amount: '1.5' })]), undefined],
  ['Base, or USDC here with a fault', v2Answer([v2Entry(usdcOnBase), v2Entry({ payTo: 'x' })]), undefined],
  [
    'USDC here at a price that cannot be read',
    v2Answer([v2Entry(usdcOnBase), v2Entry({ amount: '-5' })]),
    undefined,
  ],
  ['a token without a visible name', v2Answer([v2Entry({ network: 'solana', asset: '\u200b' })]), undefined],
  [
    'USDC of unknown decimals',
    v2Answer([v2Entry({ network: 'eip155:56', asset: 'USDC' })]),
    '10000 units of USDC on eip155:56',
  ],
  [
    'USDC of another Solana',
    v2Answer([v2Entry({ network: devnetId, asset: usdcMints.devnet })]),
    '0.01 USDC on Solana devnet',
  ],
  ['nothing', answerOf({}, '{}'), undefined],
])('reads what is asked for by %s', (_, answer, words) => {
  const wanted = read(answer);
  expect(wanted && demandWords(wanted)).toBe(words);
});

it.each([[[{ toString: 1 }]], [{ methodDetails: { network: { toString: 1 } } }]])(
  'refuses a challenge that no text can be made of: %j',
  (request) => {
    const challenges = [{ id: 'a', realm: 'r', method: 'solana', intent: 'charge', request }];
    expect(() => sellersOn().demanded({ challenges }, 'mcp:weather')).toThrow(/cannot be paid from here/);
  },
);

it('keeps the last hundred of an agent, and all of another', () => {
  const folder = temporaryFolder();
  const store = openStore(join(folder, 'treasury.db'));
  const asked = { ...usdcOnBase, price: '1', agentId: 'a' };
  store.atomically(() => {
    store.refusals.countSeller({ ...asked, agentId: 'b', seller: 'https://other.example', at: 0 });
    for (let at = 0; at <= 100; at += 1)
      store.refusals.countSeller({ ...asked, seller: `https://${at}.example`, at });
    store.refusals.countSeller({ ...asked, seller: 'https://1.example', at: 2_000 });
    store.refusals.countSeller({ ...asked, seller: 'https://new.example', at: 2_001 });
  });
  const kept = store.refusals.sellers().map((one) => one.seller);
  expect(kept).toHaveLength(101);
  expect(kept).toEqual(
    expect.arrayContaining(['https://other.example', 'https://1.example', 'https://new.example']),
  );
  expect(kept).not.toContain('https://0.example');
  expect(kept).not.toContain('https://2.example');
  store.close();
  removeFolder(folder);
});
