// Bodies of other types and sizes, methods that must not write, the headers Idempotency-Key and Prefer, announced features that
// are not available, and the look for our own secrets.
import { beforeAll, describe, expect, it } from 'vitest';
import { type RouteName, routes } from '../../../server/contract/routes.ts';
import { stops } from '../../../server/contract/treasury/stops.ts';
import { createRefuseSecrets } from '../../../server/http/own-secrets.ts';
import { payer, treasury } from '../api-treasury.ts';
import { ask, port, useTreasury } from './raw-treasury.ts';
import { type RawAnswer, requestText, sendRaw } from './raw.ts';
import { stateOf } from './state.ts';

useTreasury();

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

const stop = (target: string, headers: string[], body: string): Promise<RawAnswer> =>
  ask({
    method: 'POST',
    target,
    headers: [`Host: 127.0.0.1:${port}`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`],
    body,
  });

describe('a stop', () => {
  it.each([
    ['no JSON', ['Content-Type: application/json'], '#'],
    ['no type', [], '# everything'],
    ['a form', ['Content-Type: application/x-www-form-urlencoded'], 'reason=x'],
    ['another charset', ['Content-Type: application/json; charset=latin1'], '{}'],
    ['too much', ['Content-Type: application/json'], ' '.repeat(70_000)],
    ['an unknown field', ['Content-Type: application/json'], '{"everything":true}'],
    ['a reason that is no text', ['Content-Type: application/json'], '{"reason":7}'],
  ])('stops with a body of %s', async (_, headers, body) => {
    const frozen = await stop('/v1/freeze', headers, body);
    expect([frozen.status, JSON.parse(frozen.body)]).toMatchObject([200, { frozen: true }]);
    await treasury.client.post('/v1/unfreeze');
    const killed = await stop('/v1/agents/payer/kill', headers, body);
    expect([killed.status, JSON.parse(killed.body)]).toMatchObject([200, { status: 'suspended' }]);
    await treasury.client.post('/v1/agents/payer/resume');
  });

  it.each([
    ['a length that does not come', 'Content-Length: 20', '{"reason":'],
    ['pieces without an end', 'Transfer-Encoding: chunked', `a\r\n{"reason":\r\n`],
    ['too many pieces without an end', 'Transfer-Encoding: chunked', `11170\r\n${' '.repeat(70_000)}\r\n`],
  ])('does not wait for a body of %s', async (_, line, body) => {
    const headers = [`Host: 127.0.0.1:${port}`, 'Content-Type: application/json', line];
    const frozen = await ask({ method: 'POST', target: '/v1/freeze', headers, body });
    expect([frozen.status, JSON.parse(frozen.body || '{}')]).toMatchObject([200, { frozen: true }]);
    await treasury.client.post('/v1/unfreeze');
  });

  it('keeps a reason that can be read', async () => {
    const { body } = await stop('/v1/freeze', ['Content-Type: application/json'], '{"reason":"lunch"}');
    expect(JSON.parse(body)).toMatchObject({ frozen: true, reason: 'lunch' });
    await treasury.client.post('/v1/unfreeze');
  });

  it('is every route that only stops, ends or refuses something', () => {
    const names = Object.entries(routes).flatMap(([name, { method, summary }]) =>
      method !== 'GET' && /^(?:stop everything|drop all|suspend|decline|refuse|end )/i.test(summary)
        ? [name]
        : [],
    );
    expect(names.filter((name) => !stops.includes(name as RouteName))).toEqual([]);
  });
});

describe('a body', () => {
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
    // Also when it claims to be larger than it is.
    expect((await post(json, good, 1e12)).status).toBe(413);
  });

  it('sent in chunks may be no larger', async () => {
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

  it('without a credential is refused unread, however large it claims to be', async () => {
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

let refusedId: string;
const pathOf = (name: RouteName): string =>
  routes[name].path
    .replace(':agentId', 'payer')
    .replace(':transferId', refusedId)
    .replaceAll(/:\w+/g, 'none');

describe('GET', () => {
  beforeAll(async () => {
    refusedId = String((await payer.pay('99')).body['details'].paymentId);
  });

  const names = Object.keys(routes) as RouteName[];
  const reads = names
    .filter((name) => routes[name].method === 'GET')
    .map((name) => new RegExp(`^${routes[name].path.replaceAll(/:\w+/g, '[^/]+')}$`));

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
        const target = pathOf(name);
        const { status } = await ask({ method, target, headers, body });
        const readable = reads.some((path) => path.test(target)) && (method === 'GET' || method === 'HEAD');
        expect(status, name).toBe(readable ? 200 : 404);
      }
      expect(stateOf(treasury.host)).toBe(before);
    },
  );

  it('changes nothing on any route that reads', async () => {
    const before = stateOf(treasury.host);
    for (const name of names) {
      if (routes[name].method !== 'GET' || name === 'events' || name === 'agentEvents') continue;
      expect((await ask({ target: pathOf(name) })).status, name).toBeLessThan(500);
    }
    expect(stateOf(treasury.host)).toBe(before);
  });
});

const pay = (...headers: string[]): string => {
  const body = JSON.stringify({ service: 'sandbox-weather', amount: '0.01', currency: 'USDC' });
  const all = [
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${payer.key}`,
    'Connection: close',
    ...headers,
  ];
  const length = `Content-Length: ${body.length}`;
  const target = `/v1/agents/payer/pay?owner=${treasury.owner}`;
  return requestText({
    method: 'POST',
    target,
    headers: [...all, 'Content-Type: application/json', length],
    body,
  });
};

describe('the headers', () => {
  it.each([
    ['two keys', ['Idempotency-Key: a', 'Idempotency-Key: b']],
    ['the same key twice', ['Idempotency-Key: a', 'idempotency-key: a']],
    ['an empty key', ['Idempotency-Key:']],
    ['a key of 256 characters', [`Idempotency-Key: ${'k'.repeat(256)}`]],
    ['a key in Latin-1', ['Idempotency-Key: \xe9']],
    ['a key with a tab', ['Idempotency-Key: a\tb']],
  ])('may not hold %s', async (_, headers) => {
    const before = stateOf(treasury.host);
    const { status, body } = await sendRaw(port, Buffer.from(pay(...headers), 'latin1'));
    expect(status).toBe(400);
    expect(body).toContain('Idempotency-Key: ');
    expect(stateOf(treasury.host)).toBe(before);
  });

  it.each([
    'wait',
    'wait=',
    'wait=x',
    'wait=-1',
    'wait=1.5',
    'wait=99999999',
    'respond-async',
    '',
    'wait=0x1',
    ',;=,',
  ])('may hold a preference that cannot be read, %j: it is ignored', async (prefer) => {
    const { status } = await payer.pay('0.001', { prefer });
    expect(status).toBe(200);
  });

  it.each(['wait=0', 'respond-async, wait=0', 'wait="0"', 'WAIT=0; x=y'])(
    'are read as in RFC 7240: %j',
    async (prefer) => {
      const { status, body } = await payer.pay('0.001', { prefer });
      expect([status, body['status']]).toEqual([202, 'pending']);
    },
  );
});

describe('Ethereum', () => {
  it.each([
    ['currency', { currency: 'ETH' }],
    ['currency', { currency: 'ETH-USDC' }],
    ['rail', { rail: 'eth' }],
    ['rail', { rail: 'ethereum' }],
  ])('as %s is refused as not available: %j', async (name, wish) => {
    const body = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC', ...wish };
    const answer = await payer.client.post('/v1/agents/payer/pay', body);
    expect(answer.status).toBe(400);
    expect(answer.body['error']).toMatch(new RegExp(`^${name}: .*not available`));
  });

  it('does not affect a request that names the available rail', async () => {
    const body = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC', rail: 'sol' };
    expect((await payer.client.post('/v1/agents/payer/pay', body)).status).toBe(200);
  });
});

// While they are looked up, no stop is obeyed.
describe('the look for our secrets in what an agent sends', () => {
  const secret = `atk_${'s'.repeat(43)}`;
  const looked: string[] = [];
  const refuse = createRefuseSecrets({
    isLive: (token) => {
      looked.push(token);
      return token === secret;
    },
    leaking() {},
  });
  const send = (headers: Record<string, string>): void => {
    looked.length = 0;
    refuse({ role: 'agent', agentId: 'a', keyId: 'k', keyLevel: 0 }, 'a', {
      headers,
      url: 'https://api.example.com/',
    });
  };

  it('looks up each word in the form of a secret once', () => {
    expect(() => send({ a: 'x'.repeat(100), b: `Bearer abc_${secret}`, c: secret })).toThrow(
      'holds a secret',
    );
    send({ a: `abc_${'x'.repeat(43)}`, b: `abc_${'x'.repeat(43)}` });
    expect(looked).toHaveLength(1);
  });

  it('refuses a request with more such words than it looks up, and looks none up', () => {
    const words = Array.from({ length: 4_000 }, (_, at) => `a${String.fromCharCode(97 + (at % 26))}z_${at}`);
    expect(() => send({ a: words.join('aaa_') })).toThrow(
      /^headers: must, with the address, hold at most 256/,
    );
    expect(looked).toEqual([]);
  });
});
