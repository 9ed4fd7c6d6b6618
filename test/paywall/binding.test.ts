// A receipt is valid for the request that it was bought for, and noise in its header is refused.
import express from 'express';
import * as fc from 'fast-check';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { paywall } from '../../server/paywall/paywall.ts';
import type { GrantStore, Invoice, PaywallOptions } from '../../server/paywall/types.ts';
import { tries } from '../harness/tries.ts';
import { sampleReceipt, signReceipt } from '../x402/keys.ts';
import { ask, closeServer, listen, openShop, quote, refused } from './seller.ts';
import { market, shop, signed, useShop } from './use-shop.ts';

useShop();

const post = (body: string) => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/json' },
});

describe('a receipt is valid for the request that it was bought for', () => {
  test.each<[string, () => [url: string, init?: RequestInit]]>([
    ['another query', () => [`${shop.url}/forecast?city=Rome`]],
    ['no query', () => [`${shop.url}/forecast`]],
    ['another order of the query', () => [`${shop.url}/forecast?city=Oslo&x`]],
    ['another spelling of the query', () => [`${shop.url}/forecast?city=%4fslo`]],
    ['another path', () => [`${shop.url}/orders?city=Oslo`]],
    ['another method', () => [shop.forecast, { method: 'OPTIONS' }]],
  ])('and not with %s', async (_, other) => {
    const header = signed(await market.buy({ invoice: await quote(shop.forecast) }));
    const [url, init] = other();
    const all = url.replace('/forecast', '/orders');
    // The route for every method has the same recipient, price and store.
    const answer = await ask(init ? all : url, header, init);
    expect(refused(answer)).toEqual({ status: 402, code: 'wrong_request' });
    expect((await ask(shop.forecast, header)).status).toBe(200);
  });

  test('and not under another path that the same router is mounted at', async () => {
    const router = express.Router();
    router.get('/x', paywall(shop.options), (_, response) => void response.json({ sun: true }));
    const { url, server } = await listen(express().use('/a', router).use('/b', router));
    const header = signed(await market.buy({ invoice: await quote(`${url}/a/x`) }));
    expect(refused(await ask(`${url}/b/x`, header))).toEqual({ status: 402, code: 'wrong_request' });
    expect((await ask(`${url}/a/x`, header)).status).toBe(200);
    await closeServer(server);
  });

  test('and not with another body, even by a space', async () => {
    const header = signed(await market.buy({ invoice: await quote(shop.orders, post('{"n":1}')) }));
    for (const init of [post('{"n":2}'), post('{"n": 1}'), { method: 'POST' }]) {
      expect(refused(await ask(shop.orders, header, init))).toEqual({ status: 402, code: 'wrong_request' });
    }
    expect((await ask(shop.orders, header, post('{"n":1}'))).body).toEqual({ ordered: { n: 1 } });
  });

  test('each transplant between two requests is refused', async () => {
    const cities = Array.from({ length: tries(9, 25) }, (_, at) => `${shop.url}/forecast?city=Town${at}`);
    const headers = await Promise.all(
      cities.map(async (url) => signed(await market.buy({ invoice: await quote(url) }))),
    );
    const answers = await Promise.all(
      headers.flatMap((header, from) =>
        cities.filter((_, to) => to !== from && (to + from) % 6 !== 0).map((url) => ask(url, header)),
      ),
    );
    expect(answers.length).toBeGreaterThanOrEqual(tries(50, 490));
    expect(new Set(answers.map((answer) => answer.body['code']))).toEqual(new Set(['wrong_request']));
  });
});

const open = (more: Partial<PaywallOptions>) => {
  const wall = paywall({ ...shop.options, ...more });
  return listen((request, response) => void wall(request, response, () => response.end('{}')));
};

describe('two services on one store', () => {
  test.each<[string, Partial<PaywallOptions>, Partial<PaywallOptions>]>([
    ['service', { service: 'cheap' }, { service: 'dear' }],
    ['origin', { origin: 'https://cheap.test' }, { origin: 'https://dear.test' }],
  ])('do not serve each other’s payments when %s differs', async (_, cheap, dear) => {
    const [one, other] = [await open(cheap), await open({ ...dear, price: '5.00' })];
    const header = signed(await market.buy({ invoice: await quote(`${one.url}/report`) }));
    expect((await ask(`${other.url}/report`, header)).status).toBe(402);
    expect((await ask(`${one.url}/report`, header)).status).toBe(200);
    for (const { server } of [one, other]) await closeServer(server);
  });
});

