// Our treasury pays the official x402 v1 seller, with the facilitator of its own version and with today's, which
// accept different payments.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../../harness/kinds.ts';
import { tries } from '../../harness/tries.ts';
import { ask, buyOnce, confirmed, debitsOf, openOfficial, openShop, type Shop } from './shop.ts';

const all = kinds([
  ['of x402 1.2', 'x402-v1'],
  ['of @x402/svm', 'x402-v2'],
]);
describe.each(all)('a paid fetch of the official v1 seller with the facilitator %s', (_name, facilitator) => {
  let shop: Shop;
  let url = '';
  let payTo = '';
  let feePayer = '';

  beforeAll(async () => {
    shop = await openShop(async (open) => {
      const sides = { facilitator, seller: 'x402-v1' } as const;
      ({ url, payTo, feePayer } = await openOfficial(open, sides));
    });
  }, 600_000);
  afterAll(() => shop.close());

  it('gets its answer for one transaction, whose fee the facilitator pays', async () => {
    const { body, debit } = await buyOnce(
      shop,
      { url: `${url}/weather?city=Lisbon` },
      { units: 10_000n, payee: payTo, dialect: 'x402-v1' },
    );
    expect(body).toMatchObject({ method: 'GET', url: '/weather?city=Lisbon' });
    expect(debit.feePayer).toBe(feePayer);
  });

  it('sends the same method and body again with the payment', async () => {
    const text = JSON.stringify({ text: 'Guten Tag' });
    const { body } = await buyOnce(
      shop,
      { url: `${url}/translate`, method: 'POST', headers: { 'content-type': 'text/plain' }, body: text },
      { units: 40_000n, payee: payTo, dialect: 'x402-v1' },
    );
    expect(body).toMatchObject({ method: 'POST', url: '/translate', body: text });
  });

  it('pays equal purchases with a transaction each', async () => {
    const sold = { units: 10_000n, payee: payTo, dialect: 'x402-v1' };
    const names = new Set<string>();
    for (let n = 0; n < tries(3, 8); n += 1)
      names.add((await buyOnce(shop, { url: `${url}/weather?city=Lisbon` }, sold)).debit.signature);
    expect(names.size).toBe(tries(3, 8));
  });

  it('accepts the header that an agent got by POST /pay for its own HTTP', async () => {
    const { agent, rpcUrl } = shop;
    const before = await debitsOf(rpcUrl, agent.wallet);
    const place = `${url}/weather?city=Oslo`;
    const [entry] = (JSON.parse((await ask(place)).text) as { accepts: object[] }).accepts;
    const body = { x402: entry, resource: place };
    const paid = await agent.client.post(`/v1/agents/${agent.agentId}/pay`, body, { key: randomUUID() });
    expect(paid.status, paid.text).toBe(202);
    const { paymentId, x402 } = paid.body;
    expect(x402.header.toLowerCase()).toBe('x-payment');
    const sold = await ask(place, { [x402.header]: x402.value });
    expect(sold.status, sold.text).toBe(200);
    const told = await confirmed(shop, paymentId);
    const debits = await debitsOf(rpcUrl, agent.wallet);
    expect(debits.length).toBe(before.length + 1);
    expect(debits.at(-1)).toMatchObject({ units: 10_000n, signature: told['txSignature'], feePayer });
  });
});
