// Our treasury pays the official x402 v2 seller through the official facilitator.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../../harness/audit.ts';
import { rpcCall } from '../../harness/treasury.ts';
import { tries } from '../../harness/tries.ts';
import {
  ask,
  buyOnce,
  confirmed,
  debitsOf,
  openOfficial,
  openShop,
  paidFetch,
  settled,
  spentBy,
  type Shop,
} from './shop.ts';

const many = tries(10, 50);
let shop: Shop;
let url = '';
let payTo = '';
let feePayer = '';

beforeAll(async () => {
  shop = await openShop(async (open) => {
    const sides = { facilitator: 'x402-v2', seller: 'x402-v2' } as const;
    ({ url, payTo, feePayer } = await openOfficial(open, sides));
  });
}, 600_000);
afterAll(() => shop.close());

const sold = (units: bigint) => ({ units, payee: payTo, dialect: 'x402-v2' });

describe('a paid fetch of the official v2 seller', () => {
  it('costs nothing when nothing is asked for', async () => {
    const spent = spentBy(shop);
    const { status, body } = await paidFetch(shop, { url: `${url}/free` });
    expect([status, body['status'], body['payment']]).toEqual([200, 200, null]);
    expect(spentBy(shop)).toBe(spent);
  });

  it('gets its answer for one transaction, whose fee the facilitator pays', async () => {
    const { body, debit } = await buyOnce(shop, { url: `${url}/weather?city=Lisbon` }, sold(10_000n));
    expect(body).toMatchObject({ method: 'GET', url: '/weather?city=Lisbon' });
    expect(debit.feePayer).toBe(feePayer);
    expect(debit.memo).toMatch(/^\S{16,}$/);
  });

  it('sends the same method, headers and body again with the payment', async () => {
    const text = JSON.stringify({ text: 'Bom dia ☀' });
    const { body } = await buyOnce(
      shop,
      { url: `${url}/translate`, method: 'POST', headers: { 'content-type': 'text/plain' }, body: text },
      sold(40_000n),
    );
    expect(body).toMatchObject({ method: 'POST', url: '/translate', body: text });
  });

  it('puts the seller’s memo into the transaction', async () => {
    const { debit } = await buyOnce(shop, { url: `${url}/invoice/17` }, sold(20_000n));
    expect(debit.memo).toBe('memo-17');
  });

  it('takes no blockhash from the seller', async () => {
    const { paymentId } = await buyOnce(shop, { url: `${url}/blockhash` }, sold(10_000n));
    const row = shop.treasury.host.engine.context.store.transfers.get(paymentId);
    expect(row?.signed?.lifetime.lastValidHeight).toBeGreaterThan(0);
  });

  it('sends the payment identifier that the seller requires, the same for the same key', async () => {
    const { body, paymentId } = await buyOnce(shop, { url: `${url}/identified` }, sold(30_000n));
    expect(body['identifier']).toMatch(/^[A-Za-z0-9_-]{16,128}$/);
    const other = await buyOnce(shop, { url: `${url}/identified` }, sold(30_000n));
    expect(other.body['identifier']).not.toBe(body['identifier']);
    expect(other.paymentId).not.toBe(paymentId);
  });

  it('keeps the offer and the receipt that the seller signed', async () => {
    const { paymentId } = await buyOnce(shop, { url: `${url}/signed?n=1` }, sold(10_000n));
    const { body } = await shop.treasury.client.get(`/v1/transfers/${paymentId}`);
    const { statements } = body['purchase'].evidence;
    expect(statements).toMatchObject({
      offer: { signedBy: expect.stringMatching(/^did:jwk:/), why: null },
      receipt: { signedBy: expect.stringMatching(/^did:jwk:/), why: null },
    });
  });

  it('pays nothing above maxAmount, and nothing for an answer that fails before it settles', async () => {
    const spent = spentBy(shop);
    const dear = await paidFetch(shop, { url: `${url}/weather`, maxAmount: '0.009999' });
    expect(dear.status, dear.text).toBe(402);
    expect(spentBy(shop)).toBe(spent);
    const debits = await debitsOf(shop.rpcUrl, shop.agent.wallet);
    const failing = await paidFetch(shop, { url: `${url}/failing` }, { prefer: 'wait=1' });
    // It is signed and shown to the seller: only the chain can prove that it will never land.
    expect([202, 502], failing.text).toContain(failing.status);
    expect(await debitsOf(shop.rpcUrl, shop.agent.wallet)).toEqual(debits);
    expect(spentBy(shop)).toBe(spent + 10_000n);
    await rpcCall(shop.rpcUrl, 'sandbox_warp', [400]);
    await settled(shop);
    expect(spentBy(shop)).toBe(spent);
    expect(await debitsOf(shop.rpcUrl, shop.agent.wallet)).toEqual(debits);
    expect(clean(await audit(shop.treasury.host))).toEqual(allWell);
  });

  it('pays once for one key that is used 20 times at once', async () => {
    const [debits, spent] = [await debitsOf(shop.rpcUrl, shop.agent.wallet), spentBy(shop)];
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => paidFetch(shop, { url: `${url}/weather?city=Faro` }, { key })),
    );
    expect(
      answers.map(({ status }) => status),
      answers.map(({ text }) => text).join('\n'),
    ).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => String(body['payment'].paymentId))).size).toBe(1);
    expect(new Set(answers.map(({ body }) => String(body['body']))).size).toBe(1);
    const other = await paidFetch(shop, { url: `${url}/weather?city=Porto` }, { key });
    expect([other.status, other.body['code']]).toEqual([409, 'idempotency_conflict']);
    await settled(shop);
    expect((await debitsOf(shop.rpcUrl, shop.agent.wallet)).length).toBe(debits.length + 1);
    expect(spentBy(shop)).toBe(spent + 10_000n);
  });

  it(`answers ${many} equal purchases at once with ${many} transactions, no two the same`, async () => {
    for (const [path, units] of [
      ['/weather', 10_000n],
      ['/same-memo', 20_000n],
    ] as const) {
      const before = await debitsOf(shop.rpcUrl, shop.agent.wallet);
      const spent = spentBy(shop);
      const keys = Array.from({ length: many }, () => randomUUID());
      const answers = await Promise.all(
        keys.map((key) => paidFetch(shop, { url: `${url}${path}` }, { key, prefer: 'wait=60' })),
      );
      expect(
        answers.map(({ status }) => status),
        answers.map(({ text }) => text).join('\n'),
      ).toEqual(keys.map(() => 200));
      const ids = answers.map(({ body }) => String(body['payment'].paymentId));
      const named = await Promise.all(ids.map(async (id) => (await confirmed(shop, id))['txSignature']));
      expect(new Set(named).size).toBe(many);
      await settled(shop);
      const debits = (await debitsOf(shop.rpcUrl, shop.agent.wallet)).slice(before.length);
      expect(debits.map(({ signature }) => signature).toSorted()).toEqual(named.toSorted());
      expect(debits.every((debit) => debit.units === units)).toBe(true);
      expect(spentBy(shop)).toBe(spent + BigInt(many) * units);
      const hashes = ids.map(
        (id) => shop.treasury.host.engine.context.store.transfers.get(id)?.signed?.messageHash,
      );
      expect(new Set(hashes).size).toBe(many);
    }
    expect(clean(await audit(shop.treasury.host))).toEqual(allWell);
  });
});

