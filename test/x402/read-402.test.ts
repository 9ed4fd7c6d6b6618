import { Keypair } from '@solana/web3.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { usdc } from '../../server/money.ts';
import { readPaymentRequired } from '../../server/x402/read-402.ts';

const recipient = Keypair.generate().publicKey.toBase58();
const ours = { amount: '0.01', currency: 'USDC', recipient };
const read = (headers: Record<string, string>, body: unknown) =>
  readPaymentRequired(
    (name) => new Headers(headers).get(name),
    typeof body === 'string' ? body : JSON.stringify(body),
  );

describe('which protocol a 402 speaks', () => {
  test.each<[string, string, Record<string, string>, unknown]>([
    ['the header PAYMENT-REQUIRED', 'x402-v2', { 'PAYMENT-REQUIRED': 'e30=' }, {}],
    [
      'that header, whatever else is there',
      'x402-v2',
      { 'payment-required': 'e30=', 'www-authenticate': 'Payment id="1"' },
      { x402Version: 1, ...ours },
    ],
    ['x402Version 1 in the body', 'x402-v1', {}, { x402Version: 1, accepts: [] }],
    [
      'x402Version 1, also with our fields',
      'x402-v1',
      { 'www-authenticate': 'Payment id="1"' },
      { x402Version: 1, ...ours },
    ],
    [
      'a challenge of the scheme Payment',
      'mpp',
      { 'WWW-Authenticate': 'Payment id="1", method="solana"' },
      ours,
    ],
    [
      'that challenge in lower case, after another',
      'mpp',
      { 'WWW-Authenticate': 'Basic realm="x", payment id="1"' },
      '',
    ],
    ['amount, currency and recipient', 'receipt', {}, ours],
    ['them beside another challenge', 'receipt', { 'www-authenticate': 'Bearer realm="x, Payment y"' }, ours],
    ['them beside a scheme of a like name', 'receipt', { 'www-authenticate': 'PaymentX id="1"' }, ours],
    ['them with version 2 in the body only', 'receipt', {}, { x402Version: 2, ...ours }],
  ])('%s', (_, dialect, headers, body) => {
    expect(read(headers, body)).toMatchObject({ dialect });
  });
});

describe('our own protocol', () => {
  test('is read into units, with everything that the seller named', () => {
    const extras = {
      network: 'sandbox',
      invoice: 'abc',
      service: 's-1',
      expiresAt: '2026-11-02T10:00:00.000Z',
      retry: true,
    };
    expect(read({}, { ...ours, ...extras, amount: '1.500001', error: 'pay', other: 1 })).toEqual({
      dialect: 'receipt',
      quote: { currency: 'USDC', recipient, ...extras, amount: usdc(1_500_001n) },
    });
    expect(read({}, ours)).toEqual({ dialect: 'receipt', quote: { ...ours, amount: usdc(10_000n) } });
  });

  test.each<[string, unknown]>([
    ['amount', { ...ours, amount: 0.01 }],
    ['amount', { ...ours, amount: '0' }],
    ['amount', { ...ours, amount: '0.000000' }],
    ['amount', { ...ours, amount: '' }],
    ['amount', { ...ours, amount: '0x10' }],
    ['amount', { ...ours, amount: ' 5 ' }],
    ['amount', { ...ours, amount: '-5' }],
    ['amount', { ...ours, amount: '1e2' }],
    ['amount', { ...ours, amount: '1,5' }],
    ['amount', { ...ours, amount: '01.5' }],
    ['amount', { ...ours, amount: '.5' }],
    ['amount', { ...ours, amount: '5.' }],
    ['amount', { ...ours, amount: '0.0000001' }],
    ['amount', { ...ours, amount: '1234567890' }],
    ['amount', { ...ours, amount: ['1'] }],
    ['amount', { currency: 'USDC', recipient }],
    ['currency', { ...ours, currency: 'usdc' }],
    ['currency', { ...ours, currency: 'SOL' }],
    ['recipient', { ...ours, recipient: recipient.slice(0, 30) }],
    ['recipient', { ...ours, recipient: '0x52908400098527886E0F7030069857D2E4169EE7' }],
    ['recipient', { ...ours, recipient: null }],
    ['invoice', { ...ours, invoice: 'a b' }],
    ['invoice', { ...ours, invoice: 'x'.repeat(65) }],
    ['invoice', { ...ours, invoice: 7 }],
    ['network', { ...ours, network: 'testnet' }],
    ['expiresAt', { ...ours, expiresAt: 'tomorrow' }],
    ['JSON object', [ours]],
    ['JSON object', 'null'],
    ['JSON object', '<html>'],
    ['JSON object', ''],
  ])('is not understood when it is at fault, and %s is named: %j', (part, body) => {
    const answer = read({}, body);
    expect(answer).toMatchObject({ dialect: 'unknown', reason: expect.stringContaining(part) });
  });

  test('takes an amount only as strict decimal text', () => {
    const property = fc.property(
      fc.string({ unit: fc.constantFrom(...'0123456789.-+eExX_, ٣'), maxLength: 12 }),
      (amount) => {
        const strict = /^(0|[1-9]\d{0,8})(\.\d{1,6})?$/.test(amount) && Number(amount) > 0;
        return (read({}, { ...ours, amount }).dialect === 'receipt') === strict;
      },
    );
    fc.assert(property, { numRuns: 20_000 });
  });

  test('never throws', () => {
    const property = fc.property(
      fc.string({ unit: 'binary' }),
      fc.oneof(fc.json(), fc.string()),
      (challenge, body) => {
        readPaymentRequired((name) => (name === 'www-authenticate' ? challenge : null), body);
      },
    );
    fc.assert(property, { numRuns: 5_000 });
  });
});
