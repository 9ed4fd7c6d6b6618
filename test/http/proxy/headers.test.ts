// The headers that pass the proxy, and those that do not: our keys and headers to the seller, the seller's headers to the client,
// web pages to either. And of a request that came by the owner's tunnel: what the tunnel added is not the agent's, so no seller
// gets it, and it makes no other purchase of a request that is sent again.
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openRich, receivedBySeller, seller, useSeller } from '../../harness/chain/seller-treasury.ts';
import { deploy, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import { privateHosts } from '../../x402/private-hosts.ts';
import { requestText, sendRaw } from '../contract/raw.ts';
import { type Asked, askThrough, headOf, openThrough, pathThrough, wholeOf } from './through.ts';

const host = 'treasury.example.ts.net';
useSeller();
let treasury: Treasury;
let agent: TestAgent;
let other: TestAgent;
const warnings: string[] = [];
beforeAll(async () => {
  treasury = await openRich({ args: ['--public-url', `https://${host}`] });
  agent = await deploy(treasury.client, 'reader', { allocate: '5.00' });
  other = await deploy(treasury.client, 'other', { allocate: null });
  treasury.host.engine.onEvent((event) => {
    if (event.type === 'warning') warnings.push(event.code);
  });
});
afterAll(() => treasury.close());

const ask = (path = '/free', asked: Asked = {}) =>
  askThrough(treasury.host.url, agent, `${seller.url}${path}`, asked);
/** Asks, and returns what reached the seller. */
const reached = async (path: string, asked: Asked): Promise<IncomingMessage | undefined> => {
  let seen: IncomingMessage | undefined;
  seller.free = (request, response) => {
    seen = request;
    response.end();
  };
  await ask(path, asked);
  return seen;
};
const codeOf = ({ text }: { text: string }): string => (JSON.parse(text) as { code: string }).code;
const percent = (text: string): string =>
  [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('');
const none = { 'X-Treasury-Key': [] as string[] };

describe('the API key', () => {
  it.each([
    ['authorization', (key: string) => `Bearer ${key}`],
    ['x-api-key', (key: string) => key],
    ['api-key', (key: string) => key],
    ['x-goog-api-key', (key: string) => key],
    ['x-treasury-key', (key: string) => key],
  ])('in %s is removed, and the other headers are the seller’s', async (name, value) => {
    const theirs = {
      authorization: 'Bearer theirs',
      'x-api-key': 'theirs',
      'api-key': 'theirs',
      'x-goog-api-key': 'theirs',
      'x-treasury-key': 'theirs',
    };
    const seen = await reached('/free', { headers: { ...none, ...theirs, [name]: value(agent.key) } });
    expect(seen?.headers[name]).toBeUndefined();
    expect(JSON.stringify(seen?.rawHeaders)).not.toContain(agent.key);
    for (const left of ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'])
      expect(seen?.headers[left]).toBe(left === name ? undefined : theirs[left as keyof typeof theirs]);
    expect(Object.keys(seen?.headers ?? {}).filter((one) => one.startsWith('x-treasury'))).toEqual([]);
  });

  it('in two headers is one key, and is removed from both', async () => {
    const both = { Authorization: `Bearer ${agent.key}`, 'api-key': agent.key, 'x-api-key': 'theirs' };
    const seen = await reached('/free', { headers: { ...none, ...both } });
    expect(JSON.stringify(seen?.rawHeaders)).not.toContain(agent.key);
    expect(seen?.headers['x-api-key']).toBe('theirs');
  });

  it.each([
    ['in no header', () => ({})],
    ['beside another one', () => ({ 'X-Treasury-Key': agent.key, 'x-api-key': other.key })],
    [
      'of the owner',
      () => ({ authorization: `Bearer ${readFileSync(treasury.host.cookieFile ?? '', 'utf8')}` }),
    ],
    ['that is unknown', () => ({ 'x-api-key': `atk_${'x'.repeat(43)}` })],
  ])('%s is 400', async (_name, headers) => {
    expect(await reached('/free', { headers: { ...none, ...headers() } })).toBeUndefined();
    expect((await ask('/free', { headers: { ...none, ...headers() } })).status).toBe(400);
  });

  it('of another agent is 401', async () => {
    const got = await ask('/free', { headers: { 'X-Treasury-Key': other.key } });
    expect(got.status).toBe(401);
  });

  it('may be a delegated one, until it ends', async () => {
    await treasury.client.post(`/v1/agents/${agent.agentId}/delegation`, { allowed: true });
    const { body } = await agent.client.post(`/v1/agents/${agent.agentId}/delegated-keys`, {
      label: 'task',
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      totalBudget: '0.015',
    });
    const headers = { 'X-Treasury-Key': String(body['apiKey']) };
    expect((await ask('/data', { headers })).text).toBe('{"sun":true}');
    expect(codeOf(await ask('/data', { headers }))).toBe('total_budget');
    await agent.client.call('DELETE', `/v1/agents/${agent.agentId}/delegated-keys/${String(body['keyId'])}`);
    expect((await ask('/data', { headers })).status).toBe(401);
  });
});

describe('a secret of ours', () => {
  it.each<[string, () => { path?: string; headers?: Record<string, string> }]>([
    ['in a header', () => ({ headers: { 'X-Note': `see ${other.key}` } })],
    ['in Authorization', () => ({ headers: { Authorization: `Bearer ${other.key}` } })],
    [
      'in Basic credentials',
      () => ({ headers: { Authorization: `Basic ${Buffer.from(`a:${agent.key}`).toString('base64')}` } }),
    ],
    ['in the query', () => ({ path: `/free?key=${agent.key}` })],
    ['in the query, behind another word', () => ({ path: `/free?key=prod_key_${agent.key}` })],
    ['in the query, encoded', () => ({ path: `/free?key=${percent(agent.key)}` })],
    ['in the path', () => ({ path: `/free/${agent.key}` })],
    ['of the owner', () => ({ headers: { 'X-Note': readFileSync(treasury.host.cookieFile ?? '', 'utf8') } })],
  ])('%s does not leave, nor by a paid fetch', async (_name, asked) => {
    warnings.length = 0;
    const { path = '/free', headers = {} } = asked();
    // Authorization with a live key is a second key: refused one step earlier.
    expect(await reached(path, { headers })).toBeUndefined();
    expect((await ask(path, { headers })).status).toBe(400);
    const isSecondKey = headers['Authorization']?.startsWith('Bearer') === true;
    if (!isSecondKey) expect(warnings).toEqual(['secret_withheld', 'secret_withheld']);
    warnings.length = 0;
    let isReached = false;
    seller.free = (_request, response) => void response.end(String((isReached = true)));
    const fetched = await agent.client.post('/v1/agents/reader/fetch', { url: seller.url + path, headers });
    expect([fetched.status, isReached, warnings]).toEqual([400, false, ['secret_withheld']]);
  });

  it('that was revoked is like any other text', async () => {
    const { body } = await treasury.client.post(`/v1/agents/${agent.agentId}/keys`, { label: 'old' });
    await treasury.client.call('DELETE', `/v1/agents/${agent.agentId}/keys/${String(body['keyId'])}`);
    const seen = await reached('/free', { headers: { 'X-Note': String(body['apiKey']) } });
    expect(seen?.headers['x-note']).toBe(body['apiKey']);
  });
});

describe('a web page', () => {
  it.each([
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Mode': 'navigate' },
  ])('that sends %j is refused before its body is read', async (headers) => {
    const { port } = new URL(treasury.host.url);
    const head = Object.entries({ ...headers, 'X-Treasury-Key': agent.key, 'Content-Length': '1000000' });
    const target = pathThrough(agent.agentId, `${seller.url}/free`);
    const lines = [`Host: 127.0.0.1:${port}`, 'Connection: close', ...head.map((pair) => pair.join(': '))];
    // Not one byte of the body is sent.
    const { status } = await sendRaw(
      Number(port),
      requestText({ method: 'POST', target, headers: lines }),
      2_000,
    );
    expect(status).toBe(403);
  });

  it('gets its own dashboard’s origin refused, too', async () => {
    expect((await ask('/free', { headers: { Origin: treasury.host.url } })).status).toBe(403);
  });
});

describe('a method', () => {
  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY'])(
    '%s passes',
    async (method) => expect((await reached('/free', { method }))?.method).toBe(method),
  );

  it.each(['TRACE', 'CONNECT'])('%s is 501', async (method) => {
    const { port } = new URL(treasury.host.url);
    const target =
      method === 'CONNECT' ? 'example.com:443' : pathThrough(agent.agentId, `${seller.url}/free`);
    const headers = [`Host: 127.0.0.1:${port}`, `X-Treasury-Key: ${agent.key}`, 'Connection: close'];
    expect((await sendRaw(Number(port), requestText({ method, target, headers }))).status).toBe(501);
  });

  it('that offers HTTP/2 passes without the offer', async () => {
    const offer = { Upgrade: 'h2c', Connection: 'Upgrade, HTTP2-Settings', 'HTTP2-Settings': 'AAEA' };
    seller.free = async (request, response) => {
      const { upgrade, 'http2-settings': settings } = request.headers;
      response.end(JSON.stringify([upgrade, settings, String(await wholeOf(request))]));
    };
    const got = await ask('/free', { method: 'POST', body: 'all of it', headers: offer });
    expect(got.text).toBe('[null,null,"all of it"]');
  });

  it('with a change of protocol is 501', async () => {
    const headers = { Upgrade: 'websocket', Connection: 'Upgrade' };
    expect((await ask('/free', { headers })).status).toBe(501);
  });
});

describe('the seller’s headers', () => {
  it('that act on the origin are dropped, and ours are added', async () => {
    seller.free = (_request, response) => {
      response
        .writeHead(200, {
          'Set-Cookie': ['a=1', 'b=2'],
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Allow-Credentials': 'true',
          'Service-Worker-Allowed': '/',
          'Clear-Site-Data': '"*"',
          'Strict-Transport-Security': 'max-age=1',
          'Alt-Svc': 'h3=":443"',
          Refresh: '0; url=/',
          'Report-To': '{}',
          NEL: '{}',
          'X-Treasury-Payment-Id': 'pay_false',
          'Content-Security-Policy': 'default-src *',
          'Keep-Alive': 'timeout=99',
          'X-Of-Connection': 'yes',
          Connection: 'keep-alive, X-Of-Connection',
          'Content-Type': 'text/html',
          'X-Kept': 'yes',
          'Cache-Control': 'max-age=60',
        })
        .end('<script>alert(1)</script>');
    };
    const { headers } = await ask();
    const { date: _date, connection: _connection, 'keep-alive': alive, ...rest } = headers;
    expect(alive).not.toBe('timeout=99');
    expect(rest).toEqual({
      'content-type': 'text/html',
      'x-kept': 'yes',
      'cache-control': 'max-age=60',
      'transfer-encoding': 'chunked',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'x-treasury-from': 'seller',
    });
  });

  it.each([
    ['/next?a=b', (origin: string) => `${origin}/next?a=b`],
    ['https://example.com:8443/x', () => 'https/example.com:8443/x'],
    ['//example.com/y', () => 'http/example.com/y'],
    ['../up', (origin: string) => `${origin}/up`],
    ['javascript:alert(1)', () => null],
  ])('a redirect to %s leads through the proxy', async (location, through) => {
    seller.free = (_request, response) => void response.writeHead(307, { Location: location }).end();
    const got = await ask('/free/a/b'.slice(0, 5));
    const to = through(seller.url.replace('://', '/'));
    expect(got.status).toBe(307);
    expect(got.headers.location).toBe(to === null ? undefined : `/v1/agents/reader/proxy/${to}`);
  });
});

describe('the place', () => {
  it('may have an encoded slash, which passes as it came', async () => {
    const seen = await reached('/free/models/meta-llama%2FLlama-3%2fb', {});
    expect(seen?.url).toBe('/free/models/meta-llama%2FLlama-3%2fb');
  });

  it('has no host that ends with a dot, and is another service to the owner', async () => {
    const target = pathThrough(agent.agentId, 'https://shop.example.com./paid');
    const answer = await fetch(`${treasury.host.url}${target}`, { headers: { 'x-treasury-key': agent.key } });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('with a dot')]);
  });

  it.each(['/a/../b', '/a/./b', '/%2e%2e/b', '/a/%2E', '/a%2f..%2Fb', '/a%2f%2e', '/a%5Cb', '/a\\b'])(
    '%s is 400',
    async (path) => {
      const { port } = new URL(treasury.host.url);
      const target = pathThrough(agent.agentId, `${seller.url}/free`) + path;
      const headers = [`Host: 127.0.0.1:${port}`, `X-Treasury-Key: ${agent.key}`, 'Connection: close'];
      expect((await sendRaw(Number(port), requestText({ target, headers }))).status).toBe(400);
    },
  );

  it.each([
    ...privateHosts.flatMap((one) => [`https://${encodeURI(one)}/`, `http://${encodeURI(one)}/`]),
    'https://user@example.com/',
    'https://user%40example.com/',
    'https:///etc/passwd',
    'ftp://example.com/',
    'file:///etc/passwd',
    'http://example.com/',
  ])('%s is not asked', async (url) => {
    const got = await askThrough(treasury.host.url, agent, url);
    expect([got.status, codeOf(got)]).toEqual([400, 'bad_request']);
  });

  it('may not be this treasury itself', async () => {
    const got = await askThrough(treasury.host.url, agent, `${treasury.host.url}/v1/dashboard`);
    expect(got.status).toBe(400);
  });

  it('is known to the policy by its origin, as in a fetch', async () => {
    const picky = await deploy(treasury.client, 'picky', {
      allocate: '1.00',
      policy: { allowedServices: ['https://elsewhere.example'] },
    });
    const got = await askThrough(treasury.host.url, picky, `${seller.url}/data`);
    expect(codeOf(got)).toBe('service_not_allowed');
    await treasury.client.post('/v1/agents/picky/policy', { allowedServices: [seller.url] });
    expect((await askThrough(treasury.host.url, picky, `${seller.url}/data`)).text).toBe('{"sun":true}');
  });
});

