// Prices that depend on the request, free requests, what a seller is told, and the body of a request, which paywall
// and handler both read.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2, type ClientHttp2Session } from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createGrantStore } from '../../server/paywall/store/grant-store.ts';
import { keepRawBody, paywall } from '../../server/paywall/paywall.ts';
import type { Asked, Payment, PaywallOptions, Priced } from '../../server/paywall/types.ts';
import { ask, closeServer, listen, quote, refused } from './seller.ts';
import { market, shop, signed, useShop } from './use-shop.ts';

useShop();

const withSeller = async (
  more: Partial<PaywallOptions>,
  use: (url: string, served: (Payment | undefined)[]) => Promise<void>,
): Promise<void> => {
  const paid = paywall({ ...shop.options, ...more });
  const served: (Payment | undefined)[] = [];
  const { url, server } = await listen((request, response) => {
    void paid(request, response, (error) => {
      if (error === undefined) served.push((request as { payment?: Payment }).payment);
      response.statusCode = error === undefined ? 200 : 500;
      response.end(JSON.stringify({ error: error instanceof Error ? error.message : null }));
    });
  });
  await use(url, served).finally(() => closeServer(server));
};

const byModel = ({ header }: Priced): string => (header('x-model') === 'large' ? '5.00' : '0.01');
const using = (model: string) => ({ headers: { 'x-model': model } });

describe('a price that is a function', () => {
  it('is asked for each request, with its method, path, body and the headers that are bound', async () => {
    const seen: Priced[] = [];
    const price = (asked: Priced): string => {
      seen.push(asked);
      return asked.body.length > 4 ? '0.02' : '0.01';
    };
    await withSeller({ price, boundHeaders: ['x-plan', 'X-None'] }, async (url) => {
      const init = { method: 'POST', body: 'long text', headers: { 'x-plan': 'gold' } };
      expect((await ask(`${url}/a?b=1`, null, init)).body['amount']).toBe('0.02');
      expect((await ask(url)).body['amount']).toBe('0.01');
      const [first] = seen;
      expect(first).toMatchObject({ method: 'POST', url: '/a?b=1' });
      expect(first?.header('X-Plan')).toBe('gold');
      expect(first?.header('x-none')).toBeNull();
      expect(first?.body.toString()).toBe('long text');
    });
  });

  it('binds the payment to the headers that it may read', async () => {
    await withSeller({ price: byModel, boundHeaders: ['X-Model'] }, async (url, served) => {
      const header = signed(await market.buy({ invoice: await quote(url, using('small')) }));
      for (const other of [using('large'), using('small, large'), {}])
        expect(refused(await ask(url, header, other))).toEqual({ status: 402, code: 'wrong_request' });
      expect(served).toEqual([]);
      expect((await ask(url, header, using('small'))).status).toBe(200);
    });
  });

  it.each<[string, (asked: Priced) => unknown, string]>([
    ['another header', ({ header }) => header('x-model'), 'x-model: name it in boundHeaders'],
    ['the host', (asked) => (asked as Asked).origin, 'origin: name host in boundHeaders'],
  ])('that reads %s is an internal error, and quotes nothing', async (_, read, words) => {
    const price = (asked: Priced): string => (read(asked) === 'large' ? '5.00' : '0.01');
    await withSeller({ price, boundHeaders: ['x-plan'] }, async (url) => {
      const { status, body } = await ask(url);
      expect([status, body['error']]).toEqual([500, `paywall: price reads ${words}`]);
    });
  });

  it('may be a promise, and a quote binds although the price has changed', async () => {
    let now = '0.01';
    await withSeller({ price: () => Promise.resolve(now), bind: 'optional' }, async (url) => {
      const invoice = await quote(url);
      now = '0.03';
      expect((await ask(url, signed(await market.buy({ invoice })))).status).toBe(200);
      // A receipt without an invoice names no quote: it is held against the price as it is.
      expect(refused(await ask(url, signed(await market.buy())))).toEqual({
        status: 402,
        code: 'wrong_amount',
      });
    });
  });

  it.each(['0', '-1', 'free', '0.0000001', ''])(
    'that returns %j is an internal error, and grants nothing',
    async (price) => {
      await withSeller({ price: () => price }, async (url, served) => {
        const { status, body } = await ask(url);
        expect(status).toBe(500);
        expect(body['error']).toMatch(/^paywall: price: must be/);
        expect(served).toEqual([]);
      });
    },
  );
});

const payer = (asked: Asked): string | null => asked.header('x-api-key');
const as = (name: string) => ({ headers: { 'x-api-key': name } });

