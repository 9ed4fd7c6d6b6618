// Idempotency-Key and Prefer, and announced features that are not available.
import { describe, expect, it } from 'vitest';
import { payer, treasury, useTreasury } from './api-treasury.ts';
import { requestText, sendRaw } from './raw.ts';
import { stateOf } from './state.ts';

useTreasury();

const port = (): number => Number(new URL(treasury.host.url).port);

const pay = (...headers: string[]): string => {
  const body = JSON.stringify({ service: 'sandbox-weather', amount: '0.01', currency: 'USDC' });
  const all = [
    `Host: 127.0.0.1:${port()}`,
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
    const { status, body } = await sendRaw(port(), Buffer.from(pay(...headers), 'latin1'));
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
