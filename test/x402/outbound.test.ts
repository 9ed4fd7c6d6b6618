// The targets of the requests of agents, the public internet and origins that the owner allowed, and the connections
// to them: their reuse, the moment when the bytes of a payment leave, and their end.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  createServer as createSocketServer,
  type AddressInfo,
  type Server as SocketServer,
  type Socket,
} from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../server/errors.ts';
import { createOutbound } from '../../server/x402/outbound.ts';
import { until } from '../harness/treasury.ts';
import { createCertificate } from '../signin/certificate.ts';
import { privateHosts } from './private-hosts.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('targets', () => {
  let heard = 0;
  let listener: SocketServer;
  let seller: Server;
  let port = 0;
  let sellerOrigin = '';
  let outbound: ReturnType<typeof createOutbound>;
  beforeAll(async () => {
    listener = createSocketServer((socket) => {
      heard += 1;
      socket.destroy();
    });
    listener.listen(0, '::');
    await once(listener, 'listening');
    ({ port } = listener.address() as AddressInfo);
    seller = createServer((request, response) => {
      if (request.url === '/endless') {
        const pour = (): void => {
          if (!response.destroyed && response.write('x'.repeat(65_536))) setImmediate(pour);
          else response.once('drain', pour);
        };
        return pour();
      }
      if (request.url === '/silent') return;
      if (request.url === '/cookies')
        return void response.writeHead(200, { 'X-One': 'a', 'Set-Cookie': ['b=1', 'c=2'] }).end();
      if (request.url === '/redirect')
        return void response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end();
      response.end(`${request.method} ${request.headers['x-one'] ?? ''}`);
    });
    seller.listen(0, '127.0.0.1');
    await once(seller, 'listening');
    sellerOrigin = `http://127.0.0.1:${(seller.address() as AddressInfo).port}`;
    outbound = createOutbound({
      allowOrigins: [sellerOrigin],
      ownOrigins: () => [`http://127.0.0.1:${port}`],
      withinMs: 500,
      mostBytes: 1_000_000,
    });
  });
  afterAll(() => {
    outbound.close();
    seller.closeAllConnections();
    seller.close();
    listener.close();
  });
  beforeEach(() => {
    heard = 0;
  });

  describe('an address that is not public', () => {
    it.each(privateHosts)('%s is not contacted', async (host) => {
      await expect(outbound({ url: `https://${host}:${port}/` })).rejects.toMatchObject({
        code: 'bad_request',
      });
      expect(heard).toBe(0);
    });

    it.each([
      'http://example.com/',
      'ftp://example.com/',
      'file:///etc/passwd',
      'javascript:1',
      'https://user:secret@example.com/',
      'https://user@example.com/',
      'nothing',
      '',
      '//example.com',
      'https://',
      'https://exa mple.com/',
    ])('“%s” is no valid target', async (url) => {
      await expect(outbound({ url })).rejects.toMatchObject({ code: 'bad_request' });
      expect(heard).toBe(0);
    });

    it('is this treasury’s own, except below /sandbox/', async () => {
      for (const path of [
        '/',
        '/v1/dashboard',
        '/sandbox',
        '/sandbox/../v1/about',
        '/sandbox/%2e%2e/v1/about',
      ])
        await expect(outbound({ url: `http://127.0.0.1:${port}${path}` })).rejects.toMatchObject({
          code: 'bad_request',
        });
      expect(heard).toBe(0);
      await expect(outbound({ url: `http://127.0.0.1:${port}/sandbox/weather` })).rejects.toMatchObject({
        code: 'not_available',
      });
      // The connection may be refused before the listener is told of it.
      await until('the connection', () => heard > 0);
      expect(heard).toBe(1);
    });
  });

  describe('a seller that the owner allowed', () => {
    it('gets the request unchanged', async () => {
      const url = `${sellerOrigin}/any#fragment`;
      const { status, bytes } = await outbound({ url, method: 'POST', headers: { 'X-One': '1' }, body: 'b' });
      expect([status, bytes.toString()]).toEqual([200, 'POST 1']);
    });

    it('is read with lower-case header names, each with one text', async () => {
      const { headers } = await outbound({ url: `${sellerOrigin}/cookies` });
      expect(headers).toMatchObject({ 'x-one': 'a', 'set-cookie': 'b=1, c=2' });
    });

    it('is not followed to a redirect’s target', async () => {
      expect(await outbound({ url: `${sellerOrigin}/redirect` })).toMatchObject({ status: 302 });
      expect(heard).toBe(0);
    });

    it('may neither answer nor stay silent without end', async () => {
      await expect(outbound({ url: `${sellerOrigin}/endless` })).rejects.toMatchObject({
        code: 'not_available',
        message: expect.stringContaining('MiB'),
      });
      await expect(outbound({ url: `${sellerOrigin}/silent` })).rejects.toMatchObject({
        message: expect.stringContaining('did not answer within'),
      });
    });

    it('is allowed for that origin alone', async () => {
      for (const url of [
        sellerOrigin.replace('127.0.0.1', 'localhost'),
        sellerOrigin.replace('http:', 'https:'),
        `${sellerOrigin}0`,
        sellerOrigin.replace('127.0.0.1', '127.0.0.1.example.com'),
      ])
        await expect(outbound({ url })).rejects.toThrow();
    });
  });
});

