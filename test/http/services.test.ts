// Services that the owner adds by their URL: shown first, kept as shown, and paid only to the payee that was shown.
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deploy, instantly, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { newWallet } from '../harness/sign-in.ts';
import { checked, type Checked } from './contract-client.ts';

const payee = newWallet().address;
let seller: Server;
let origin = '';
let asks: { status: number; body: unknown };
let treasury: Treasury;
let client: Checked;
let agent: TestAgent;
beforeAll(async () => {
  seller = createServer((_request, response) => {
    response.writeHead(asks.status, { 'content-type': 'application/json' }).end(JSON.stringify(asks.body));
  });
  seller.listen(0, '127.0.0.1');
  await once(seller, 'listening');
  origin = `http://127.0.0.1:${(seller.address() as AddressInfo).port}`;
  treasury = await openTreasury({ args: [...instantly, '--allow-origin', origin] });
  client = checked(treasury.client);
  agent = await deploy(treasury.client, 'buyer');
});
afterAll(async () => {
  await treasury.close();
  seller.close();
});
beforeEach(() => {
  asks = { status: 402, body: { amount: '0.05', currency: 'USDC', recipient: payee, service: 'stocks' } };
});

const url = (): string => `${origin}/v1/quote?symbol=A`;
const preview = (body: object = { url: url() }) => client.post('/v1/services/preview', body);
const found = async (q: string): Promise<string[]> =>
  (await client.get(`/v1/services/search?q=${q}`)).body['results'].map(({ id }: { id: string }) => id);

describe('a service', () => {
  it('is shown before it is kept, and then paid at the payee that was shown', async () => {
    const { body: shown } = await preview();
    expect(shown).toMatchObject({
      serviceId: 'stocks',
      endpoint: 'GET /v1/quote',
      origin,
      payees: [payee],
      price: '0.05',
      replaces: false,
      warnings: [],
    });
    expect(await found('stocks')).toEqual([]);
    const added = await client.post('/v1/services', {
      url: url(),
      hash: shown['hash'],
      name: 'Stock quotes',
    });
    // The hash of the preview covers the name.
    expect(added.status).toBe(409);
    const { body: named } = await preview({ url: url(), name: 'Stock quotes' });
    const kept = await client.post('/v1/services', { url: url(), hash: named['hash'], name: 'Stock quotes' });
    expect(kept).toMatchObject({
      status: 200,
      body: { id: 'stocks', name: 'Stock quotes', source: 'x402-marketplace', addedByOwner: true },
    });
    expect(await found('stock')).toContain('stocks');
    const paid = await agent.client.post('/v1/agents/buyer/pay', {
      service: 'stocks',
      amount: '0.05',
      currency: 'USDC',
    });
    expect(paid.status).toBe(200);
    const { body: transfer } = await client.get(`/v1/transfers/${paid.body['paymentId']}`);
    expect(transfer['payee']).toBe(payee);
  });

  it('whose terms changed since the preview is not kept', async () => {
    const { body: shown } = await preview();
    asks.body = { amount: '0.05', currency: 'USDC', recipient: newWallet().address, service: 'stocks' };
    expect(await client.post('/v1/services', { url: url(), hash: shown['hash'] })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
  });

  it('cannot take the id of another service', async () => {
    asks.body = { amount: '0.05', currency: 'USDC', recipient: payee, service: 'sandbox-weather' };
    expect(await preview()).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it.each([
    [200, {}],
    [404, {}],
    [402, { amount: '0', currency: 'USDC', recipient: payee }],
    [402, { amount: '1', currency: 'EUR', recipient: payee }],
    [402, { amount: '1', currency: 'USDC', recipient: 'nobody' }],
    [402, { x402Version: 1, accepts: [] }],
    [402, 'text'],
  ])('that answers %s %j is refused with the fault', async (status, body) => {
    asks = { status, body };
    const answer = await preview();
    expect(answer.status).toBe(501);
    expect(answer.text).toMatch(/url: /);
  });

  it.each(['http://127.0.0.1:1/', 'https://10.0.0.1/', 'ftp://example.com/', 'weather', 5])(
    'cannot be at %s',
    async (place) => {
      const answer = await preview({ url: place });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('url');
    },
  );

  it('can be added and removed by the owner alone, and is not paid once it is removed', async () => {
    expect((await agent.client.post('/v1/services/preview', { url: url() })).status).toBe(403);
    const { body: shown } = await preview();
    expect((await agent.client.post('/v1/services', { url: url(), hash: shown['hash'] })).status).toBe(403);
    expect((await client.call('DELETE', '/v1/services/sandbox-weather', { body: {} })).status).toBe(409);
    expect((await client.call('DELETE', '/v1/services/none', { body: {} })).status).toBe(404);
    await client.post('/v1/services', { url: url(), hash: shown['hash'] });
    const limited = { serviceLimits: { stocks: { dailyBudget: '1' } } };
    expect((await client.post('/v1/agents/buyer/policy', limited)).status).toBe(200);
    expect((await client.call('DELETE', '/v1/services/stocks', { body: {} })).body).toEqual({
      serviceId: 'stocks',
      removed: true,
    });
    expect(await found('stocks')).toEqual([]);
    const body = { service: 'stocks', amount: '0.05', currency: 'USDC' };
    expect((await agent.client.post('/v1/agents/buyer/pay', body)).status).toBe(400);
    const limits = [{ node: { kind: 'agent', id: 'buyer', name: 'buyer' }, limit: { dailyBudget: '1.00' } }];
    const { body: told } = await client.get('/v1/services/stocks');
    expect([told['service'], told['limits']]).toEqual([null, limits]);
    // It may come back.
    expect(
      (await client.post('/v1/services', { url: url(), hash: (await preview()).body['hash'] })).status,
    ).toBe(200);
  });
});
