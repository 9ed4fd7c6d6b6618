// The catalog entry to which a URL belongs; and a blocked service under other names: its payees, and the places of URLs.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BlockedPayment, Service, Store } from '../../server/engine/ports.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';
import { openStore } from '../harness/engine/store.ts';
import { paymentOf, storeWithAgent } from './store-with-agent.ts';

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

let number = 0;
let file = '';
let store: Store;
const open = (): Store => openStore(file);
beforeEach(() => {
  number += 1;
  file = join(folder, `${number}.db`);
  store = storeWithAgent(file);
});
afterEach(() => store.close());

const add = (id: string, url: string, change: Partial<Service> = {}): void => {
  const split = url.indexOf('/', 'https://'.length);
  const entry: Service = {
    id,
    name: id,
    description: '',
    category: 'api',
    source: 'x402-marketplace',
    endpoint: `GET ${url.slice(split)}`,
    origin: url.slice(0, split),
    payees: [`payee of ${id}`],
    pricing: {},
    price: '0.01',
    vouched: false,
    ...change,
  };
  store.atomically(() => store.services.upsert(entry, { addedByOwner: entry.vouched }));
};
const at = (url: string): string | undefined => {
  const { origin, pathname } = new URL(url);
  return store.services.at(origin, pathname)?.id;
};

const bare = (text: string): string => text.replace(/\/+$/, '');

describe('the entry to which a URL belongs', () => {
  it('is the nearest at or above its path, however both are spelt', () => {
    add('v1', 'https://a.example/v1');
    add('deepest', 'https://a.example/v1/deep/est?city={city}');
    add('template', 'https://a.example/users/{id}/orders');
    add('named', 'https://a.example/people/:id');
    add('whole', 'https://whole.example/');
    add('local', 'http://127.0.0.1:4001/paid');
    for (const [url, id] of [
      ['https://a.example/v1', 'v1'],
      ['https://a.example/v1/', 'v1'],
      ['https://a.example/v1/deep/er', 'v1'],
      ['https://a.example/v1/deep/est/x', 'deepest'],
      ['https://a.example/v1/deep/est?city=Oslo#x', 'deepest'],
      ['https://a.example/v1/deep/%65st', 'deepest'],
      ['https://A.EXAMPLE:443/x/../v1', 'v1'],
      ['https://a.example/v1/./deep/%2e%2e/q', 'v1'],
      ['https://a.example/users/42/orders', 'template'],
      ['https://a.example/people/42', 'named'],
      ['https://whole.example/', 'whole'],
      ['https://whole.example/any/where', 'whole'],
      ['http://127.0.0.1:4001/paid', 'local'],
    ] as const)
      expect(at(url), url).toBe(id);
  });

  it('is none of another path, origin, port or scheme', () => {
    add('v1', 'https://a.example/v1');
    for (const url of [
      'https://a.example/v10',
      'https://a.example/v',
      'https://a.example/',
      'https://a.example/V1',
      'https://a.example/v1%2Fdeep',
      'https://a.example//v1',
      'https://a.example.evil.example/v1',
      'https://xa.example/v1',
      'https://a.example.:443/v1',
      'https://a.example:444/v1',
      'http://a.example/v1',
      'https://evil.example/https://a.example/v1',
      'https://evil.example/v1?https://a.example/v1',
    ])
      expect(at(url), url).toBeUndefined();
  });

  it('is the one that is vouched for, even if another one is nearer', () => {
    add('imported', 'https://a.example/v1/deep');
    add('owners', 'https://a.example/v1', { vouched: true });
    expect(at('https://a.example/v1/deep/x')).toBe('owners');
    add('owners nearest', 'https://a.example/v1/deep', { vouched: true });
    expect(at('https://a.example/v1/deep/x')).toBe('owners nearest');
    add('ships', 'https://a.example/v1/deep/x', { vouched: true, source: 'svc-native' });
    expect(at('https://a.example/v1/deep/x')).toBe('ships');
    store.atomically(() => {
      store.services.remove('owners');
      store.services.remove('owners nearest');
    });
    expect(at('https://a.example/v1/deep')).toBe('imported');
  });

  it('is always the same of two at one place', () => {
    add('b', 'https://a.example/v1');
    add('a', 'https://a.example/v1', { endpoint: 'POST /v1' });
    expect(at('https://a.example/v1')).toBe('a');
    add('c', 'https://a.example/v1', { vouched: true });
    expect(at('https://a.example/v1')).toBe('c');
  });

  it('is never an entry that is no longer listed, a model, or an endpoint without a path', () => {
    add('gone', 'https://a.example/v1');
    add('model', 'https://a.example/v1', { source: 'model-registry', origin: '', vouched: true });
    add('strange', 'https://a.example/v1', { endpoint: 'somewhere', vouched: true });
    add('stranger', 'https://a.example/v1', { origin: 'https://a.example/v1', vouched: true });
    store.atomically(() => store.services.remove('gone'));
    expect(at('https://a.example/v1')).toBeUndefined();
    expect(store.services.at('', '/v1/agents')).toBeUndefined();
  });

  it('follows an entry that moves, and one that comes back', () => {
    add('moving', 'https://a.example/v1');
    add('moving', 'https://b.example/v2');
    expect([at('https://a.example/v1'), at('https://b.example/v2')]).toEqual([undefined, 'moving']);
    store.atomically(() => store.services.remove('moving'));
    expect(at('https://b.example/v2')).toBeUndefined();
    add('moving', 'https://b.example/v2');
    expect(at('https://b.example/v2')).toBe('moving');
    store.close();
    store = open();
    expect(store.services.at('https://b.example', '/v2')?.payees).toEqual(['payee of moving']);
  });

  it('is found in a database that is older than the places', () => {
    add('old', 'https://a.example/v1', { vouched: true });
    store.close();
    const db = new Database(file);
    db.exec('UPDATE service_facts SET origin = NULL, path = NULL');
    db.close();
    store = open();
    expect(at('https://a.example/v1/x')).toBe('old');
    expect(store.services.listed('old')?.addedByOwner).toBe(true);
  });

  it('follows the protected row, not a forged index', () => {
    add('mine', 'https://a.example/v1', { vouched: true });
    add('theirs', 'https://b.example/v1', { vouched: true });
    store.close();
    const db = new Database(file);
    db.exec(
      `UPDATE service_facts SET origin = 'https://a.example', path = '/v1/x' WHERE service_id = 'theirs'`,
    );
    db.close();
    store = open();
    expect(at('https://a.example/v1/x')).toBe('mine');
  });

  it('agrees with a plain comparison of all entries', () => {
    const segment = fc.constantFrom('a', 'b', 'ab', 'a%20', '');
    const path = fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join('/')}`);
    const entries = fc.array(fc.record({ path, vouched: fc.boolean() }), { maxLength: 6 });
    fc.assert(
      fc.property(entries, path, (given, asked) => {
        const origin = `https://x${(number += 1)}.example`;
        given.forEach((one, index) =>
          add(`${number}-${index}`, `${origin}${one.path}`, { vouched: one.vouched }),
        );
        const covers = given
          .map((one, index) => ({ ...one, index, path: bare(one.path) }))
          .filter((one) => asked === one.path || asked.startsWith(`${one.path}/`));
        const best = covers.toSorted(
          (x, y) =>
            Number(y.vouched) - Number(x.vouched) || y.path.length - x.path.length || x.index - y.index,
        )[0];
        expect(store.services.at(origin, asked)?.id).toBe(best && `${number}-${best.index}`);
      }),
      { numRuns: 300 },
    );
  });

  it('is found by an index, however many entries there are', () => {
    const own = join(folder, 'plans.db');
    const asked = vi.spyOn(Database.prototype, 'prepare');
    openStore(own).close();
    const all = new Set(asked.mock.calls.map(([sql]) => sql));
    asked.mockRestore();
    // The two queries that look a place up.
    const questions = [...all].filter((sql) => /^\s*SELECT/.test(sql) && /\borigin = /.test(sql));
    expect(questions.length).toBeGreaterThanOrEqual(2);
    const db = new Database(own, { readonly: true });
    const plans = questions.flatMap((sql) => {
      const values = sql.includes('@')
        ? [{ origin: '', paths: '[]' }]
        : Array.from({ length: sql.split('?').length - 1 }, () => '');
      return db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
    });
    db.close();
    expect(
      plans.map(({ detail }) => detail).filter((detail) => /^SCAN (?!.*VIRTUAL TABLE)/.test(detail)),
    ).toEqual([]);
    // One for each prefix of the URL's path, up to the longest URL.
    expect(at(`https://nobody.example${'/a'.repeat(1_000)}`)).toBeUndefined();
  });
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

