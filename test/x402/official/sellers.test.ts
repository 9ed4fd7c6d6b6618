// A treasury pays the official sellers of x402 v2, of x402 v1 (with the facilitator of its own version and with today's,
// which accept different payments), and of MPP, whose transactions we send or the seller does. Each buyer is an agent of
// its own.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usdcMints } from '../../../server/contract/treasury/networks.ts';
import { allWell, audit, clean } from '../../harness/engine/audit.ts';
import { expectStatus } from '../../harness/expect-status.ts';
import { kinds } from '../../harness/kinds.ts';
import { liveFromCold } from '../../harness/chain/living-cold.ts';
import type { Peer, PeerName } from '../../harness/programs/peers.ts';
import { rpcCall, until } from '../../harness/treasury.ts';
import { tries } from '../../harness/tries.ts';
import {
  ask,
  buyOnce,
  confirmed,
  debitsOf,
  newBuyer,
  openSeller,
  openShop,
  paidFetch,
  settled,
  spentBy,
  type Buyer,
  type Official,
  type Shop,
} from './shop.ts';

const facilitatorsOfV1 = kinds([
  ['of x402 1.2', 'x402-v1'],
  ['of @x402/svm', 'x402-v2'],
] as const);

let shop: Shop;
let client: Peer;
let v2: Official;
let signingIn: Official;
let mpp: Official & { others: string[] };
const v1 = new Map<PeerName, Official>();

beforeAll(async () => {
  shop = await openShop(async (open) => {
    client = await open('x402-v2', 'client', { units: '1000000' });
    const facilitator = await open('x402-v2', 'facilitator');
    v2 = await openSeller(open, 'x402-v2', { facilitator });
    signingIn = await openSeller(open, 'x402-v2', { facilitator, program: 'signing-in' });
    for (const [, name] of facilitatorsOfV1) {
      const own = name === 'x402-v2' ? facilitator : await open(name, 'facilitator');
      v1.set(name, await openSeller(open, 'x402-v1', { facilitator: own }));
    }
    const { says } = await open('mpp', 'seller');
    mpp = {
      url: String(says['url']),
      payTo: String(says['recipient']),
      feePayer: String(says['feePayer']),
      others: String(says['others']).split(','),
    };
  });
}, 600_000);
afterAll(() => shop.close());

interface Fetched {
  status: number;
  body: string;
  settlement: { success: boolean; transaction: string; payer: string } | null;
}

const usdcOf = async (owner: string): Promise<bigint> => {
  const { value } = await rpcCall(shop.rpcUrl, 'getTokenAccountsByOwner', [
    owner,
    { mint: usdcMints.sandbox },
    { encoding: 'jsonParsed' },
  ]);
  return BigInt(value[0]?.account.data.parsed.info.tokenAmount.amount ?? 0);
};

/** Buys the same so often at once: each purchase is a transaction of its own. */
const buyAtOnce = async (buyer: Buyer, url: string, many: number) => {
  const before = await debitsOf(buyer.rpcUrl, buyer.agent.wallet);
  const answers = await Promise.all(
    Array.from({ length: many }, () => paidFetch(buyer, { url }, { key: randomUUID(), prefer: 'wait=60' })),
  );
  expect(
    answers.map(({ status }) => status),
    answers.map(({ text }) => text).join('\n'),
  ).toEqual(answers.map(() => 200));
  const ids = answers.map(({ body }) => String(body['payment'].paymentId));
  const named = await Promise.all(ids.map(async (id) => (await confirmed(buyer, id))['txSignature']));
  expect(new Set(named).size).toBe(many);
  await settled(buyer);
  const debits = (await debitsOf(buyer.rpcUrl, buyer.agent.wallet)).slice(before.length);
  expect(debits.map(({ signature }) => signature).toSorted()).toEqual(named.toSorted());
  return { ids, debits };
};

