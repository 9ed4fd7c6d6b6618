// Services that the owner adds by their URL, and pays only at the payee that was shown; the owner's word on a service: blocked
// for all agents, or its seller trusted; lists of services in other orders; and their names in allow-lists and limits.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Service } from '../../server/engine/ports.ts';
import type { Answer } from '../harness/http-client.ts';
import { deploy, instantly, until, type TestAgent } from '../harness/treasury.ts';
import { asOwner, client, codeOf, newWallet, treasury, useTreasury } from './api-treasury.ts';
import { allowDelegation } from './limits/slices.ts';

const payee = newWallet();
let seller: Server;
let origin = '';
let asks: { status: number; body: unknown };
beforeAll(async () => {
  seller = createServer((_request, response) => {
    response.writeHead(asks.status, { 'content-type': 'application/json' }).end(JSON.stringify(asks.body));
  });
  seller.listen(0, '127.0.0.1');
  await once(seller, 'listening');
  origin = `http://127.0.0.1:${(seller.address() as AddressInfo).port}`;
});
useTreasury(() => ({ args: [...instantly, '--allow-origin', origin] }));
let agent: TestAgent;
beforeAll(async () => {
  agent = await deploy(client, 'buyer');
});
afterAll(() => seller.close());
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
    asks.body = { amount: '0.05', currency: 'USDC', recipient: newWallet(), service: 'stocks' };
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

  it.each(['http://127.0.0.1:1/', 'https://10.0.0.1/'])('cannot be at %s', async (place) => {
    const answer = await preview({ url: place });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('url');
  });

  it('can be removed, and is not paid then', async () => {
    const { body: shown } = await preview();
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

let scout: TestAgent;
let planner: TestAgent;
const imported: Service = {
  id: 'far-away',
  name: 'Far Away',
  description: 'A seller without an account for USDC.',
  category: 'travel',
  source: 'x402-marketplace',
  endpoint: 'GET /far',
  origin: 'https://far.example',
  payees: [newWallet()],
  pricing: {},
  price: '0.02',
  vouched: false,
};
beforeAll(async () => {
  scout = await deploy(client, 'scout');
  planner = await deploy(client, 'planner');
  const { store } = treasury.host.engine.context;
  store.atomically(() => {
    store.services.upsert(imported);
    store.services.upsert({ ...imported, id: 'cheap', name: 'Zebra', category: 'data', price: '0.001' });
    store.services.upsert({ ...imported, id: 'dear', name: 'Aardvark', category: 'data', price: '10.5' });
    store.services.upsert({ ...imported, id: 'asked', name: 'Middle', category: 'data', price: null });
  });
});

const rule = (service: string, change: object) =>
  client.post(`/v1/services/${encodeURIComponent(service)}/rules`, change);

const statusOf = async ({ body }: Answer): Promise<unknown> =>
  (await client.get(`/v1/approvals/${String(body['approvalId'])}`)).body['status'];

describe('a blocked service', () => {
  it('is paid by no agent, also not by the owner for one, until it is unblocked', async () => {
    const blocked = await rule('sandbox-weather', { blocked: true });
    expect(blocked.body).toMatchObject({ name: 'Sandbox Weather', isTrusted: true, mayTrust: false });
    expect([await codeOf(scout, '0.01'), await codeOf(planner, '0.01')]).toEqual([
      'service_blocked',
      'service_blocked',
    ]);
    const body = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
    const owners = await client.post('/v1/agents/scout/pay', body);
    expect([owners.status, owners.body['code']]).toEqual([402, 'service_blocked']);
    expect((await client.get('/v1/services/search?q=weather')).body['results'][0]).toMatchObject({
      blocked: true,
    });
    expect((await rule('sandbox-weather', { blocked: false })).body).toMatchObject({ blockedAt: null });
    expect((await scout.pay('0.01')).status).toBe(200);
  });

  it('is paid under no other name: its payees are blocked, those of today and those paid before', async () => {
    const { store } = treasury.host.engine.context;
    const weather = store.services.get('sandbox-weather');
    if (weather === undefined) throw new Error('the sandbox sells the weather');
    await scout.pay('0.01');
    store.atomically(() => {
      store.services.upsert({ ...weather, id: 'other-name', endpoint: 'GET /other', name: 'Other Name' });
      store.services.pin(weather.id, [newWallet()]);
    });
    await rule(weather.id, { blocked: true });
    const renamed = { service: 'other-name', amount: '0.01', currency: 'USDC' };
    const refused = await scout.client.post('/v1/agents/scout/pay', renamed);
    expect([refused.status, refused.body]).toMatchObject([
      402,
      { code: 'service_blocked', details: { service: 'other-name', blocked: weather.id } },
    ]);
    expect((await client.get('/v1/services/search?q=other')).body['results'][0]).toMatchObject({
      id: 'other-name',
      blocked: true,
    });
    await rule(weather.id, { blocked: false });
    expect((await scout.client.post('/v1/agents/scout/pay', renamed)).status).toBe(200);
    store.atomically(() => store.services.pin(weather.id, weather.payees));
  });

  it('ends the requests that wait for it, and leaves those for other services', async () => {
    await client.post('/v1/agents/scout/policy', { approveAbove: '0.005' });
    const held = await scout.pay('0.01', { prefer: 'wait=0' });
    const other = await scout.client.post('/v1/agents/scout/allocate', { amount: '1' });
    await rule('sandbox-weather', { blocked: true });
    expect([await statusOf(held), await statusOf(other)]).toEqual(['cancelled', 'pending']);
    await rule('sandbox-weather', { blocked: false });
    await client.post('/v1/agents/scout/policy', { approveAbove: null });
  });

  it('stops what was decided and is not signed yet', async () => {
    const { chain, store } = treasury.host.engine.context;
    const { lifetime } = chain;
    const { promise, resolve } = Promise.withResolvers<void>();
    chain.lifetime = async () => {
      await promise;
      return lifetime();
    };
    const paying = scout.pay('0.01');
    const row = await until('its reservation', () =>
      store.transfers.openOf('scout').find(({ state }) => state === 'reserved'),
    );
    await rule('sandbox-weather', { blocked: true });
    resolve();
    expect((await paying).body['code']).toBe('service_blocked');
    chain.lifetime = lifetime;
    expect(store.transfers.get(row.id)).toMatchObject({ state: 'cancelled', signed: null });
    await rule('sandbox-weather', { blocked: false });
  });

  it('need not be in the catalog: a URL outside it goes by its origin', async () => {
    const { body } = await rule('https://unlisted.example', { blocked: true });
    expect(body).toMatchObject({ service: null, mayTrust: false, isTrusted: false });
    expect(Date.parse(body['blockedAt'])).toBeGreaterThan(0);
    expect((await rule('https://unlisted.example', { trusted: true })).status).toBe(409);
  });

  it('is noticed where its row was changed outside the treasury', async () => {
    const { journal } = treasury.host.engine.context.store;
    expect(journal.verifyRules()).toBeNull();
  });
});

const payFarAway = () =>
  scout.client.post(
    '/v1/agents/scout/pay',
    { service: 'far-away', amount: '0.02', currency: 'USDC' },
    { headers: { prefer: 'wait=0' } },
  );

const ids = async (query: string): Promise<string[]> =>
  (await client.get(`/v1/services/search?${query}`)).body['results'].map(({ id }: { id: string }) => id);

describe('a trusted seller', () => {
  it('has its account opened without asking; without trust, the owner is asked', async () => {
    expect((await payFarAway()).body['status']).toBe('awaiting_approval');
    expect((await rule('far-away', { trusted: true })).body).toMatchObject({
      isTrusted: true,
      mayTrust: true,
    });
    const paid = await payFarAway();
    await until('the payment', async () => {
      const { body } = await client.get(`/v1/transfers/${String(paid.body['paymentId'])}`);
      return body['status'] === 'confirmed';
    });
    expect((await rule('far-away', { trusted: false })).body).toMatchObject({ isTrusted: false });
  });
});

describe('the catalog', () => {
  it('is sorted by price, with those that name none last, by name, and by use', async () => {
    expect(await ids('category=data&sort=price')).toEqual(['cheap', 'dear', 'asked']);
    expect(await ids('category=data&sort=name')).toEqual(['dear', 'asked', 'cheap']);
    expect((await ids('sort=used'))[0]).toBe('sandbox-weather');
  });

  it('is read page by page, and searched within a category', async () => {
    expect(await ids('category=data&sort=price&limit=1&skip=1')).toEqual(['dear']);
    const { body } = await client.get('/v1/services/search?category=data&limit=1');
    expect(body['total']).toBe(3);
    expect(await ids('q=account&category=travel')).toEqual(['far-away']);
    expect(await ids('q=account&category=nothing')).toEqual([]);
    expect((await ids('q=account&sort=price')).slice(0, 2)).toEqual(['cheap', 'far-away']);
  });

  it('names its categories, the largest first', async () => {
    const { categories } = (await client.get('/v1/services/categories')).body;
    const counts = categories.map(({ services }: { services: number }) => services);
    expect(counts).toEqual(counts.toSorted((a: number, b: number) => b - a));
    expect(categories).toContainEqual({ category: 'data', services: 3 });
  });
});

let namer: TestAgent;
let groupId: string;
beforeAll(async () => {
  namer = await deploy(client, 'namer');
  await allowDelegation(client, 'namer');
  groupId = String((await asOwner('groups', { name: 'Namers' }))['groupId']);
});

const nodes = ['agent', 'group', 'treasury', 'key'] as const;
/** Sets limits of a node, and reads them. A key keeps those that it was minted with. */
const setAt = async (node: (typeof nodes)[number], limits: object): Promise<Answer> => {
  if (node === 'agent') return client.post('/v1/agents/namer/policy', limits);
  if (node === 'group') return client.post(`/v1/groups/${groupId}/limits`, limits);
  if (node === 'treasury') return client.post('/v1/treasury/limits', limits);
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const wanted = { label: 'a task', expiresAt, dailyBudget: '1', ...limits };
  const minted = await namer.client.post('/v1/agents/namer/delegated-keys', wanted);
  if (minted.status !== 200) return minted;
  const { keys } = (await client.get('/v1/agents/namer/delegated-keys')).body;
  const body = keys.find(({ keyId }: { keyId: string }) => keyId === minted.body['keyId']);
  expect(minted.body['unknownServices']).toEqual(body.unknownServices);
  return { ...minted, body };
};
const limitsIn = ({ body }: Answer) => body['limits'] ?? body['policy'];

describe.each(nodes)('names of services in the limits of the %s', (node) => {
  it('are brought to the form that is compared', async () => {
    const typed = [
      'https://api.example.com/',
      'HTTPS://API.example.com',
      ' https://b.example:8443 ',
      'sandbox-weather',
    ];
    const set = await setAt(node, {
      allowedServices: typed,
      serviceLimits: { 'HTTP://C.example/ ': { dailyBudget: '1' } },
    });
    expect(limitsIn(set)).toMatchObject({
      allowedServices: ['https://api.example.com', 'https://b.example:8443', 'sandbox-weather'],
      serviceLimits: { 'http://c.example': { dailyBudget: '1.00' } },
    });
    expect(set.body['unknownServices']).toEqual([]);
  });

  it.each([
    'api.example.com',
    'localhost:4921',
    '999.0.0.1',
    'https://api.example.com/paid',
    'https://',
    ' ',
  ])('are refused where no service can match: %j', async (name) => {
    for (const limits of [{ allowedServices: [name] }, { serviceLimits: { [name]: { dailyBudget: '1' } } }]) {
      const { status, body } = await setAt(node, limits);
      expect([status, Object.keys(body['details'].fields)]).toEqual([400, Object.keys(limits)]);
    }
  });

  it('are kept and told where no service has them yet', async () => {
    const limits = {
      allowedServices: ['no-such'],
      serviceLimits: { 'SANDBOX-WEATHER': { dailyBudget: '1' } },
    };
    const { body } = await setAt(node, limits);
    expect(body['unknownServices']).toEqual(expect.arrayContaining(['no-such', 'SANDBOX-WEATHER']));
  });
});

describe('names that were stored in another form', () => {
  it('keep their meaning, are told, and can be kept and taken away', async () => {
    const { store, time } = treasury.host.engine.context;
    const old = 'https://api.example.com/';
    const policy = { ...store.policies.get('namer'), allowedServices: [old], serviceLimits: null };
    store.atomically(() => store.policies.set('namer', policy, time.now()));
    expect((await client.get('/v1/agents/namer/policy')).body['unknownServices']).toEqual([old]);
    const kept = await setAt('agent', { allowedServices: [old, 'sandbox-weather'] });
    expect(limitsIn(kept).allowedServices).toEqual([old, 'sandbox-weather']);
    const mended = await setAt('agent', { allowedServices: ['https://API.example.com/', 'sandbox-weather'] });
    expect(limitsIn(mended).allowedServices).toEqual(['https://api.example.com', 'sandbox-weather']);
  });

  it('name one service once', async () => {
    const twice = { 'https://d.example': { dailyBudget: '1' }, 'HTTPS://D.example': { dailyBudget: '2' } };
    const { status, body } = await setAt('group', { serviceLimits: twice });
    expect([status, body['error']]).toEqual([
      400,
      'serviceLimits: must name the service https://d.example once.',
    ]);
  });
});
