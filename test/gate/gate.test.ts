// The gate as a stranger meets it: which route a request is for, what it costs, what reaches the server behind it, and what
// becomes of a payment when that server fails.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readTarget, withPath } from '../../server/gate/target.ts';
import { keySignerOf } from '../../server/paywall/key-file.ts';
import { pay, show } from '../paywall/credentials.ts';
import { signedHeader } from '../x402/keys.ts';
import { createMarket, tokenAccount, type Market } from '../x402/market.ts';
import { openGate, send, type Answered, type Asking, type Opened } from './open-gate.ts';

const routes = `
about: { title: Reports, contact: owner@example.com }
refundKey: wallet.json
cors: [https://shop.example]
routes:
  - { method: GET,  path: /report, price: '0.01', description: A report, input: {}, output: { type: object } }
  - { method: POST, path: /summaries/:id, price: 0.01, refundOn: [404, 500-599] }
  - { method: GET,  path: /summaries/free, free: true }
  - { method: GET,  path: /health, free: true }
`;

let market: Market;
let opened: Opened;
/** What reached the server behind the gate. */
const came: IncomingMessage[] = [];
let serve: (request: IncomingMessage, response: ServerResponse) => void;
beforeAll(async () => {
  market = await createMarket();
  opened = await openGate(
    market,
    (request, response) => {
      came.push(request);
      serve(request, response);
    },
    routes,
  );
});
afterAll(async () => {
  await opened.close();
  await market.close();
});
beforeEach(() => {
  came.length = 0;
  serve = (_, response) => void response.end('fine');
});

const asked = (target: string, asking?: Asking): Promise<Answered> => send(opened.origin, target, asking);
const json = ({ body }: Answered) => JSON.parse(body.toString()) as Record<string, unknown>;

/** The header of a receipt for the request. */
const bought = async (target: string, asking: Asking = {}): Promise<string[]> => {
  const { invoice } = json(await asked(target, asking));
  return ['x-payment', signedHeader(await market.buy({ invoice: String(invoice) }), market.buyer)];
};

/** The headers of a page's request. */
const from = (origin: string) => ['origin', origin, 'access-control-request-method', 'POST'];

describe('a target that servers read in different ways', () => {
  it.each([
    '//health',
    '/health//',
    '/%2e/health',
    '/x/../health',
    '/x/%2E%2e/report',
    '/..;/report',
    '/x/.;a/y',
    '/health%2freport',
    '/health%5creport',
    '/summaries/%2e%2e',
    '/summaries/%252e%252e',
    '/summaries/a%252fb',
    '/health\\report',
    '/report%00',
    '/report%0a',
    '/report%',
    '/report%ff',
    'http://127.0.0.1/report',
    '*',
    '/health?_method=POST',
    '/health?a=1&_METHOD=DELETE',
    '/health#report',
  ])('is refused: %s', async (target) => {
    const answered = await asked(target);
    expect([answered.status, json(answered)['code']]).toEqual([400, 'bad_target']);
    expect(came).toEqual([]);
  });

  it.each([
    'x-http-method-override',
    'X-HTTP-Method',
    'x-method-override',
    'x-original-url',
    'X-Rewrite-URL',
    'X_HTTP_Method_Override',
  ])('or a header that names another: %s', async (name) => {
    const answered = await asked('/health', { headers: [name, '/report'] });
    expect([answered.status, json(answered)['code']]).toEqual([400, 'bad_header']);
    expect(came).toEqual([]);
  });
});

it.each(['/a/Report', '/a/report;x=1', '/a/REPORT%3fx', '/A/report'])(
  'a target that a server may take for a literal path has no parameter: %s',
  (target) => {
    const patterns = [
      { method: 'GET', path: '/:any/:name' },
      { method: 'POST', path: '/:any/:name' },
      { method: 'GET', path: '/a/report' },
    ];
    const found = (at: string) => withPath(patterns, readTarget(at) as string[]).map(({ method }) => method);
    expect(found(target)).toEqual(['POST']);
    expect([found('/a/report'), found('/a/other')]).toEqual([
      ['GET', 'POST', 'GET'],
      ['GET', 'POST'],
    ]);
  },
);