describe('the official client', () => {
  it.each([
    ['/weather?city=Lisbon', 10_000n],
    ['/invoice/17', 20_000n],
    ['/blockhash', 10_000n],
  ])('pays the official seller for %s on the sandbox', async (path, units) => {
    const { address = '' } = client.says;
    const before = [await usdcOf(v2.payTo), await usdcOf(address)] as const;
    const { status, body, settlement } = await client.ask<Fetched>(`${v2.url}${path}`);
    expect(status, `${body}\n${client.stderr()}`).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ method: 'GET', url: path });
    expect(settlement).toMatchObject({ success: true, payer: address });
    const landed = await rpcCall(shop.rpcUrl, 'getTransaction', [
      settlement?.transaction,
      { encoding: 'json', maxSupportedTransactionVersion: 0 },
    ]);
    expect(landed.meta.err).toBeNull();
    expect([await usdcOf(v2.payTo), await usdcOf(address)]).toEqual([before[0] + units, before[1] - units]);
  });

  it('gets free answers without a payment, and is told of failures without a charge', async () => {
    const { address = '' } = client.says;
    const before = await usdcOf(address);
    expect(await client.ask<Fetched>(`${v2.url}/free`)).toMatchObject({
      status: 200,
      settlement: null,
    });
    expect(await client.ask<Fetched>(`${v2.url}/failing`)).toMatchObject({ status: 500 });
    expect(await usdcOf(address)).toBe(before);
  });
});

const sold = (units: bigint) => ({ units, payee: v2.payTo, dialect: 'x402-v2' });

