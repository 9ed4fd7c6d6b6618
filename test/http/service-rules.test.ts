// The owner's word on a service: blocked for all agents, or its seller trusted; and lists of services in other orders.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../server/engine/ports.ts';
import { newWallet } from '../harness/sign-in.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { checked, type Checked } from './contract-client.ts';

let treasury: Treasury;
let client: Checked;
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
  payees: [newWallet().address],
  pricing: {},
  price: '0.02',
  vouched: false,
};
beforeAll(async () => {
  treasury = await openTreasury();
  client = checked(treasury.client);
  scout = await deploy(treasury.client, 'scout');
  planner = await deploy(treasury.client, 'planner');
  const { store } = treasury.host.engine.context;
  store.atomically(() => {
    store.services.upsert(imported);
    store.services.upsert({ ...imported, id: 'cheap', name: 'Zebra', category: 'data', price: '0.001' });
    store.services.upsert({ ...imported, id: 'dear', name: 'Aardvark', category: 'data', price: '10.5' });
    store.services.upsert({ ...imported, id: 'asked', name: 'Middle', category: 'data', price: null });
  });
});
afterAll(() => treasury.close());

const rule = (service: string, change: object) =>
  client.post(`/v1/services/${encodeURIComponent(service)}/rules`, change);
const codeOf = async (agent: TestAgent): Promise<unknown> => (await agent.pay('0.01')).body['code'];

describe('a blocked service', () => {
  it('is paid by no agent, also not by the owner for one, until it is unblocked', async () => {
    const blocked = await rule('sandbox-weather', { blocked: true });
    expect(blocked.body).toMatchObject({ name: 'Sandbox Weather', isTrusted: true, mayTrust: false });
    expect([await codeOf(scout), await codeOf(planner)]).toEqual(['service_blocked', 'service_blocked']);
    const body = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
    const owners = await treasury.client.post('/v1/agents/scout/pay', body);
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
      store.services.pin(weather.id, [newWallet().address]);
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
    const statusOf = async ({ body }: { body: Record<string, unknown> }): Promise<unknown> =>
      (await client.get(`/v1/approvals/${String(body['approvalId'])}`)).body['status'];
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
