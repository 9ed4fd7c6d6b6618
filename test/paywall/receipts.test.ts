// Receipts that were tampered with, or are shown for another request than they were bought for; the target of a
// request, whose price and handler have to be of the same URL; and the paywall for handlers that take a Request and
// return a Response.
import { IncomingMessage, request as httpRequest, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Keypair } from '@solana/web3.js';
import express from 'express';
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { UnsignedReceipt } from '../../server/lib/solana/receipt.ts';
import { paywall } from '../../server/paywall/paywall.ts';
import type { GrantStore, Invoice, Payment, PaywallOptions, Priced } from '../../server/paywall/types.ts';
import { tries } from '../harness/tries.ts';
import { base64Json, sampleReceipt, signReceipt } from '../x402/keys.ts';
import { price, unknownSignature } from '../x402/market.ts';
import { encoded, pay } from './credentials.ts';
import { ask, closeServer, listen, openShop, quote, refused } from './seller.ts';
import { market, shop, signed, useShop } from './use-shop.ts';

useShop();

describe('a receipt that was tampered with is refused', () => {
  const stranger = Keypair.generate();
  const address = stranger.publicKey.toBase58();
  test.each<[string, string, (receipt: UnsignedReceipt) => string]>([
    ['signed by another wallet', 'bad_signature', (receipt) => signed(receipt, stranger)],
    [
      'made out to another payer, who signs it',
      'wrong_payer',
      (receipt) => signed({ ...receipt, payer: address }, stranger),
    ],
    ['for another recipient', 'wrong_recipient', (receipt) => signed({ ...receipt, recipient: address })],
    ['for a higher amount', 'wrong_amount', (receipt) => signed({ ...receipt, amount: '0.02' })],
    ['for a lower amount', 'wrong_amount', (receipt) => signed({ ...receipt, amount: '0.009999' })],
    ['for devnet', 'wrong_network', (receipt) => signed({ ...receipt, network: 'devnet' })],
    ['for mainnet', 'wrong_network', (receipt) => signed({ ...receipt, network: 'mainnet' })],
    ['with another payment id', 'wrong_memo', (receipt) => signed({ ...receipt, paymentId: 'other' })],
    [
      'with a later time',
      'wrong_timestamp',
      (receipt) =>
        signed({ ...receipt, timestamp: new Date(Date.parse(receipt.timestamp) + 1000).toISOString() }),
    ],
    [
      'with a time off by a millisecond',
      'wrong_timestamp',
      (receipt) =>
        signed({ ...receipt, timestamp: new Date(Date.parse(receipt.timestamp) + 1).toISOString() }),
    ],
    ['without its invoice', 'invoice_missing', (receipt) => signed({ ...receipt, invoice: undefined })],
    [
      'with an invoice of somebody’s making',
      'unknown_invoice',
      (receipt) => signed({ ...receipt, invoice: 'A'.repeat(22) }),
    ],
    [
      'with a transaction that does not exist',
      'not_visible',
      (receipt) => signed({ ...receipt, txSignature: unknownSignature() }),
    ],
    [
      'with a field more',
      'malformed_receipt',
      (receipt) => `v1.${base64Json({ ...signReceipt(receipt, market.buyer), x: 1 })}`,
    ],
    ['without its prefix', 'unsupported_payment', (receipt) => signed(receipt).slice(3)],
    ['as x402 v1 has it', 'unsupported_payment', () => base64Json({ x402Version: 1, payload: {} })],
  ])('%s: %s', async (_, code, tamper) => {
    const receipt = await market.buy({ invoice: await quote(shop.forecast) });
    const answer = await ask(shop.forecast, tamper(receipt));
    expect(refused(answer)).toEqual({ status: 402, code });
    expect(answer.body).toMatchObject({
      error: expect.stringMatching(/\S+ \S+ \S+/),
      amount: price,
      currency: 'USDC',
    });
    // The refusal left the receipt unspent.
    expect((await ask(shop.forecast, signed(receipt))).status).toBe(200);
  });
});

/** A request with this target as it stands, which `fetch` would normalise. */
const get = (url: string, path: string): Promise<{ status: number; body: Record<string, unknown> }> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(url);
    httpRequest({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
        }),
      );
    })
      .on('error', reject)
      .end();
  });

const priceOf = ({ url }: Priced): string => (url === '/premium' ? '5.00' : '0.01');

it.each(['http://x/premium', 'HTTPS://x/premium', String.raw`http://x/\premium`, '/premium#x'])(
  'a request for %s is quoted no price',
  async (target) => {
    const app = express();
    app.get('/{*any}', paywall({ ...shop.options, price: priceOf }), (_, response) => void response.json({}));
    const { url, server } = await listen(app);
    expect((await get(url, '/premium')).body['amount']).toBe('5.00');
    const { status, body } = await get(url, target);
    expect([status, body['code'], body['amount']]).toEqual([400, 'bad_target', undefined]);
    await closeServer(server);
  },
);

const place = 'https://shop.test/goods?n=1';
const web = (
  handler: (request: Request, payment: Payment | null) => Response | Promise<Response>,
  more: Partial<PaywallOptions> = {},
) => paywall({ ...shop.options, ...more }).web(handler);
const fail = (): Promise<never> => Promise.reject(new Error('no store'));
const failing = { saveInvoice: fail, findInvoice: fail, isUsed: fail, grant: fail };
const neverCalled = (): Response => {
  throw new Error('the handler must not be called');
};

