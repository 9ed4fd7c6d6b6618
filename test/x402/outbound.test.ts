// The targets of agents' requests: the public internet, and origins that the owner allowed. Nothing else is contacted.
import { createServer, type Server } from 'node:http';
import { createServer as createSocketServer, type Server as SocketServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOutbound } from '../../server/x402/outbound.ts';
import { until } from '../harness/treasury.ts';
import { privateHosts } from './private-hosts.ts';

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
    for (const path of ['/', '/v1/dashboard', '/sandbox', '/sandbox/../v1/about', '/sandbox/%2e%2e/v1/about'])
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
