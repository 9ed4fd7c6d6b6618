import { join } from 'node:path';
import type { Server } from 'node:http';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWeather, weatherOf } from '../../server/sandbox/weather.ts';
import { createGrantStore } from '../../server/paywall/store/grant-store.ts';
import { signedHeader } from './keys.ts';
import { createMarket } from './market.ts';
import type { Market } from './market.ts';
import { ask, closeServer, listen } from '../paywall/seller.ts';

let market: Market;
let host: { url: string; server: Server };
let store: ReturnType<typeof createGrantStore>;

beforeAll(async () => {
  market = await createMarket();
  store = createGrantStore(join(market.dataDir, 'grants.db'));
  const recipient = market.seller.publicKey.toBase58();
  const app = express();
  app.use('/sandbox', createWeather({ recipient, rpcUrl: market.rpcUrl, network: 'sandbox', store }));
  host = await listen(app);
});
afterAll(async () => {
  await closeServer(host.server);
  store.close();
  await market.close();
});

const city = (name: string) => `${host.url}/sandbox/weather?city=${encodeURIComponent(name)}`;

describe('the demo weather', () => {
  test('costs 0.01 USDC, in the dialects that need no facilitator', async () => {
    const { status, headers, body } = await ask(city('Lisbon'));
    expect(status).toBe(402);
    expect(headers.get('www-authenticate')).toMatch(/^Payment /);
    expect(headers.has('payment-required') || 'accepts' in body).toBe(false);
    expect(body).toMatchObject({
      amount: '0.01',
      currency: 'USDC',
      service: 'sandbox-weather',
      network: 'sandbox',
      recipient: market.seller.publicKey.toBase58(),
    });
  });

  test('is sold with an invoice and without one', async () => {
    const { body } = await ask(city('Lisbon'));
    for (const invoice of [body['invoice'] as string, undefined]) {
      const header = signedHeader(await market.buy({ invoice }), market.buyer);
      const answer = await ask(city('Lisbon'), header);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(weatherOf('Lisbon'));
    }
  });

  test('still follows the chain’s time after a warp', async () => {
    await market.rpc('sandbox_warp', [5000]);
    const { body } = await ask(city('Oslo'));
    const header = signedHeader(await market.buy({ invoice: body['invoice'] as string }), market.buyer);
    expect((await ask(city('Oslo'), header)).status).toBe(200);
  });

  test.each([
    '',
    '?city=',
    '?city=%20',
    '?city=a&city=b',
    '?city[x]=a',
    '?city=12345',
    `?city=${'x'.repeat(81)}`,
    '?city=%3Cb%3E',
    '?city=a%0Ab',
  ])('asks for a city before it asks for money: %j', async (query) => {
    const { status, body } = await ask(`${host.url}/sandbox/weather${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: expect.stringMatching(/^city: /),
      code: 'bad_request',
      details: { field: 'city' },
    });
  });
});

test('the weather of a city is always the same, and plausible for any', () => {
  expect(weatherOf('São Paulo')).toEqual({
    ...weatherOf('sao paulo'),
    city: 'São Paulo',
    summary: expect.stringContaining('São Paulo: '),
  });
  for (let at = 0; at < 2000; at++) {
    const { temperatureCelsius, humidityPercent, windKilometresPerHour, conditions } = weatherOf(
      `Town ${at}`,
    );
    expect(temperatureCelsius).toBeGreaterThanOrEqual(-5);
    expect(temperatureCelsius).toBeLessThanOrEqual(34);
    expect(humidityPercent).toBeGreaterThanOrEqual(30);
    expect(humidityPercent).toBeLessThanOrEqual(95);
    expect(windKilometresPerHour).toBeLessThanOrEqual(34);
    expect(conditions === 'light snow').toBe(temperatureCelsius <= 1);
  }
  expect(weatherOf('Reykjavik').temperatureCelsius).toBeLessThan(weatherOf('Singapore').temperatureCelsius);
});