test('a URL of any length is bound, and takes little room in the store', async () => {
  const saved: Invoice[] = [];
  const store = {
    ...shop.store,
    saveInvoice: (invoice: Invoice) => (saved.push(invoice), shop.store.saveInvoice(invoice)),
  };
  const { url, server } = await open({ store });
  const long = `${url}/report?${'x'.repeat(12_000)}`;
  const header = signed(await market.buy({ invoice: await quote(long) }));
  expect(saved[0]?.url.length).toBeLessThanOrEqual(200);
  expect(refused(await ask(`${long}y`, header))).toEqual({ status: 402, code: 'wrong_request' });
  expect((await ask(long, header)).status).toBe(200);
  await closeServer(server);
});

describe('time', () => {
  test('a receipt is valid until its payment is ten minutes old by the chain’s time, and not after', async () => {
    const young = await market.buy({ invoice: await quote(shop.forecast) });
    const old = await market.buy({ invoice: await quote(shop.forecast) });
    const unbound = await market.buy();
    await market.rpc('sandbox_warp', [1460]);
    expect((await ask(shop.forecast, signed(young))).status).toBe(200);
    await market.rpc('sandbox_warp', [50]);
    expect(refused(await ask(shop.forecast, signed(old)))).toEqual({ status: 402, code: 'too_old' });
    expect(refused(await ask(shop.loose, signed(unbound)))).toEqual({ status: 402, code: 'too_old' });
  });

  test('an invoice has to be paid before it expires', async () => {
    const short = await openShop(market, { invoiceSeconds: 60 });
    const [inTime, late] = [await quote(short.forecast), await quote(short.forecast)];
    const first = await market.buy({ invoice: inTime });
    await market.rpc('sandbox_warp', [200]);
    const second = await market.buy({ invoice: late });
    expect(refused(await ask(short.forecast, signed(second)))).toEqual({
      status: 402,
      code: 'invoice_expired',
    });
    // It is paid in time, and presented later.
    expect((await ask(short.forecast, signed(first))).status).toBe(200);
    await short.close();
  });

  test('a block from the future is not believed', async () => {
    const slow = await openShop(market, { now: () => Date.now() - 1000 });
    const receipt = await market.buy({ invoice: await quote(slow.forecast) });
    // The warps above put the chain well ahead of this machine's clock.
    expect(refused(await ask(slow.forecast, signed(receipt)))).toEqual({
      status: 402,
      code: 'from_the_future',
    });
    await slow.close();
  });
});

const encode = (text: string) => `v1.${Buffer.from(text).toString('base64')}`;

describe('noise in X-Payment', () => {
  const unforgiving: GrantStore = {
    saveInvoice: () => undefined,
    findInvoice: () => undefined,
    isUsed: () => false,
    grant: () => {
      throw new Error('granted');
    },
  };

  const count = tries(1_000, 20_000);
  test(`${count} headers: nothing is thrown, nothing is granted, all are 402`, async () => {
    const wall = paywall({ ...shop.options, store: unforgiving, bind: 'optional', now: Date.now });
    const honest = signReceipt(sampleReceipt(market.buyer), market.buyer);
    const json = JSON.stringify(honest);
    const fields = Object.keys(honest) as (keyof typeof honest)[];
    const headers = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 500 }),
      fc.base64String({ maxLength: 500 }).map((text) => `v1.${text}`),
      fc.uint8Array({ maxLength: 500 }).map((bytes) => `v1.${Buffer.from(bytes).toString('base64')}`),
      fc.json().map(encode),
      fc
        .tuple(fc.nat(json.length), fc.string({ maxLength: 4 }))
        .map(([at, text]) => encode(json.slice(0, at) + text + json.slice(at + 1))),
      fc
        .tuple(fc.constantFrom(...fields), fc.oneof(fc.string(), fc.json()))
        .map(([field, value]) => encode(JSON.stringify({ ...honest, [field]: value }))),
      fc
        .record({ amount: fc.string(), service: fc.string({ minLength: 1, maxLength: 50 }) })
        .map((change) => signed({ ...honest, ...change, recipient: shop.options.recipient })),
    );
    let asked = 0;
    const property = fc.asyncProperty(headers, async (header) => {
      const request = new IncomingMessage(new Socket());
      request.method = 'GET';
      request.url = '/forecast';
      request.headers['x-payment'] = header;
      const response = new ServerResponse(request);
      let passed: unknown = 'refused';
      await wall(request, response, (error) => (passed = error ?? 'granted'));
      asked++;
      return passed === 'refused' && response.statusCode === 402;
    });
    await fc.assert(property, { numRuns: count });
    expect(asked).toBe(count);
  });

  test.each<[string, string]>([
    ['200 kB of base64', `v1.${'A'.repeat(200_000)}`],
    ['200 kB of nothing', ` ${'x'.repeat(200_000)}`],
    ['half of base64', 'v1.eyJ'],
    ['no JSON', `v1.${Buffer.from('{"txSignature":').toString('base64')}`],
    ['nothing at all', ''],
    ['the prefix', 'v1.'],
  ])('%s over HTTP is 402', async (_, header) => {
    expect((await ask(shop.forecast, header)).status).toBe(402);
  });
});
