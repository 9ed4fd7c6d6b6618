// A second call to an official seller with sign-in-with-x pays nothing: the wallet proves that it paid before.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectStatus } from '../../harness/expect-status.ts';
import { deploy } from '../../harness/treasury.ts';
import { ask, buyOnce, debitsOf, openOfficial, openShop, paidFetch, spentBy, type Shop } from './shop.ts';

let shop: Shop;
let url = '';
let payTo = '';
beforeAll(async () => {
  shop = await openShop(async (open) => {
    const sides = { facilitator: 'x402-v2', seller: 'x402-v2', program: 'signing-in' } as const;
    ({ url, payTo } = await openOfficial(open, sides));
  });
}, 600_000);
afterAll(() => shop.close());

const asked = async (): Promise<unknown> => JSON.parse((await ask(`${url}/asked`)).text);

it('lets the wallet in that paid, and asks every other for money', async () => {
  const { agent, rpcUrl, treasury } = shop;
  await buyOnce(shop, { url: `${url}/library` }, { units: 10_000n, payee: payTo, dialect: 'x402-v2' });
  const [debits, spent] = [await debitsOf(rpcUrl, agent.wallet), spentBy(shop)];

  const again = await paidFetch(shop, { url: `${url}/library?page=2` });
  expectStatus(again, 200);
  const events = await asked();
  const recorded = { type: 'payment_recorded', resource: '/library', address: agent.wallet };
  expect([again.body['payment'], events]).toEqual([
    null,
    [recorded, { ...recorded, type: 'access_granted' }],
  ]);
  expect([again.body['status'], again.body['body']]).toEqual([200, '{"books":3}']);
  expect(await debitsOf(rpcUrl, agent.wallet)).toEqual(debits);
  expect(spentBy(shop)).toBe(spent);

  const other = await deploy(treasury.client, 'other', { allocate: '1.00' });
  await buyOnce(
    { ...shop, agent: other },
    { url: `${url}/library` },
    { units: 10_000n, payee: payTo, dialect: 'x402-v2' },
  );
});