describe('a free quota', () => {
  it('lets each payer have so many requests in a period, also at once and by two sellers, and then asks to pay', async () => {
    const freeQuota = { requests: 10, everySeconds: 1_000_000_000, payer };
    await withSeller({ freeQuota }, async (url, served) =>
      withSeller({ freeQuota }, async (other) => {
        const answers = await Promise.all(
          Array.from({ length: 40 }, (_, n) => ask(n % 2 === 0 ? url : other, null, as('ann'))),
        );
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
        expect((await ask(url, null, as('ann'))).body['code']).toBe('payment_required');
        expect((await ask(url, null, as('bob'))).status).toBe(200);
        expect((await ask(url)).body['code']).toBe('payment_required');
        expect(served.every((payment) => payment === undefined)).toBe(true);
        // A payment is granted beside the quota, and is no free request.
        const header = signed(await market.buy({ invoice: await quote(url) }));
        expect((await ask(url, header, as('ann'))).status).toBe(200);
        expect(served.at(-1)?.dialect).toBe('receipt');
      }),
    );
  });

  it.each([undefined, 7, {}])('is none for a payer that is %j', async (none) => {
    const freeQuota = { requests: 1, payer: () => none as unknown as string };
    await withSeller({ freeQuota }, async (url, served) => {
      expect(refused(await ask(url))).toEqual({ status: 402, code: 'payment_required' });
      expect(served).toEqual([]);
    });
  });

  it('begins again with each period', () => {
    const store = createGrantStore(`${market.dataDir}/quota.db`);
    const take = (until: number) => store.takeFree({ payer: 'ann', until, most: 1 });
    const later = Date.now() + 100_000;
    expect([take(later), take(later), take(later + 1), take(later)]).toEqual([true, false, true, false]);
    store.close();
  });

  it('needs a store that counts', () => {
    const { takeFree: _, ...store } = shop.store;
    const options = { ...shop.options, store, freeQuota: { requests: 1, payer } };
    expect(() => paywall(options)).toThrow('paywall: store: must have takeFree, which freeQuota needs');
  });

  it.each([
    [{ requests: 0, payer }, 'freeQuota.requests: must be a whole number of at least 1'],
    [{ requests: 1 }, 'freeQuota.payer: must be a function'],
  ])('%j is refused at once', (freeQuota, words) => {
    expect(() => paywall({ ...shop.options, freeQuota } as PaywallOptions)).toThrow(words);
  });
});

describe('onPaid', () => {
  it('is told of each grant once, before the request is served, and its error costs the buyer nothing', async () => {
    const told: Payment[] = [];
    const warned: string[] = [];
    const onPaid = (payment: Payment): void => {
      told.push(payment);
      throw new Error('the books are closed');
    };
    const log = { warn: (_: object, message: string) => void warned.push(message) };
    await withSeller({ onPaid, log }, async (url, served) => {
      const header = signed(await market.buy({ invoice: await quote(url) }));
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(url, header)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(told).toEqual(served);
      expect(told).toHaveLength(1);
      expect(warned).toEqual(['onPaid failed']);
    });
  });
});

it('an older Node is told in a sentence what to do', () => {
  const { node } = process.versions;
  Object.defineProperty(process.versions, 'node', { value: '20.19.0', configurable: true });
  try {
    expect(() => createGrantStore(`${market.dataDir}/old.db`)).toThrow(
      'createGrantStore needs Node 22 or newer, and this is Node 20.19.0',
    );
  } finally {
    Object.defineProperty(process.versions, 'node', { value: node, configurable: true });
  }
});

const streamed = (): RequestInit =>
  ({
    method: 'POST',
    duplex: 'half',
    body: new ReadableStream<Uint8Array>({
      async start(controller) {
        for (const part of ['one ', 'two ', 'three']) {
          controller.enqueue(Buffer.from(part));
          await new Promise(setImmediate);
        }
        controller.close();
      },
    }),
  }) as RequestInit;

describe('without Express', () => {
  let plain: { url: string; server: Server };
  beforeAll(async () => {
    const wall = paywall(shop.options);
    plain = await listen((request, response) => {
      void wall(request, response, (error) => {
        if (error) return void response.writeHead(500).end(JSON.stringify({ error: String(error) }));
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => response.end(JSON.stringify({ echo: Buffer.concat(chunks).toString() })));
      });
    });
  });
  afterAll(() => closeServer(plain.server));

  test('the handler still reads the body that the paywall has read', async () => {
    for (const body of ['x', 'ü'.repeat(200_000), undefined]) {
      const init = body === undefined ? { method: 'POST' } : { method: 'POST', body };
      const header = signed(await market.buy({ invoice: await quote(`${plain.url}/any?x=1`, init) }));
      expect((await ask(`${plain.url}/any?x=1`, header, init)).body).toEqual({ echo: body ?? '' });
    }
  });

  test('also when the body comes slowly, in chunks of unknown length', async () => {
    const header = signed(await market.buy({ invoice: await quote(plain.url, streamed()) }));
    expect((await ask(plain.url, header, streamed())).body).toEqual({ echo: 'one two three' });
    const nothing = () => ({
      ...streamed(),
      body: new ReadableStream({ start: (controller) => controller.close() }),
    });
    const paid = signed(await market.buy({ invoice: await quote(plain.url, nothing()) }));
    expect((await ask(plain.url, paid, nothing())).body).toEqual({ echo: '' });
  });

  test('a body of more than the cap is 413, announced or not', async () => {
    const small = paywall({ ...shop.options, maxBodyBytes: 1000 });
    const { url, server } = await listen((request, response) => {
      void small(request, response, () => response.end('{}'));
    });
    expect((await ask(url, null, { method: 'POST', body: 'x'.repeat(1000) })).status).toBe(402);
    expect((await ask(url, null, { method: 'POST', body: 'x'.repeat(1001) })).status).toBe(413);
    const body = new Blob(['x'.repeat(1001)]).stream();
    expect((await ask(url, null, { method: 'POST', body, duplex: 'half' } as RequestInit)).status).toBe(413);
    await closeServer(server);
  });

  test('a client that goes away in the middle of its body does no harm', async () => {
    const wall = paywall(shop.options);
    const failed = Promise.withResolvers<unknown>();
    const server = createServer((request, response) => void wall(request, response, failed.resolve));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy());
    expect(await failed.promise).toBeInstanceOf(Error);
    await closeServer(server);
  });
});