describe('POST /pay with x402, for an agent that does its own HTTP', () => {
  it.each(['/weather?city=Oslo', '/invoice/own-http', '/identified'])(
    'gives the header with which the official seller answers %s, once',
    async (path) => {
      const { agent, treasury, rpcUrl } = shop;
      const before = await debitsOf(rpcUrl, agent.wallet);
      const spent = spentBy(shop);
      const asked = await ask(`${url}${path}`);
      expect(asked.status).toBe(402);
      const required = JSON.parse(
        Buffer.from(String(asked.headers['payment-required']), 'base64').toString('utf8'),
      ) as { accepts: { amount: string }[]; extensions?: Record<string, unknown> };
      const [entry] = required.accepts;
      const units = BigInt(entry?.amount ?? 0);
      const key = randomUUID();
      const { extensions } = required;
      const body = {
        x402: entry,
        resource: `${url}${path}`,
        ...(extensions === undefined ? {} : { extensions }),
      };
      const pay = () => agent.client.post(`/v1/agents/${agent.agentId}/pay`, body, { key, prefer: 'wait=0' });
      const paid = await pay();
      expect(paid.status, paid.text).toBe(202);
      const { paymentId, status, x402 } = paid.body;
      expect(status).toBe('pending');
      expect(x402.header.toLowerCase()).toBe('payment-signature');
      expect(spentBy(shop)).toBe(spent + units);
      const again = await pay();
      expect(again.body['x402'], again.text).toEqual(x402);

      const bought = await ask(`${url}${path}`, { [x402.header]: x402.value });
      expect(bought.status, bought.text).toBe(200);
      const told = await confirmed(shop, paymentId);
      const debits = await debitsOf(rpcUrl, agent.wallet);
      expect(debits.length).toBe(before.length + 1);
      expect(debits.at(-1)).toMatchObject({ units, signature: told['txSignature'] });
      const twice = await ask(`${url}${path}`, { [x402.header]: x402.value });
      expect(twice.status).not.toBe(200);
      await settled(shop);
      expect(await debitsOf(rpcUrl, agent.wallet)).toEqual(debits);
      expect(spentBy(shop)).toBe(spent + units);
      expect(clean(await audit(treasury.host))).toEqual(allWell);
    },
  );
});
