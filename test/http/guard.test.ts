// What every request meets first, over raw sockets: DNS rebinding, pages in a browser, bodies of other types, noise.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes, type RouteName } from '../../server/contract/routes.ts';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { requestText, sendRaw, type RawAnswer, type RawRequest } from './raw.ts';
import { stateOf } from './state.ts';

let treasury: Treasury;
let agent: TestAgent;
let port: number;
let token: string;
beforeAll(async () => {
  treasury = await openTreasury();
  port = Number(new URL(treasury.host.url).port);
  token = readFileSync(treasury.host.cookieFile ?? '', 'utf8');
  agent = await deploy(treasury.client, 'payer');
});
afterAll(() => treasury.close());

/** As the owner, so that only the guard can refuse one. */
const ask = (request: Partial<RawRequest>): Promise<RawAnswer> => {
  const { headers = [`Host: 127.0.0.1:${port}`], target = '/v1/dashboard', ...rest } = request;
  const all = [...headers, `Authorization: Bearer ${token}`, 'Connection: close'];
  const selected = target.includes('?') ? target : `${target}?owner=${treasury.owner}`;
  return sendRaw(port, Buffer.from(requestText({ ...rest, target: selected, headers: all }), 'latin1'));
};

/** `P` stands for the port. */
const withPort = (line: string): string =>
  line.replaceAll(/\bP\b/g, String(port)).replaceAll('P1', String(port + 1));

const goodHosts: string[][] = [
  ['Host: 127.0.0.1:P'],
  ['Host: localhost:P'],
  ['host: 127.0.0.1:P'],
  ['HOST:127.0.0.1:P'],
  // The blanks around a value are no part of it: RFC 9110, section 5.5.
  ['Host:   127.0.0.1:P  '],
];
const badHosts: string[][] = [
  [],
  ['Host:'],
  ['Host: 127.0.0.1:P', 'Host: 127.0.0.1:P'],
  ['Host: 127.0.0.1:P', 'Host: evil.com'],
  ['Host: evil.com', 'Host: 127.0.0.1:P'],
  ['Host: localhost:P', 'hOST: localhost:P'],
  ...[
    ...[
      '127.0.0.1',
      'localhost',
      '127.0.0.1:',
      '127.0.0.1:80',
      '127.0.0.1:P1',
      'localhost:P1',
      '127.0.0.1:0P',
      '127.0.0.1:P0',
    ],
    ...[
      'evil.com',
      'evil.com:P',
      '127.0.0.1.evil.com:P',
      'localhost.evil.com:P',
      'evil.com@127.0.0.1:P',
      '127.0.0.1@evil.com:P',
    ],
    ...[
      '127.0.0.1:P@evil.com',
      'localhost.:P',
      'LOCALHOST:P',
      'Localhost:P',
      'localhost:P.',
      '127.0.0.1.:P',
      'sub.localhost:P',
    ],
    ...[
      '0.0.0.0:P',
      '127.0.0.2:P',
      '127.1:P',
      '127.0.1:P',
      '0x7f.0.0.1:P',
      '0177.0.0.1:P',
      '2130706433:P',
      '127.000.000.001:P',
    ],
    ...[
      '[::1]:P',
      '::1:P',
      '[::ffff:127.0.0.1]:P',
      '[::]:P',
      'localhost6:P',
      '127.0.0.1.nip.io:P',
      'localtest.me:P',
    ],
    ...[
      '127.0.0.1:P, evil.com',
      '127.0.0.1:P evil.com',
      '127.0.0.1 :P',
      '127.0.0.1: P',
      '127.0.0.1:P/',
      '127.0.0.1:P#',
      '127.0.0.1:P\\@evil',
    ],
    ...[
      'http://127.0.0.1:P',
      '//127.0.0.1:P',
      '127.0.0.1:P?x',
      '127.0.0.1%00:P',
      '127.0.0.1\xa0:P',
      '\xb927.0.0.1:P',
      'null',
      '*',
    ],
  ].map((host) => [`Host: ${host}`]),
];
const goodOrigins: string[][] = [
  [],
  ['Origin: http://127.0.0.1:P'],
  ['Origin: http://localhost:P'],
  ['oRIGIN: http://127.0.0.1:P'],
];
const badOrigins: string[][] = [
  ...[
    ...[
      'null',
      '',
      'http://localhost:3000',
      'http://127.0.0.1:3000',
      'http://localhost',
      'http://127.0.0.1',
      'https://evil.com',
    ],
    ...[
      'https://127.0.0.1:P',
      'ws://127.0.0.1:P',
      'file://',
      'HTTP://127.0.0.1:P',
      'http://127.0.0.1:P/',
      'http://127.0.0.1:P1',
    ],
    ...[
      'http://127.0.0.1:P.evil.com',
      'http://127.0.0.1.evil.com:P',
      'http://evil.com:P',
      'http://[::1]:P',
      'http://localhost.:P',
    ],
    ...[
      'chrome-extension://abc',
      '127.0.0.1:P',
      'http://127.0.0.1:P http://127.0.0.1:P',
      'http://127.0.0.1:P, http://evil.com',
      '*',
    ],
  ].map((origin) => [`Origin: ${origin}`]),
  ['Origin: http://127.0.0.1:P', 'Origin: http://127.0.0.1:P'],
  ['Origin: http://127.0.0.1:P', 'Origin: https://evil.com'],
];
/** What the owner gets once the guard lets the request through. */
const methods = {
  GET: ['/v1/dashboard', 200],
  HEAD: ['/v1/dashboard', 200],
  POST: ['/v1/unfreeze', 200],
  DELETE: ['/v1/grants/none', 404],
  PUT: ['/v1/dashboard', 404],
  OPTIONS: ['/v1/freeze', 404],
} as const;

