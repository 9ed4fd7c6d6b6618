// A request through the proxy that came by the owner's tunnel: what the tunnel added to it is not the agent's, so no seller
// gets it, and it makes no other purchase of a request that is sent again.
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openRich, receivedBySeller, seller, useSeller } from '../../harness/seller-treasury.ts';
import { deploy, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import { askThrough, openThrough } from './through.ts';

const host = 'treasury.example.ts.net';
const price = 10_000;
useSeller();
let treasury: Treasury;
let agent: TestAgent;
beforeAll(async () => {
  treasury = await openRich({ args: ['--public-url', `https://${host}`] });
  agent = await deploy(treasury.client, 'far', { allocate: '5.00' });
});
afterAll(() => treasury.close());

/** As Tailscale Serve, Caddy and cloudflared add them, other ones for each request. */
const added = (n: number): Record<string, string> => ({
  'X-Forwarded-For': `192.0.2.${n}`,
  'X-Forwarded-Host': host,
  'X-Forwarded-Proto': 'https',
  'X-Real-IP': `192.0.2.${n}`,
  Forwarded: `for=192.0.2.${n}`,
  Via: '2.0 Caddy',
  'CF-Ray': `8f0c${n}-FRA`,
  'CF-Connecting-IP': `192.0.2.${n}`,
  'Cf-Access-Jwt-Assertion': `jwt-${n}`,
  'CF-Access-Client-Secret': `service-token-${n}`,
  'Cdn-Loop': `cloudflare; loops=${n}`,
  'True-Client-IP': `192.0.2.${n}`,
  'Tailscale-User-Login': 'owner@example.com',
  'Tailscale-User-Name': `Owner ${n}`,
});
const asked = (n: number, path = '/data', headers = {}): Parameters<typeof openThrough> => [
  treasury.host.url,
  agent,
  `${seller.url}${path}`,
  { headers: { host, 'X-Own': 'mine', ...added(n), ...headers } },
];

describe('a cache on the way', () => {
  const publicly = {
    'cache-control': 'public, max-age=86400, s-maxage=86400',
    'cdn-cache-control': 'max-age=86400',
    'cloudflare-cdn-cache-control': 'max-age=86400',
    'surrogate-control': 'max-age=86400',
    'x-accel-expires': '86400',
    'x-accel-redirect': '/secret',
  };
  const caching = ({ headers }: { headers: IncomingMessage['headers'] }) =>
    Object.fromEntries(Object.keys(publicly).map((name) => [name, headers[name]]));
  beforeEach(() => {
    seller.free = (_request, response) => void response.writeHead(200, publicly).end('goods');
    seller.behave = async ({ settle, response }) => {
      await settle();
      response.writeHead(200, publicly).end('goods');
    };
  });

  it.each(['/data', '/free'])('keeps no answer that leaves by the public address: %s', async (path) => {
    expect(caching(await askThrough(...asked(1, path)))).toEqual({ 'cache-control': 'no-store' });
  });

  it('of several clients on this machine keeps no paid answer; a free one is its seller’s', async () => {
    const paid = await askThrough(treasury.host.url, agent, `${seller.url}/data`);
    expect(caching(paid)).toEqual({ 'cache-control': 'private, max-age=86400' });
    const free = await askThrough(treasury.host.url, agent, `${seller.url}/free`);
    expect(caching(free)).toEqual(publicly);
  });
});

describe('what a tunnel adds', () => {
  it('reaches no seller, and the agent’s own headers do', async () => {
    let seen: IncomingMessage | undefined;
    seller.free = (request, response) => {
      seen = request;
      response.end();
    };
    await askThrough(...asked(1, '/free'));
    expect(seen?.headers['x-own']).toBe('mine');
    expect(Object.keys(added(1)).filter((name) => name.toLowerCase() in (seen?.headers ?? {}))).toEqual([]);
  });

  it('is no other request under the same idempotency key', async () => {
    const before = await receivedBySeller();
    const key = { 'X-Treasury-Idempotency-Key': 'one-purchase' };
    expect((await askThrough(...asked(1, '/data', key))).status).toBe(200);
    const again = await askThrough(...asked(2, '/data', key));
    expect(again.text).not.toContain('idempotency_conflict');
    expect((await receivedBySeller()) - before).toBe(price);
  });

  it('makes no second purchase of a request without a key whose answer was lost', async () => {
    const before = await receivedBySeller();
    const first = openThrough(...asked(3));
    const cut = new Promise((resolve) => first.once('close', resolve));
    seller.behave = async ({ settle, response }) => {
      await settle();
      first.destroy();
      response.end('whole');
    };
    await cut;
    expect((await askThrough(...asked(4))).status).toBe(200);
    expect((await receivedBySeller()) - before).toBe(price);
  });
});