describe('the official v2 seller', () => {
  let buyer: Buyer;
  beforeAll(async () => {
    buyer = await newBuyer(shop, 'v2');
  });
  const many = tries(10, 50);

  describe('a paid fetch of the official v2 seller', () => {
    it('costs nothing when nothing is asked for', async () => {
      const spent = spentBy(buyer);
      const { status, body } = await paidFetch(buyer, { url: `${v2.url}/free` });
      expect([status, body['status'], body['payment']]).toEqual([200, 200, null]);
      expect(spentBy(buyer)).toBe(spent);
    });

    it('gets its answer for one transaction, whose fee the facilitator pays', async () => {
      const { body, debit } = await buyOnce(buyer, { url: `${v2.url}/weather?city=Lisbon` }, sold(10_000n));
      expect(body).toMatchObject({ method: 'GET', url: '/weather?city=Lisbon' });
      expect(debit.feePayer).toBe(v2.feePayer);
      expect(debit.memo).toMatch(/^\S{16,}$/);
    });

    it('sends the same method, headers and body again with the payment', async () => {
      const text = JSON.stringify({ text: 'Bom dia ☀' });
      const { body } = await buyOnce(
        buyer,
        { url: `${v2.url}/translate`, method: 'POST', headers: { 'content-type': 'text/plain' }, body: text },
        sold(40_000n),
      );
      expect(body).toMatchObject({ method: 'POST', url: '/translate', body: text });
    });

    it('puts the seller’s memo into the transaction', async () => {
      const { debit } = await buyOnce(buyer, { url: `${v2.url}/invoice/17` }, sold(20_000n));
      expect(debit.memo).toBe('memo-17');
    });

    it('takes no blockhash from the seller', async () => {
      const { paymentId } = await buyOnce(buyer, { url: `${v2.url}/blockhash` }, sold(10_000n));
      const row = buyer.treasury.host.engine.context.store.transfers.get(paymentId);
      expect(row?.signed?.lifetime.lastValidHeight).toBeGreaterThan(0);
    });

    it('sends the payment identifier that the seller requires, the same for the same key', async () => {
      const { body, paymentId } = await buyOnce(buyer, { url: `${v2.url}/identified` }, sold(30_000n));
      expect(body['identifier']).toMatch(/^[A-Za-z0-9_-]{16,128}$/);
      const other = await buyOnce(buyer, { url: `${v2.url}/identified` }, sold(30_000n));
      expect(other.body['identifier']).not.toBe(body['identifier']);
      expect(other.paymentId).not.toBe(paymentId);
    });

    it('keeps the offer and the receipt that the seller signed', async () => {
      const { paymentId } = await buyOnce(buyer, { url: `${v2.url}/signed?n=1` }, sold(10_000n));
      const { body } = await buyer.treasury.client.get(`/v1/transfers/${paymentId}`);
      const { statements } = body['purchase'].evidence;
      expect(statements).toMatchObject({
        offer: { signedBy: expect.stringMatching(/^did:jwk:/), why: null },
        receipt: { signedBy: expect.stringMatching(/^did:jwk:/), why: null },
      });
    });

    it('pays nothing above maxAmount, and nothing for an answer that fails before it settles', async () => {
      const spent = spentBy(buyer);
      const dear = await paidFetch(buyer, { url: `${v2.url}/weather`, maxAmount: '0.009999' });
      expect(dear.status, dear.text).toBe(402);
      expect(spentBy(buyer)).toBe(spent);
      const debits = await debitsOf(buyer.rpcUrl, buyer.agent.wallet);
      const failing = await paidFetch(buyer, { url: `${v2.url}/failing` }, { prefer: 'wait=1' });
      // It is signed and shown to the seller: only the chain can prove that it will never land.
      expect([202, 502], failing.text).toContain(failing.status);
      expect(await debitsOf(buyer.rpcUrl, buyer.agent.wallet)).toEqual(debits);
      expect(spentBy(buyer)).toBe(spent + 10_000n);
      await rpcCall(buyer.rpcUrl, 'sandbox_warp', [400]);
      await settled(buyer);
      expect(spentBy(buyer)).toBe(spent);
      expect(await debitsOf(buyer.rpcUrl, buyer.agent.wallet)).toEqual(debits);
      expect(clean(await audit(buyer.treasury.host))).toEqual(allWell);
    });

    it('pays once for one key that is used 20 times at once', async () => {
      const [debits, spent] = [await debitsOf(buyer.rpcUrl, buyer.agent.wallet), spentBy(buyer)];
      const key = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => paidFetch(buyer, { url: `${v2.url}/weather?city=Faro` }, { key })),
      );
      expect(
        answers.map(({ status }) => status),
        answers.map(({ text }) => text).join('\n'),
      ).toEqual(answers.map(() => 200));
      expect(new Set(answers.map(({ body }) => String(body['payment'].paymentId))).size).toBe(1);
      expect(new Set(answers.map(({ body }) => String(body['body']))).size).toBe(1);
      const other = await paidFetch(buyer, { url: `${v2.url}/weather?city=Porto` }, { key });
      expect([other.status, other.body['code']]).toEqual([409, 'idempotency_conflict']);
      await settled(buyer);
      expect((await debitsOf(buyer.rpcUrl, buyer.agent.wallet)).length).toBe(debits.length + 1);
      expect(spentBy(buyer)).toBe(spent + 10_000n);
    });

    it(`answers ${many} equal purchases at once with ${many} transactions, no two the same`, async () => {
      for (const [path, units] of [
        ['/weather', 10_000n],
        ['/same-memo', 20_000n],
      ] as const) {
        const spent = spentBy(buyer);
        const { ids, debits } = await buyAtOnce(buyer, `${v2.url}${path}`, many);
        expect(debits.every((debit) => debit.units === units)).toBe(true);
        expect(spentBy(buyer)).toBe(spent + BigInt(many) * units);
        const hashes = ids.map(
          (id) => buyer.treasury.host.engine.context.store.transfers.get(id)?.signed?.messageHash,
        );
        expect(new Set(hashes).size).toBe(many);
      }
      expect(clean(await audit(buyer.treasury.host))).toEqual(allWell);
    });
  });

  describe('POST /pay with x402, for an agent that does its own HTTP', () => {
    it.each(['/weather?city=Oslo', '/invoice/own-http', '/identified'])(
      'gives the header with which the official seller answers %s, once',
      async (path) => {
        const { agent, treasury, rpcUrl } = buyer;
        const before = await debitsOf(rpcUrl, agent.wallet);
        const spent = spentBy(buyer);
        const asked = await ask(`${v2.url}${path}`);
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
          resource: `${v2.url}${path}`,
          ...(extensions === undefined ? {} : { extensions }),
        };
        const pay = () =>
          agent.client.post(`/v1/agents/${agent.agentId}/pay`, body, { key, prefer: 'wait=0' });
        const paid = await pay();
        expect(paid.status, paid.text).toBe(202);
        const { paymentId, status, x402 } = paid.body;
        expect(status).toBe('pending');
        expect(x402.header.toLowerCase()).toBe('payment-signature');
        expect(spentBy(buyer)).toBe(spent + units);
        const again = await pay();
        expect(again.body['x402'], again.text).toEqual(x402);

        const bought = await ask(`${v2.url}${path}`, { [x402.header]: x402.value });
        expect(bought.status, bought.text).toBe(200);
        const told = await confirmed(buyer, paymentId);
        const debits = await debitsOf(rpcUrl, agent.wallet);
        expect(debits.length).toBe(before.length + 1);
        expect(debits.at(-1)).toMatchObject({ units, signature: told['txSignature'] });
        const twice = await ask(`${v2.url}${path}`, { [x402.header]: x402.value });
        expect(twice.status).not.toBe(200);
        await settled(buyer);
        expect(await debitsOf(rpcUrl, agent.wallet)).toEqual(debits);
        expect(spentBy(buyer)).toBe(spent + units);
        expect(clean(await audit(treasury.host))).toEqual(allWell);
      },
    );
  });
});