const blocking = (payment: Partial<BlockedPayment>): string | null =>
  store.serviceRules.blocking({ ...asked, ...payment });

describe('a blocked service', () => {
  beforeEach(() => {
    add('weather', 'https://weather.example/v1/{city}', { payees: ['rain', 'wind'] });
    add('maps', 'https://maps.example/v1/{city}', { payees: ['north'] });
    add('inside', 'https://weather.example/v1/tides', { payees: ['tide'] });
    store.atomically(() => {
      store.serviceRules.set('weather', { blockedAt: 1 });
      store.serviceRules.set('https://unlisted.example', { blockedAt: 2 });
    });
  });

  it('is blocked under each of its names and places, and its neighbours are not', () => {
    for (const [title, payment, by] of isBlockedBy) expect(blocking(payment), title).toBe(by);
  });

  it('a block outlives the entry in the catalog, and the process', () => {
    store.atomically(() => store.services.remove('weather'));
    store.close();
    store = open();
    expect([blocking({ payee: 'rain' }), blocking({ url: 'https://weather.example/v1/oslo' })]).toEqual([
      'weather',
      'weather',
    ]);
  });

  it('an unblocked service is blocked under no name', () => {
    store.atomically(() => store.serviceRules.set('weather', { blockedAt: null }));
    expect(blocking({ serviceId: 'maps', payee: 'rain' })).toBeNull();
    expect(store.journal.verifyRules()).toBeNull();
  });

  it('a block remembers the payees that were paid, and none that refused requests named', () => {
    const bad = 'https://bad.example';
    const refusal = { code: 'max_per_payment', message: 'too much', details: {} } as const;
    store.atomically(() => {
      store.transfers.insert(paymentOf('paid', { serviceId: bad, payee: 'seller' }));
      // More than a block remembers.
      for (let n = 0; n <= 200; n += 1) {
        const denied = { state: 'denied', reservedAt: null, refusal } as const;
        const to = { serviceId: bad, payee: `bystander-${n}` };
        store.transfers.insert(paymentOf(`refused-${n}`, { ...denied, ...to }));
      }
      store.serviceRules.set(bad, { blockedAt: 3 });
    });
    expect([blocking({ payee: 'seller' }), blocking({ payee: 'bystander-200' })]).toEqual([bad, null]);
  });
});