describe('a body', () => {
  it('of 8 MiB arrives at the seller twice, and one byte more is refused before the seller is asked', async () => {
    const lengths: number[] = [];
    const { behave } = seller;
    seller.behave = async (shown) => {
      let size = 0;
      for await (const chunk of shown.request as AsyncIterable<Buffer>) size += chunk.byteLength;
      lengths.push(size);
      await behave(shown);
    };
    const asked = seller.asked();
    const body = Buffer.alloc(8 * 1024 * 1024, 7);
    expect((await ask('/data', { method: 'POST', body })).status).toBe(200);
    expect(lengths).toEqual([body.byteLength]);
    const more = Buffer.alloc(body.byteLength + 1);
    expect(
      (await ask('/data', { method: 'POST', body: more, headers: { Connection: 'close' } })).status,
    ).toBe(413);
    expect(seller.asked()).toBe(asked + 1);
  });

  it.each(['with its length', 'in chunks'])(
    'of 24 MiB, %s, is refused to a client that writes all of it',
    async (how) => {
      const path = pathThrough(agent.agentId, `${seller.url}/data`);
      const { hostname, port } = new URL(treasury.host.url);
      const outgoing = httpRequest({
        hostname,
        port,
        path,
        method: 'POST',
        agent: false,
        headers: { 'X-Treasury-Key': agent.key },
      });
      const pieces = Array.from({ length: 24 }, () => Buffer.alloc(1024 * 1024));
      if (how === 'with its length') outgoing.setHeader('Content-Length', pieces.length * 1024 * 1024);
      const written = pipeline(Readable.from(pieces), outgoing);
      expect((await headOf(outgoing)).statusCode).toBe(413);
      await written;
    },
  );
});

const price = 10_000;
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