describe('a parser in front of the paywall', () => {
  const init = { method: 'POST', body: '{ "n": 1 }', headers: { 'content-type': 'application/json' } };

  test('is fine when it keeps the bytes', async () => {
    const app = express();
    app.post('/', express.json({ verify: keepRawBody }), paywall(shop.options), (request, response) => {
      response.json({ got: request.body as unknown });
    });
    const { url, server } = await listen(app);
    const header = signed(await market.buy({ invoice: await quote(`${url}/`, init) }));
    expect(refused(await ask(`${url}/`, header, { ...init, body: '{"n":1}' }))).toMatchObject({
      code: 'wrong_request',
    });
    expect((await ask(`${url}/`, header, init)).body).toEqual({ got: { n: 1 } });
    await closeServer(server);
  });

  test('is an error that names the cure when it does not', async () => {
    const app = express();
    app.post('/', express.json(), paywall(shop.options));
    app.use(
      (error: Error, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
        response.status(500).json({ error: error.message });
      },
    );
    const { url, server } = await listen(app);
    expect(await ask(`${url}/`, null, init)).toMatchObject({
      status: 500,
      body: { error: expect.stringMatching(/before body parsers/) },
    });
    await closeServer(server);
  });
});

const byLength = ({ body }: Priced): string => (body.length > 10 ? '0.02' : '0.01');

describe('over HTTP/2', () => {
  let plain: { session: ClientHttp2Session; close(): Promise<void> };
  beforeAll(async () => {
    const wall = paywall({ ...shop.options, price: byLength, maxBodyBytes: 100_000 });
    const server = createHttp2((request, response) => {
      // The types of HTTP/2's compatibility layer are not those of HTTP/1, which the paywall names.
      const [asIncoming, asResponse] = [request, response] as unknown as [IncomingMessage, ServerResponse];
      // A seller may look something up first, while the body arrives.
      setImmediate(() =>
        wall(asIncoming, asResponse, (error) => {
          if (error) return void response.end(JSON.stringify({ error: String(error) }));
          const chunks: Buffer[] = [];
          request.on('data', (chunk: Buffer) => chunks.push(chunk));
          request.on('end', () => response.end(JSON.stringify({ echo: Buffer.concat(chunks).toString() })));
        }),
      );
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    plain = {
      session,
      close: async () => {
        session.close();
        await new Promise<void>((resolve) => void server.close(() => resolve()));
      },
    };
  });
  afterAll(() => plain.close());

  const post = (parts: string[] | null, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; body: Record<string, unknown> }>((resolve, reject) => {
      const stream = plain.session.request(
        { ':method': 'POST', ':path': '/orders', ...headers },
        { endStream: parts === null },
      );
      const chunks: Buffer[] = [];
      let status = 0;
      stream.on('response', (answer) => (status = Number(answer[':status'])));
      stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      stream.on('end', () => {
        resolve({ status, body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown> });
      });
      for (const part of parts ?? []) stream.write(part);
      if (parts !== null) stream.end();
    });

  test.each<[string, string[] | null]>([
    ['no body', null],
    ['an empty body', []],
    ['a short body', ['short']],
    ['a long body in parts', ['ü'.repeat(20_000), 'x'.repeat(30_000), 'the end']],
  ])('%s is bound, and still read by the handler', async (_, parts) => {
    const quoted = await post(parts);
    const body = (parts ?? []).join('');
    expect(quoted).toMatchObject({ status: 402, body: { amount: body.length > 10 ? '0.02' : '0.01' } });
    const units = body.length > 10 ? 20_000n : 10_000n;
    const receipt = await market.buy({ invoice: String(quoted.body['invoice']), units });
    const paid = { 'x-payment': signed({ ...receipt, amount: String(quoted.body['amount']) }) };
    expect(await post(['another order'], paid)).toMatchObject({ body: { code: 'wrong_request' } });
    expect(await post(parts, paid)).toMatchObject({ status: 200, body: { echo: body } });
  });

  test('a body of more than the cap is 413, announced or not', async () => {
    for (const headers of [{}, { 'content-length': '100001' }])
      expect((await post(['x'.repeat(100_001)], headers)).status).toBe(413);
  });
});
