// A blocked service under other names: its payees, and the places of URLs.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BlockedPayment, Service, Store } from '../../server/engine/ports.ts';
import { reservedPayment } from '../harness/payment-row.ts';
import { openStore } from '../harness/store.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';

const folder = temporaryFolder();
const file = join(folder, 'rules.db');
let store: Store;

const weather: Service = {
  id: 'weather',
  name: 'Weather',
  description: 'Rain and wind',
  category: 'climate',
  source: 'x402-marketplace',
  endpoint: 'GET /v1/{city}',
  origin: 'https://weather.example',
  payees: ['rain', 'wind'],
  pricing: {},
  price: '0.01',
  vouched: false,
};

beforeAll(() => {
  store = openStore(file);
  store.atomically(() => {
    store.services.upsert(weather);
    store.services.upsert({ ...weather, id: 'maps', origin: 'https://maps.example', payees: ['north'] });
    store.services.upsert({ ...weather, id: 'inside', endpoint: 'POST /v1/tides', payees: ['tide'] });
    store.serviceRules.set('weather', { blockedAt: 1 });
    store.serviceRules.set('https://unlisted.example', { blockedAt: 2 });
  });
});
afterAll(() => {
  store.close();
  removeFolder(folder);
});

const asked = { serviceId: 'x', payee: 'new', url: null };
const isBlockedBy: readonly [title: string, payment: Partial<BlockedPayment>, blockedBy: string | null][] = [
  ['under its own id, to any payee', { serviceId: 'weather' }, 'weather'],
  ['to its payee, under the id of another entry', { serviceId: 'maps', payee: 'rain' }, 'weather'],
  ['to its payee, at another origin', { payee: 'wind', url: 'https://other.example/x' }, 'weather'],
  ['at a URL of its place', { url: 'https://weather.example/v1/oslo?day=1' }, 'weather'],
  ['at its place in another spelling', { url: 'https://weather.example/%761/oslo/' }, 'weather'],
  ['as an entry below its place', { serviceId: 'inside', payee: 'tide' }, 'weather'],
  ['below an origin', { url: 'https://unlisted.example/deep/path' }, 'https://unlisted.example'],
  ['at an origin', { url: 'https://unlisted.example' }, 'https://unlisted.example'],
  ['of another seller', { serviceId: 'maps', payee: 'north', url: 'https://maps.example/v1/oslo' }, null],
  ['of a neighbour on the same origin', { url: 'https://weather.example/v10/oslo' }, null],
  ['of the origin above its place', { url: 'https://weather.example/' }, null],
];

it.each(isBlockedBy)('a payment %s', (_title, payment, blockedBy) => {
  expect(store.serviceRules.blocking({ ...asked, ...payment })).toBe(blockedBy);
});

it('a block outlives the entry in the catalog, and the process', () => {
  store.atomically(() => store.services.remove('weather'));
  store.close();
  store = openStore(file);
  const blocking = (payee: string, url: string | null) =>
    store.serviceRules.blocking({ serviceId: 'x', payee, url });
  expect([blocking('rain', null), blocking('new', 'https://weather.example/v1/oslo')]).toEqual([
    'weather',
    'weather',
  ]);
});

it('an unblocked service is blocked under no name', () => {
  store.atomically(() => store.serviceRules.set('weather', { blockedAt: null }));
  expect(store.serviceRules.blocking({ serviceId: 'maps', payee: 'rain', url: null })).toBeNull();
  expect(store.journal.verifyRules()).toBeNull();
});

it('a block remembers the payees that were paid, and none that refused requests named', () => {
  const bad = 'https://bad.example';
  const refusal = { code: 'max_per_payment', message: 'too much', details: {} } as const;
  store.atomically(() => {
    store.wallets.add({ address: 'treasury', index: 0, agentId: null });
    const agent = { agentId: 'a', displayName: 'a', status: 'active', statusReason: null } as const;
    store.agents.insert({ ...agent, createdAt: 1, archivedAt: null }, () => 'wallet-1');
    const own = {
      agentId: 'a',
      walletIndex: 1,
      wallet: 'wallet-1',
      createdAt: 1,
      amount: 1n,
      serviceId: bad,
    };
    store.transfers.insert(reservedPayment({ ...own, id: 'paid', payee: 'seller' }));
    // More than a block remembers.
    for (let n = 0; n <= 200; n += 1) {
      const id = `refused-${n}`;
      const denied = { state: 'denied', reservedAt: null, refusal } as const;
      store.transfers.insert(reservedPayment({ ...own, ...denied, id, payee: `bystander-${n}` }));
    }
    store.serviceRules.set(bad, { blockedAt: 3 });
  });
  const blocking = (payee: string) => store.serviceRules.blocking({ serviceId: 'x', payee, url: null });
  expect([blocking('seller'), blocking('bystander-200')]).toEqual([bad, null]);
});