describe.each(facilitatorsOfV1)(
  'a paid fetch of the official v1 seller with the facilitator %s',
  (_name, facilitator) => {
    let buyer: Buyer;
    let seller: Official;
    beforeAll(async () => {
      buyer = await newBuyer(shop, `v1-${facilitator}`);
      seller = v1.get(facilitator) as Official;
    });

    it('gets its answer for one transaction, whose fee the facilitator pays', async () => {
      const { body, debit } = await buyOnce(
        buyer,
        { url: `${seller.url}/weather?city=Lisbon` },
        { units: 10_000n, payee: seller.payTo, dialect: 'x402-v1' },
      );
      expect(body).toMatchObject({ method: 'GET', url: '/weather?city=Lisbon' });
      expect(debit.feePayer).toBe(seller.feePayer);
    });

    it('sends the same method and body again with the payment', async () => {
      const text = JSON.stringify({ text: 'Guten Tag' });
      const { body } = await buyOnce(
        buyer,
        {
          url: `${seller.url}/translate`,
          method: 'POST',
          headers: { 'content-type': 'text/plain' },
          body: text,
        },
        { units: 40_000n, payee: seller.payTo, dialect: 'x402-v1' },
      );
      expect(body).toMatchObject({ method: 'POST', url: '/translate', body: text });
    });

    it('pays equal purchases with a transaction each', async () => {
      const ware = { units: 10_000n, payee: seller.payTo, dialect: 'x402-v1' };
      const names = new Set<string>();
      for (let n = 0; n < tries(3, 8); n += 1)
        names.add((await buyOnce(buyer, { url: `${seller.url}/weather?city=Lisbon` }, ware)).debit.signature);
      expect(names.size).toBe(tries(3, 8));
    });

    it('accepts the header that an agent got by POST /pay for its own HTTP', async () => {
      const { agent, rpcUrl } = buyer;
      const before = await debitsOf(rpcUrl, agent.wallet);
      const place = `${seller.url}/weather?city=Oslo`;
      const [entry] = (JSON.parse((await ask(place)).text) as { accepts: object[] }).accepts;
      const body = { x402: entry, resource: place };
      const paid = await agent.client.post(`/v1/agents/${agent.agentId}/pay`, body, { key: randomUUID() });
      expect(paid.status, paid.text).toBe(202);
      const { paymentId, x402 } = paid.body;
      expect(x402.header.toLowerCase()).toBe('x-payment');
      const served = await ask(place, { [x402.header]: x402.value });
      expect(served.status, served.text).toBe(200);
      const told = await confirmed(buyer, paymentId);
      const debits = await debitsOf(rpcUrl, agent.wallet);
      expect(debits.length).toBe(before.length + 1);
      expect(debits.at(-1)).toMatchObject({
        units: 10_000n,
        signature: told['txSignature'],
        feePayer: seller.feePayer,
      });
    });
  },
);

describe('a paid fetch of the official MPP seller', () => {
  let buyer: Buyer;
  beforeAll(async () => {
    buyer = await newBuyer(shop, 'mpp');
  });
  const many = tries(5, 20);

  it.each([
    ['/push?n=1', 10_000n, null],
    ['/push-identified', 10_000n, 'order 17'],
  ])('sends the transaction itself and shows its signature: %s', async (path, units, memo) => {
    const { body, debit } = await buyOnce(
      buyer,
      { url: `${mpp.url}${path}` },
      { units, payee: mpp.payTo, dialect: 'mpp' },
    );
    expect(body).toMatchObject({ method: 'GET', url: path });
    expect(debit.memo).toBe(memo);
    // The treasury pays the fee, so that agents hold USDC alone.
    expect(debit.feePayer).toBe(buyer.treasury.owner);
  });

  it.each([
    ['/pull?n=1', 20_000n, null],
    ['/pull-identified', 20_000n, 'order 18'],
  ])(
    'gives the seller the signed transaction when the seller pays the fee: %s',
    async (path, units, memo) => {
      const { body, debit } = await buyOnce(
        buyer,
        { url: `${mpp.url}${path}` },
        { units, payee: mpp.payTo, dialect: 'mpp' },
      );
      expect(body).toMatchObject({ method: 'GET', url: path });
      expect(debit).toMatchObject({ memo, feePayer: mpp.feePayer });
    },
  );

  it.each([
    ['/splits', 30_000n, [5_000n]],
    ['/splits-pull', 40_000n, Array.from({ length: 8 }, (_, n) => 1_000n + BigInt(n))],
  ])('pays each of several recipients its part in one transaction: %s', async (path, units, parts) => {
    const held = () => Promise.all([mpp.payTo, ...mpp.others].map(usdcOf));
    const before = await held();
    const { body } = await buyOnce(
      buyer,
      { url: `${mpp.url}${path}` },
      { units, payee: mpp.payTo, dialect: 'mpp' },
    );
    expect(body).toMatchObject({ method: 'GET', url: path });
    const got = (await held()).map((now, n) => now - (before[n] ?? 0n));
    const own = units - parts.reduce((sum, part) => sum + part, 0n);
    expect(got).toEqual([own, ...parts, ...Array<bigint>(8 - parts.length).fill(0n)]);
  });

  it('pays none of several recipients when one has no account', async () => {
    const [debits, spent] = [await debitsOf(buyer.rpcUrl, buyer.agent.wallet), spentBy(buyer)];
    const { status, text } = await paidFetch(buyer, { url: `${mpp.url}/splits-closed` });
    expect(status, text).toBe(501);
    expect(text).toContain('A recipient has no USDC account yet');
    expect(spentBy(buyer)).toBe(spent);
    expect(await debitsOf(buyer.rpcUrl, buyer.agent.wallet)).toEqual(debits);
  });

  it.each(['/push', '/pull', '/push-identified'])(
    `answers ${many} equal purchases of %s at once with ${many} transactions`,
    async (path) => {
      await buyAtOnce(buyer, `${mpp.url}${path}`, many);
      expect(clean(await audit(buyer.treasury.host))).toEqual(allWell);
    },
  );
});

