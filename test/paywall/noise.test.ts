import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GrantStore } from '../../server/paywall/types.ts';
import { paywall } from '../../server/paywall/paywall.ts';
import { tries } from '../harness/tries.ts';
import { sampleReceipt, signReceipt } from '../x402/keys.ts';
import { ask } from './seller.ts';
import { market, shop, signed, useShop } from './use-shop.ts';

useShop();

const encode = (text: string) => `v1.${Buffer.from(text).toString('base64')}`;

describe('noise in X-Payment', () => {
  const unforgiving: GrantStore = {
    saveInvoice: () => undefined,
    findInvoice: () => undefined,
    isUsed: () => false,
    grant: () => {
      throw new Error('granted');
    },
  };

  const count = tries(1_000, 20_000);
  test(`${count} headers: nothing is thrown, nothing is granted, all are 402`, async () => {
    const wall = paywall({ ...shop.options, store: unforgiving, bind: 'optional', now: Date.now });
    const honest = signReceipt(sampleReceipt(market.buyer), market.buyer);
    const json = JSON.stringify(honest);
    const fields = Object.keys(honest) as (keyof typeof honest)[];
    const headers = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 500 }),
      fc.base64String({ maxLength: 500 }).map((text) => `v1.${text}`),
      fc.uint8Array({ maxLength: 500 }).map((bytes) => `v1.${Buffer.from(bytes).toString('base64')}`),
      fc.json().map(encode),
      fc
        .tuple(fc.nat(json.length), fc.string({ maxLength: 4 }))
        .map(([at, text]) => encode(json.slice(0, at) + text + json.slice(at + 1))),
      fc
        .tuple(fc.constantFrom(...fields), fc.oneof(fc.string(), fc.json()))
        .map(([field, value]) => encode(JSON.stringify({ ...honest, [field]: value }))),
      fc
        .record({ amount: fc.string(), service: fc.string({ minLength: 1, maxLength: 50 }) })
        .map((change) => signed({ ...honest, ...change, recipient: shop.options.recipient })),
    );
    let asked = 0;
    const property = fc.asyncProperty(headers, async (header) => {
      const request = new IncomingMessage(new Socket());
      request.method = 'GET';
      request.url = '/forecast';
      request.headers['x-payment'] = header;
      const response = new ServerResponse(request);
      let passed: unknown = 'refused';
      await wall(request, response, (error) => (passed = error ?? 'granted'));
      asked++;
      return passed === 'refused' && response.statusCode === 402;
    });
    await fc.assert(property, { numRuns: count });
    expect(asked).toBe(count);
  });

  test.each<[string, string]>([
    ['200 kB of base64', `v1.${'A'.repeat(200_000)}`],
    ['200 kB of nothing', ` ${'x'.repeat(200_000)}`],
    ['half of base64', 'v1.eyJ'],
    ['no JSON', `v1.${Buffer.from('{"txSignature":').toString('base64')}`],
    ['nothing at all', ''],
    ['the prefix', 'v1.'],
  ])('%s over HTTP is 402', async (_, header) => {
    expect((await ask(shop.forecast, header)).status).toBe(402);
  });
});