describe('connections', () => {
  const ends: (() => void)[] = [];
  afterEach(() => {
    for (const end of ends.splice(0).toReversed()) end();
  });

  interface Seller {
    origin: string;
    sockets: Socket[];
    bytes(): number;
  }

  const open = async (
    server: Server | SocketServer,
    scheme = 'http',
    event = 'connection',
  ): Promise<Seller> => {
    const sockets: Socket[] = [];
    server.on(event, (socket: Socket) => sockets.push(socket.on('error', () => {})));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return {
      origin: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
      sockets,
      bytes: () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    };
  };
  const openHttp = (listener: RequestListener = (_, response) => response.end('ok')) =>
    open(createServer(listener));

  /** A seller that sends `answer` to any request; the hook gets the socket after each. */
  const openRaw = (answered: (socket: Socket) => void = () => {}) =>
    open(
      createSocketServer((socket) =>
        socket.on('data', () => {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
          answered(socket);
        }),
      ),
    );

  const openTls = async () => {
    const certificate = createCertificate();
    const server = createTlsServer(certificate, (_, response) => response.end('ok'));
    return { ...(await open(server, 'https', 'secureConnection')), cert: certificate.cert };
  };

  const outboundTo = (...sellers: Seller[]) => {
    const outbound = createOutbound({
      allowOrigins: sellers.map(({ origin }) => origin),
      ownOrigins: () => ['http://127.0.0.1:1'],
      withinMs: 2_000,
    });
    ends.push(outbound.close);
    return outbound;
  };

  describe('a connection', () => {
    it('is used again for the next request to its origin, and for no other origin', async () => {
      const [one, other] = [await openHttp(), await openHttp()];
      const outbound = outboundTo(one, other);
      for (let index = 0; index < 20; index += 1)
        expect((await outbound({ url: `${one.origin}/${index}`, method: 'POST', body: 'x' })).status).toBe(
          200,
        );
      await outbound({ url: other.origin });
      expect([one.sockets.length, other.sockets.length]).toEqual([1, 1]);
    });

    it('is not used by two requests at once', async () => {
      const seller = await openHttp((_, response) => setTimeout(() => response.end('ok'), 20));
      const outbound = outboundTo(seller);
      const answers = await Promise.all(Array.from({ length: 10 }, () => outbound({ url: seller.origin })));
      expect(answers.map(({ bytes }) => bytes.toString())).toEqual(Array.from({ length: 10 }, () => 'ok'));
      expect(seller.sockets).toHaveLength(10);
    });

    it('that the seller has closed is replaced by a fresh one before anything is sent on it', async () => {
      const seller = await openRaw();
      const outbound = outboundTo(seller);
      for (let index = 0; index < 20; index += 1) {
        await outbound({ url: seller.origin });
        await turn();
        // The seller's FIN is under way, and our side has not read it yet.
        seller.sockets.at(-1)?.[index % 2 === 0 ? 'end' : 'resetAndDestroy']();
        expect((await outbound({ url: seller.origin, method: 'POST', body: 'x' })).bytes.toString()).toBe(
          'ok',
        );
        await turn();
        seller.sockets.at(-1)?.end();
      }
      expect(seller.sockets.length).toBeGreaterThanOrEqual(20);
    });

    it('that the seller has closed takes no payment, and the payment is not tried on another', async () => {
      const seller = await openRaw();
      const outbound = outboundTo(seller);
      let sends = 0;
      let failures = 0;
      for (let index = 0; index < 20; index += 1) {
        await outbound({ url: seller.origin });
        await turn();
        const before = seller.bytes();
        const gated = sends;
        seller.sockets.at(-1)?.end();
        const beforeSending = (): void => {
          sends += 1;
        };
        const answer = await outbound({ url: seller.origin, method: 'POST', body: 'x', beforeSending }).catch(
          (error: unknown) => error,
        );
        if (!(answer instanceof AppError)) continue;
        failures += 1;
        for (let later = 0; later < 5; later += 1) await turn();
        expect([answer.code, sends - gated, seller.bytes() - before]).toEqual(['not_available', 0, 0]);
      }
      expect(failures).toBeGreaterThan(0);
    });

    it('that fails after the request was sent is not tried again', async () => {
      let asked = 0;
      const seller = await openHttp((request, response) => {
        asked += 1;
        if (asked === 2) request.socket.destroy();
        else response.end('ok');
      });
      const outbound = outboundTo(seller);
      await outbound({ url: seller.origin });
      await expect(outbound({ url: seller.origin })).rejects.toMatchObject({ code: 'not_available' });
      expect([asked, seller.sockets.length]).toEqual([2, 1]);
    });

    it('on which an answer comes before the request is not trusted', async () => {
      const forged = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged';
      const seller = await openRaw();
      const outbound = outboundTo(seller);
      for (let index = 0; index < 20; index += 1) {
        await outbound({ url: seller.origin });
        await turn();
        seller.sockets.at(-1)?.write(forged);
        const { bytes } = await outbound({ url: seller.origin });
        expect(bytes.toString()).toBe('ok');
      }
      let sends = 0;
      seller.sockets.at(-1)?.write(forged);
      await outbound({ url: seller.origin, beforeSending: () => (sends += 1) }).then(
        ({ bytes }) => expect([bytes.toString(), sends]).toEqual(['ok', 1]),
        (error: AppError) => expect([error.code, sends]).toEqual(['not_available', 0]),
      );
    });

    it('that switches to another protocol is an error, not a silent wait', async () => {
      const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n';
      const seller = await open(
        createSocketServer((socket) => socket.on('data', () => socket.write(switching))),
      );
      await expect(outboundTo(seller)({ url: seller.origin })).rejects.toMatchObject({
        message: expect.stringContaining('cannot be reached'),
      });
    });

    it('carries an offer of 40 KiB in a header', async () => {
      const offer = 'x'.repeat(40 * 1024);
      const seller = await openHttp((_, response) =>
        response.writeHead(402, { 'payment-required': offer }).end(),
      );
      expect((await outboundTo(seller)({ url: seller.origin })).headers['payment-required']).toBe(offer);
    });
  });

  describe('the gate before a payment', () => {
    class Frozen extends Error {}

    it('lets nothing through when it throws, in each of 100 races', async () => {
      const seller = await openRaw();
      const outbound = outboundTo(seller);
      // Every other race uses a kept connection.
      const errors: unknown[] = [];
      for (let race = 0; race < 100; race += 1) {
        if (race % 2 === 0) await outbound({ url: `${seller.origin}/free` });
        const before = seller.bytes();
        const frozen = new Frozen();
        const beforeSending = (): void => {
          throw frozen;
        };
        const request = { url: seller.origin, method: 'POST', body: 'the signed bytes', beforeSending };
        errors.push(await outbound(request).catch((error: unknown) => error === frozen));
        await turn();
        expect(seller.bytes() - before).toBe(0);
      }
      expect(errors).toEqual(Array.from({ length: 100 }, () => true));
    });

    it('is asked once, when the connection is open, in the same turn in which the bytes leave', async () => {
      const seller = await openHttp();
      const outbound = outboundTo(seller);
      const order: string[] = [];
      const onStart = (): void => void order.push('sent');
      subscribe('http.client.request.start', onStart);
      ends.push(() => unsubscribe('http.client.request.start', onStart));
      for (let index = 0; index < 2; index += 1) {
        const beforeSending = (): void => {
          order.push('gate');
          process.nextTick(() => order.push('next tick'));
          queueMicrotask(() => order.push('microtask'));
        };
        await outbound({ url: seller.origin, beforeSending });
      }
      expect(order).toEqual([
        'gate',
        'sent',
        'next tick',
        'microtask',
        'gate',
        'sent',
        'next tick',
        'microtask',
      ]);
    });

    it('is not asked when nothing listens, nor after the time limit', async () => {
      let asked = 0;
      const beforeSending = (): void => void (asked += 1);
      const gone = await openHttp();
      ends.pop()?.();
      await expect(outboundTo(gone)({ url: gone.origin, beforeSending })).rejects.toMatchObject({
        code: 'not_available',
      });
      const seller = await openHttp();
      const signal = AbortSignal.abort();
      await expect(outboundTo(seller)({ url: seller.origin, beforeSending, signal })).rejects.toMatchObject({
        code: 'not_available',
      });
      expect(asked).toBe(0);
    });
  });

  describe('a seller over TLS', () => {
    let asked = 0;
    const beforeSending = (): void => void (asked += 1);
    beforeEach(() => {
      asked = 0;
    });

    it('with a self-signed certificate is sent nothing, whatever the environment says', async () => {
      const seller = await openTls();
      const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
      ends.push(() => {
        if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
        else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
      });
      const outbound = outboundTo(seller);
      for (const gate of [{}, { beforeSending }])
        await expect(outbound({ url: seller.origin, ...gate })).rejects.toMatchObject({
          code: 'not_available',
          cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
        });
      expect([asked, seller.bytes()]).toEqual([0, 0]);
    });

    it('with a trusted certificate is paid once the handshake is done, on a connection that is kept', async () => {
      const seller = await openTls();
      const usual = getCACertificates('default');
      setDefaultCACertificates([...usual, seller.cert]);
      ends.push(() => setDefaultCACertificates(usual));
      const outbound = outboundTo(seller);
      for (let index = 0; index < 3; index += 1)
        expect((await outbound({ url: seller.origin, beforeSending })).bytes.toString()).toBe('ok');
      expect([asked, seller.sockets.length]).toEqual([3, 1]);
      const shut = async () => outbound({ url: seller.origin, beforeSending: () => expect.fail('frozen') });
      const before = seller.bytes();
      await expect(shut()).rejects.toThrow('frozen');
      await turn();
      expect(seller.bytes()).toBe(before);
    });
  });

  describe('the end', () => {
    it('ends running requests, closes every connection, and allows no further request', async () => {
      const seller = await openHttp((request, response) => {
        if (request.url !== '/silent') response.end('ok');
      });
      const outbound = outboundTo(seller);
      await outbound({ url: seller.origin });
      const waiting = outbound({ url: `${seller.origin}/silent` });
      const ended = expect(waiting).rejects.toMatchObject({ code: 'not_available' });
      await turn();
      outbound.close();
      await ended;
      await expect(outbound({ url: seller.origin })).rejects.toMatchObject({
        message: expect.stringContaining('stopping'),
      });
      await Promise.all(
        seller.sockets.filter(({ closed }) => !closed).map((socket) => once(socket, 'close')),
      );
      expect(seller.sockets.every(({ destroyed }) => destroyed)).toBe(true);
    });
  });
});