const cors = /access-control|timing-allow-origin|cross-origin-resource-policy: cross/;

describe('a request', () => {
  it('passes with exactly one exact Host and no Origin but the dashboard’s, whatever its method: the whole matrix', async () => {
    const wrong: string[] = [];
    let asked = 0;
    const look = async (
      hosts: string[],
      origins: string[],
      method: keyof typeof methods,
      good: boolean,
    ): Promise<void> => {
      const [target, passes] = methods[method];
      const answer = await ask({ method, target, headers: [...hosts, ...origins].map(withPort) });
      asked += 1;
      const fine = good ? answer.status === passes : answer.status === 403 || answer.status === 400;
      if (!fine) wrong.push(`${method} ${[...hosts, ...origins].join(' | ')}: ${answer.status}`);
      if (cors.test(answer.head)) wrong.push(`CORS: ${answer.head}`);
    };
    for (const method of Object.keys(methods) as (keyof typeof methods)[]) {
      const jobs: Promise<void>[] = [];
      for (const hosts of [...goodHosts, ...badHosts])
        for (const origins of [...goodOrigins, ...badOrigins])
          jobs.push(look(hosts, origins, method, goodHosts.includes(hosts) && goodOrigins.includes(origins)));
      await Promise.all(jobs);
    }
    expect(asked).toBeGreaterThan(6_000);
    expect(wrong).toEqual([]);
  });

  it.each(['HTTP/1.0', 'HTTP/0.9', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1', ''])(
    'in %j is refused',
    async (version) => {
      expect((await ask({ version })).status).toBe(400);
    },
  );

  it.each([
    'http://127.0.0.1:P/v1/dashboard',
    'http://evil.com/v1/dashboard',
    'HTTP://127.0.0.1:P/v1/dashboard',
    '*',
    'v1/dashboard',
    '127.0.0.1:P',
    '?owner=x',
    '/v1/agents/%ff/balance',
    '/v1/agents/%/balance',
    '/%c0%ae%c0%ae/v1/dashboard',
  ])('for the target %s is refused', async (target) => {
    const { status, body } = await ask({ target: withPort(target) });
    expect(status).toBe(400);
    if (body !== '') expect(JSON.parse(body)).toMatchObject({ code: 'bad_request' });
  });

  it.each([
    '//evil.com/v1/dashboard',
    '/\\evil.com/v1/dashboard',
    '/v1/../v1/dashboard',
    '/v1//dashboard',
    '/v1/%64ashboard/',
    '/V1/dashboard',
  ])('for %s, which is no route, is not answered as if it were one', async (target) => {
    expect((await ask({ target: `${target}?owner=${treasury.owner}` })).status).toBeGreaterThanOrEqual(400);
  });

  it('is refused with an error in JSON also when it names no host', async () => {
    const { status, body } = await ask({ headers: [] });
    expect(status).toBe(403);
    expect(JSON.parse(body)).toMatchObject({ code: 'forbidden' });
  });

  it('to look ahead of a page’s request is refused, and names no header that would allow it', async () => {
    const asked = [
      'Access-Control-Request-Method: POST',
      'Access-Control-Request-Headers: authorization,content-type',
    ];
    for (const more of [
      [],
      ['Access-Control-Request-Private-Network: true'],
      ['Access-Control-Request-Local-Network: true'],
    ]) {
      for (const origin of ['https://evil.com', 'null', `http://127.0.0.1:${port}`]) {
        const headers = [`Host: 127.0.0.1:${port}`, `Origin: ${origin}`, ...asked, ...more];
        const { status, head } = await ask({ method: 'OPTIONS', target: '/v1/freeze', headers });
        expect(status).toBeGreaterThanOrEqual(400);
        expect(head).not.toMatch(cors);
        expect(head).not.toContain('allow:');
      }
    }
  });
});

describe('a body', () => {
  const post = (
    headers: string[],
    body: string,
    length = Buffer.byteLength(body, 'latin1'),
  ): Promise<RawAnswer> =>
    ask({
      method: 'POST',
      target: '/v1/agents/payer/rename',
      headers: [`Host: 127.0.0.1:${port}`, ...headers, `Content-Length: ${length}`],
      body,
    });
  const good = JSON.stringify({ displayName: 'payer' });

  it.each([
    ['no type', []],
    ['text/plain', ['Content-Type: text/plain']],
    ['a form', ['Content-Type: application/x-www-form-urlencoded']],
    ['a form with files', ['Content-Type: multipart/form-data; boundary=x']],
    ['text/json', ['Content-Type: text/json']],
    ['application/jsonp', ['Content-Type: application/jsonp']],
    ['application/x-json', ['Content-Type: application/x-json']],
    ['JSON with a suffix', ['Content-Type: application/ld+json']],
    ['a list of types', ['Content-Type: text/plain, application/json']],
    ['a type that only looks like it', ['Content-Type: text/plain; application/json']],
    ['JSON in gzip', ['Content-Type: application/json', 'Content-Encoding: gzip']],
    ['JSON in Latin-1', ['Content-Type: application/json; charset=latin1']],
  ])('of %s is 415 and does nothing', async (_, headers) => {
    const before = stateOf(treasury.host);
    const { status, body } = await post(headers, JSON.stringify({ displayName: 'changed' }));
    expect(status).toBe(415);
    expect(JSON.parse(body)).toMatchObject({ code: 'unsupported_media_type' });
    expect(stateOf(treasury.host)).toBe(before);
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset="UTF-8"'])(
    'of %s is read',
    async (type) => {
      expect((await post([`Content-Type: ${type}`], good)).status).toBe(200);
    },
  );

  it('may be 64 KiB and not a byte more', async () => {
    const json = ['Content-Type: application/json'];
    expect((await post(json, good.padEnd(65_536))).status).toBe(200);
    const { status, body } = await post(json, good.padEnd(65_537));
    expect(status).toBe(413);
    expect(JSON.parse(body)).toMatchObject({ code: 'too_large' });
    // Also when it claims to be larger than what comes.
    expect((await post(json, good, 1e12)).status).toBe(413);
  });

  it('in pieces may be no larger', async () => {
    const chunk = ' '.repeat(4_096);
    const body = `${`1000\r\n${chunk}\r\n`.repeat(17)}0\r\n\r\n`;
    const headers = [
      `Host: 127.0.0.1:${port}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ];
    const { status } = await ask({ method: 'POST', target: '/v1/agents/payer/rename', headers, body });
    expect(status).toBe(413);
  });

  it.each([
    ['two lengths', ['Content-Length: 5', 'Content-Length: 6']],
    ['a length and pieces', ['Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['a negative length', ['Content-Length: -1']],
    ['an unknown coding', ['Transfer-Encoding: gzip, x']],
  ])('with %s is refused', async (_, lines) => {
    const headers = [`Host: 127.0.0.1:${port}`, 'Content-Type: application/json', ...lines];
    const { status } = await ask({
      method: 'POST',
      target: '/v1/agents/payer/rename',
      headers,
      body: '0\r\n\r\n{}',
    });
    expect(status).toBe(400);
  });

  it('without a credential is refused unread, however large it says it is', async () => {
    const headers = [
      `Host: 127.0.0.1:${port}`,
      'Connection: close',
      'Content-Type: application/json',
      'Content-Length: 999999999',
    ];
    const { status } = await sendRaw(
      port,
      requestText({ method: 'POST', target: '/v1/freeze', headers }),
      2_000,
    );
    expect(status).toBe(401);
  });
});

describe('GET', () => {
  const pathOf = (name: RouteName): string =>
    routes[name].path.replace(':agentId', 'payer').replaceAll(/:\w+/g, 'none');
  const names = Object.keys(routes) as RouteName[];
  const reads = new Set<string>(
    names.filter((name) => routes[name].method === 'GET').map((name) => routes[name].path),
  );

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'OPTIONS', 'TRACE'])(
    'is never a write: %s on every route that writes changes nothing',
    async (method) => {
      const before = stateOf(treasury.host);
      for (const name of names) {
        if (routes[name].method === 'GET') continue;
        const body = JSON.stringify({
          displayName: 'x',
          amount: '1',
          agentId: 'x',
          dailyBudget: '1',
          maxPerPayment: '1',
        });
        const headers = [
          `Host: 127.0.0.1:${port}`,
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
        ];
        const { status } = await ask({ method, target: pathOf(name), headers, body });
        const readable = reads.has(routes[name].path) && (method === 'GET' || method === 'HEAD');
        expect(status, name).toBe(readable ? 200 : 404);
      }
      expect(stateOf(treasury.host)).toBe(before);
    },
  );

  it('changes nothing on any route that reads', async () => {
    const before = stateOf(treasury.host);
    for (const name of names) {
      if (routes[name].method !== 'GET' || name === 'events') continue;
      expect((await ask({ target: pathOf(name) })).status, name).toBeLessThan(500);
    }
    expect(stateOf(treasury.host)).toBe(before);
  });
});

describe('the port', () => {
  const refusedAt = (host: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect({ port, host, timeout: 2_000 });
      socket.on('connect', () => {
        socket.destroy();
        resolve(false);
      });
      socket.on('timeout', () => socket.destroy());
      socket.on('error', () => resolve(true));
      socket.on('close', () => resolve(true));
    });

  it('is bound on 127.0.0.1 alone', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .map(({ address }) => address);
    const addresses = new Set([...others, '::1', '127.0.0.2', '127.1.2.3']);
    addresses.delete('127.0.0.1');
    for (const address of addresses) expect(await refusedAt(address), address).toBe(true);
    expect(await refusedAt('127.0.0.1')).toBe(false);
  });
});

describe('noise', () => {
  /** mulberry32: the same requests in every run. */
  const random = ((seed: number) => () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  })(4402);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const often = (chance: number): boolean => random() < chance;

  const targets = [
    ...Object.values(routes).map(({ path }) => path.replace(':agentId', 'payer')),
    '/',
    '/sandbox/weather?city=x',
    '/sandbox',
  ];
  const secrets = ['atk_', 'own_', 'lnk_', 'Bearer', '', 'undefined', 'null', 'x'.repeat(300)];
  const headers = (): string[] => [
    often(0.9) ? `Host: 127.0.0.1:${port}` : pick(['Host: evil.com', 'Host:', '']),
    ...(often(0.5) ? [`Authorization: ${pick(['Bearer', 'Basic', 'bearer', ''])} ${pick(secrets)}`] : []),
    ...(often(0.5)
      ? [`Content-Type: ${pick(['application/json', 'text/plain', 'application/json; charset=x', ';;;'])}`]
      : []),
    ...(often(0.2)
      ? [
          pick([
            'Expect: 100-continue',
            'Upgrade: websocket\r\nConnection: Upgrade',
            'Transfer-Encoding: chunked',
            'X-HTTP-Method-Override: POST',
            'X-Payment: v1.AAAA',
            'X-Forwarded-For: 127.0.0.1',
            'Range: bytes=0-1',
            'Cookie: token=x',
            'Prefer: wait=1',
            'TE: trailers',
          ]),
        ]
      : []),
  ];
  const bodies = [
    '',
    '{}',
    '{"amount":"1"}',
    '{',
    '[]',
    '\0\0\0',
    'null',
    '{"a":'.repeat(500),
    'GET /v1/freeze HTTP/1.1\r\n\r\n',
  ];

  const noisy = (): Buffer => {
    const method = pick([
      'GET',
      'GET',
      'POST',
      'POST',
      'DELETE',
      'PUT',
      'OPTIONS',
      'HEAD',
      'PATCH',
      'TRACE',
      'CONNECT',
      'get',
      '',
    ]);
    const body = pick(bodies);
    const owner = pick([
      '',
      `?owner=${treasury.owner}`,
      '?owner=x',
      '?%',
      `?owner=${treasury.owner}&owner=${agent.wallet}`,
    ]);
    const length = often(0.6)
      ? [`Content-Length: ${pick([body.length, body.length, 0, 3, 70_000, -1])}`]
      : [];
    const text = requestText({
      method,
      target: pick(targets) + owner,
      headers: [...headers(), ...length],
      body,
    });
    const bytes = Buffer.from(text, 'latin1');
    if (often(0.3))
      for (let flips = 1 + Math.floor(random() * 4); flips > 0; flips -= 1)
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    return often(0.15) ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
  };

  const open = /^\{"(ok|openapi|query)":/;
  const inside = /\n\s+at |node_modules|\.ts:\d|[A-Za-z]Error:|server\/|SQLITE/;

  it('of 5,000 requests brings no crash, no answer without a credential and no word from inside', async () => {
    const before = stateOf(treasury.host);
    const wrong: string[] = [];
    const statuses = new Map<number, number>();
    const worker = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        const bytes = noisy();
        const answer = await sendRaw(port, bytes, 100);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const isPublic = /health|openapi|search/.test(bytes.toString('latin1'));
        for (const [, status] of answer.all.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
          if (Number(status) >= 500) wrong.push(`${status} to ${JSON.stringify(bytes.toString('latin1'))}`);
          if (status?.startsWith('2') && !isPublic)
            wrong.push(`let in: ${JSON.stringify(bytes.toString('latin1'))}`);
        }
        if (answer.status === 200 && answer.body.startsWith('{') && !open.test(answer.body))
          wrong.push(`told ${answer.body.slice(0, 100)}`);
        if (inside.test(answer.all.replace(/\{"openapi".*/s, '')))
          wrong.push(`from inside: ${answer.all.slice(0, 300)}`);
        if (cors.test(answer.head)) wrong.push(`CORS: ${answer.head}`);
      }
    };
    await Promise.all(Array.from({ length: 50 }, () => worker(100)));
    expect(wrong).toEqual([]);
    for (const status of [200, 400, 401, 403, 413])
      expect(statuses.get(status), String(status)).toBeGreaterThan(10);
    expect(stateOf(treasury.host)).toBe(before);
    expect((await agent.pay('0.01')).status).toBe(200);
  });
});