/** A receipt for the request that this 402 answers. */
const receiptFor = async (asked: Response): Promise<string> => {
  expect(asked.status).toBe(402);
  expect(asked.headers.get('cache-control')).toBe('no-store');
  const { invoice } = (await asked.json()) as { invoice: string };
  return signed(await market.buy({ invoice }));
};
const post = (body: string, headers: Record<string, string> = {}): Request =>
  new Request(place, { method: 'POST', body, headers });
const paidPost = (body: string, receipt: string): Request => post(body, { 'x-payment': receipt });

describe('a handler of a Request', () => {
  it('is called once for a payment, with it, with the body unread and the further arguments', async () => {
    const seen: unknown[] = [];
    const handle = paywall(shop.options).web(async (request, payment, context: { params: string }) => {
      seen.push([await request.json(), payment?.payer, context.params]);
      return Response.json({ sold: true });
    });
    const context = { params: 'p' };
    const receipt = await receiptFor(await handle(post('{"n":1}'), context));
    const served = await handle(paidPost('{"n":1}', receipt), context);
    expect([served.status, await served.json()]).toEqual([200, { sold: true }]);
    expect((await handle(paidPost('{"n":1}', receipt), context)).status).toBe(402);
    expect(seen).toEqual([[{ n: 1 }, market.buyer.publicKey.toBase58(), 'p']]);
  });

  it('is not called for another body, method, path or query', async () => {
    const asking = web(neverCalled);
    const receipt = await receiptFor(await asking(post('{"n":1}')));
    const headers = { 'x-payment': receipt };
    for (const request of [
      paidPost('{"n":2}', receipt),
      new Request(place, { method: 'PUT', body: '{"n":1}', headers }),
      new Request(place, { headers }),
      new Request(`${place}&m=2`, { method: 'POST', body: '{"n":1}', headers }),
      new Request('https://shop.test/other?n=1', { method: 'POST', body: '{"n":1}', headers }),
    ]) {
      const answer = await asking(request);
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
        402,
        'wrong_request',
      ]);
    }
    expect((await web(() => new Response('sold'))(paidPost('{"n":1}', receipt))).status).toBe(200);
  });

  it('is not called for a body that is too long, whether its length is announced or not', async () => {
    const asking = web(neverCalled, { maxBodyBytes: 10 });
    const streamed = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(8));
      },
    });
    const endless = new Request(place, { method: 'POST', body: streamed, duplex: 'half' } as RequestInit);
    for (const request of [post('x'.repeat(11)), post('x', { 'content-length': '11' }), endless])
      expect((await asking(request)).status).toBe(413);
    expect((await asking(post('x'.repeat(10)))).status).toBe(402);
  });

  it('gets no payment with a free request', async () => {
    const freeQuota = { requests: 1, payer: () => 'web' };
    const handle = web((_, payment) => Response.json({ payment }), { freeQuota });
    expect(await (await handle(new Request(place))).json()).toEqual({ payment: null });
    expect((await handle(new Request(place))).status).toBe(402);
  });

  it('may return a response whose headers cannot be changed', async () => {
    const handle = web(() => Response.redirect('https://shop.test/elsewhere', 303));
    // A client of MPP needs a server to talk to.
    const { url, server } = await listen((request, response) => {
      void handle(new Request(place, { headers: request.headers as Record<string, string> })).then(
        async (answer) => {
          response.writeHead(answer.status, Object.fromEntries(answer.headers));
          response.end(await answer.text());
        },
      );
    });
    const credential = await pay(market, 'mpp', url);
    await closeServer(server);
    const served = await handle(new Request(place, { headers: { authorization: encoded(credential) } }));
    expect(served.status).toBe(303);
    expect(served.headers.get('location')).toBe('https://shop.test/elsewhere');
    expect(served.headers.get('payment-receipt')).toMatch(/^[\w-]+$/);
  });

  it.each<[string, Partial<PaywallOptions>, () => Request]>([
    ['the store fails', { store: failing }, () => new Request(place)],
    ['the price fails', { price: () => Promise.reject(new Error('no price')) }, () => new Request(place)],
  ])('is not called when %s: the call rejects', async (_, more, request) => {
    await expect(web(neverCalled, more)(request())).rejects.toThrow(/no (price|store)/);
  });

  it('has to be the first to read the body', async () => {
    const request = post('{"n":1}');
    await request.text();
    await expect(web(neverCalled)(request)).rejects.toThrow('before the body is read');
  });
});

const posting = (body: string) => ({
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
    const header = signed(await market.buy({ invoice: await quote(shop.orders, posting('{"n":1}')) }));
    for (const init of [posting('{"n":2}'), posting('{"n": 1}'), { method: 'POST' }]) {
      expect(refused(await ask(shop.orders, header, init))).toEqual({ status: 402, code: 'wrong_request' });
    }
    expect((await ask(shop.orders, header, posting('{"n":1}'))).body).toEqual({ ordered: { n: 1 } });
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
  // A store of one's own that keeps invoices.
  const { secret: _, ...own } = shop.store;
  const store = {
    ...own,
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