it('a seller with sign-in-with-x lets the wallet in that paid, and asks every other for money', async () => {
  const buyer = await newBuyer(shop, 'signs-in');
  const { agent, rpcUrl } = buyer;
  await buyOnce(
    buyer,
    { url: `${signingIn.url}/library` },
    { units: 10_000n, payee: signingIn.payTo, dialect: 'x402-v2' },
  );
  const [debits, spent] = [await debitsOf(rpcUrl, agent.wallet), spentBy(buyer)];

  const again = await paidFetch(buyer, { url: `${signingIn.url}/library?page=2` });
  expectStatus(again, 200);
  const events: unknown = JSON.parse((await ask(`${signingIn.url}/asked`)).text);
  const recorded = { type: 'payment_recorded', resource: '/library', address: agent.wallet };
  expect([again.body['payment'], events]).toEqual([
    null,
    [recorded, { ...recorded, type: 'access_granted' }],
  ]);
  expect([again.body['status'], again.body['body']]).toEqual([200, '{"books":3}']);
  expect(await debitsOf(rpcUrl, agent.wallet)).toEqual(debits);
  expect(spentBy(buyer)).toBe(spent);

  await buyOnce(
    await newBuyer(shop, 'other'),
    { url: `${signingIn.url}/library` },
    { units: 10_000n, payee: signingIn.payTo, dialect: 'x402-v2' },
  );
});

const one = 1_000_000n;

// The last, since the treasury's own money goes to the cold wallet.
it('an agent that lives from a cold treasury pays each seller once, with money that was drawn', async () => {
  const { client: owner, host } = shop.treasury;
  const buyer = await newBuyer(shop, 'from-cold', null);
  await settled(shop);
  const cold = await liveFromCold(shop.treasury, 30n * one);
  expectStatus(await owner.post('/v1/agents/from-cold/allocate', { amount: '1.00' }), 200);
  await settled(shop);
  expect(await cold.account()).toMatchObject({ allowance: 29n * one });
  const [v1Seller] = v1.values();
  const wares = [
    ['x402-v2', v2, '/weather?city=Lisbon', 10_000n],
    ['x402-v1', v1Seller as Official, '/weather?city=Lisbon', 10_000n],
    ['mpp', mpp, '/push?n=1', 10_000n],
    ['mpp', mpp, '/pull?n=1', 20_000n],
  ] as const;
  for (const [dialect, seller, path, units] of wares) {
    await buyOnce(buyer, { url: `${seller.url}${path}` }, { units, payee: seller.payTo, dialect });
  }
  await settled(shop);
  // A refill makes up for exactly what was paid.
  expectStatus(
    await owner.post('/v1/agents/from-cold/refill', {
      refill: { below: '0.96', to: '1.06', perDay: '5.00' },
    }),
    200,
  );
  await until('the refill', async () => {
    await host.engine.refills.look();
    return (await cold.account()).allowance === 29n * one - 110_000n;
  });
  await settled(shop);
  expect(clean(await audit(host))).toEqual(allWell);
});