describe('a route', () => {
  it.each([
    ['GET', '/report', 402],
    ['GET', '/%72eport', 402],
    ['GET', '/report?x=%2e%2e/', 402],
    ['POST', '/summaries/free', 402],
    ['POST', '/summaries/a%20b', 402],
    ['GET', '/health', 200],
    ['GET', '/summaries/free', 200],
    ['GET', '/Report', 404],
    ['GET', '/report/', 404],
    ['GET', '/report;x=1', 404],
    ['POST', '/summaries/', 404],
    ['POST', '/summaries/a/b', 404],
    ['HEAD', '/health', 405],
    ['HEAD', '/report', 405],
    ['OPTIONS', '/health', 405],
    ['POST', '/report', 405],
  ])('is matched byte for byte: %s %s is %i', async (method, target, status) => {
    const answered = await asked(target, { method });
    expect(answered.status).toBe(status);
    expect(came.length).toBe(status === 200 ? 1 : 0);
    if (status === 405) expect(answered.headers.allow).toMatch(/GET|POST/);
  });

  it('is found by /openapi.json, which a wrong path names', async () => {
    expect(json(await asked('/nothing'))).toMatchObject({ code: 'not_found', openapi: '/openapi.json' });
    const { paths, info } = json(await asked('/openapi.json')) as Record<string, Record<string, unknown>>;
    expect(Object.keys(paths ?? {})).toEqual(['/report', '/summaries/{id}', '/summaries/free', '/health']);
    expect(info).toMatchObject({ title: 'Reports', contact: { email: 'owner@example.com' } });
    expect((await asked('/llms.txt')).body.toString()).toContain('- GET /report (0.01 USDC): A report');
  });

  it('may be read by the pages that the file names', async () => {
    const { status, headers } = await asked('/summaries/1', {
      method: 'OPTIONS',
      headers: [...from('https://shop.example'), 'access-control-request-headers', 'payment-signature'],
    });
    expect(status).toBe(204);
    expect(headers['access-control-allow-headers']).toBe('payment-signature');
    const { headers: own } = await asked('/report', { headers: from('https://shop.example') });
    expect(own['access-control-allow-origin']).toBe('https://shop.example');
    expect(own['access-control-expose-headers']).toContain('payment-required');
    serve = (_, response) => void response.writeHead(200, { vary: 'Accept' }).end();
    const { headers: behind } = await asked('/health', { headers: from('https://shop.example') });
    expect(behind['vary']).toBe('Accept, Origin');
    const other = await asked('/report', { headers: from('https://other.example') });
    expect(other.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('what is passed on', () => {
  it('is the request, with the secret in place of the client’s, and without its payment', async () => {
    const body = '{"about": "tea"}';
    const paid = await bought('/summaries/7?x=1', { method: 'POST', body });
    const theirs = [
      'X-Secret',
      'guess',
      'x_secret',
      'guess',
      'authorization',
      'Bearer their-own',
      'x-kept',
      '1',
      'x-kept',
      '2',
    ];
    const hops = [
      'connection',
      'x-hop',
      'x-hop',
      '1',
      'proxy-authorization',
      'Basic eA==',
      'payment-signature',
      'x',
    ];
    serve = async (request, response) => {
      response.end(Buffer.concat(await request.toArray()));
    };
    const {
      status,
      body: back,
      headers,
    } = await asked('/summaries/7?x=1', {
      method: 'POST',
      headers: [...theirs, ...hops, ...paid],
      body,
    });
    expect([status, back.toString(), headers['cache-control']]).toEqual([200, body, 'no-store']);
    const [request] = came;
    expect(request?.url).toBe('/summaries/7?x=1');
    expect(request?.headersDistinct).toMatchObject({ 'x-secret': ['sesame'], 'x-kept': ['1', '2'] });
    expect(request?.headers).not.toHaveProperty('x_secret');
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer their-own',
      host: new URL(opened.behind).host,
    });
    for (const name of ['x-payment', 'payment-signature', 'x-hop', 'proxy-authorization'])
      expect(request?.headers).not.toHaveProperty(name);
  });

  it('is the answer, without payment headers of the server behind it', async () => {
    serve = (_, response) => {
      response.writeHead(402, {
        'payment-required': 'x',
        'www-authenticate': 'Payment id="1"',
        'x-own': '1',
      });
      response.end('theirs');
    };
    const { status, headers, body } = await asked('/health');
    expect([status, headers['x-own'], body.toString()]).toEqual([402, '1', 'theirs']);
    expect(headers).not.toHaveProperty('payment-required');
    expect(headers).not.toHaveProperty('www-authenticate');
  });

  it('is paid for once', async () => {
    const headers = await bought('/report');
    expect((await asked('/report', { headers })).status).toBe(200);
    expect(json(await asked('/report', { headers }))).toMatchObject({ code: 'already_used' });
    expect(came).toHaveLength(1);
  });
});

/** What the buyer has, which a refund makes whole. */
const refunded = async (): Promise<bigint> => {
  const account = tokenAccount(market.buyer.publicKey).toBase58();
  const { value } = (await market.rpc('getTokenAccountBalance', [account])) as {
    value: { amount: string };
  };
  return BigInt(value.amount);
};

describe('a server that fails after the grant', () => {
  it.each([
    ['hangs up', 502, (response: ServerResponse) => void response.destroy()],
    ['answers 404', 404, (response: ServerResponse) => void response.writeHead(404).end()],
    ['answers 503', 503, (response: ServerResponse) => void response.writeHead(503).end()],
  ])('and %s is said with its payment, which is sent back', async (_, status, fail) => {
    const before = await refunded();
    const headers = await bought('/summaries/1', { method: 'POST' });
    serve = (_request, response) => fail(response);
    opened.said.length = 0;
    const answered = await asked('/summaries/1', { method: 'POST', headers });
    expect(answered.status).toBe(status);
    if (status === 502)
      expect(json(answered)).toMatchObject({
        code: 'upstream_failed',
        payment: expect.stringMatching(/^pay_/),
      });
    await expect.poll(() => opened.said.join('\n')).toMatch(/refund (confirmed|sent)/);
    expect(opened.said[0]).toMatch(/^POST \/summaries\/1: paid and not served: .* 0\.01 USDC by /);
    await expect.poll(refunded).toBe(before);
  });

  it('keeps the payment of a route without refundOn', async () => {
    const headers = await bought('/report');
    serve = (_, response) => void response.writeHead(500).end();
    opened.said.length = 0;
    expect((await asked('/report', { headers })).status).toBe(500);
    expect(opened.said).toEqual([expect.stringMatching(/^GET \/report: paid and not served: 500/)]);
  });
});

describe('the gate', () => {
  it('says whether all that it needs answers, and nothing more', async () => {
    expect(json(await asked('/healthz'))).toEqual({ rpc: 'answers', store: 'answers', upstream: 'answers' });
  });

  it('serves another file from the next request on', async () => {
    opened.use(`routes: [{ method: GET, path: /new, free: true }]\n`);
    serve = (_, response) => void response.end('new');
    expect((await asked('/report')).status).toBe(404);
    expect((await asked('/new')).body.toString()).toBe('new');
    opened.use(routes);
    expect((await asked('/report')).status).toBe(402);
  });
});

it('settles by itself, in both versions of x402, with a key for the fees alone', async () => {
  const fees = keySignerOf(randomBytes(32));
  await market.fundSol(fees.address, 1_000_000_000);
  const more = `settle: self\n${routes.slice(routes.indexOf('routes:'))}`;
  const gate = await openGate(
    market,
    (_, response) => void response.end('"sold"'),
    more.replace(', refundOn: [404, 500-599]', ''),
    fees,
  );
  for (const dialect of ['x402-v2', 'x402-v1'] as const) {
    const url = `${gate.origin}/report?in=${dialect}`;
    const credential = await pay(market, dialect, url);
    expect(await show(url, credential)).toMatchObject({ status: 200, body: 'sold' });
    expect((await show(url, credential)).status).toBe(402);
  }
  await gate.close();
});
