import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2 } from 'node:http2';
import type { ClientHttp2Session } from 'node:http2';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepRawBody, paywall } from '../../server/paywall/paywall.ts';
import type { Priced } from '../../server/paywall/types.ts';
import { ask, closeServer, listen, quote, refused } from './seller.ts';
import { market, shop, signed, useShop } from './use-shop.ts';

useShop();

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
