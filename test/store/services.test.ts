// The catalog's rows after upsert, after remove, and after a call of a service.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyJournal } from '../../server/engine/records/audit.ts';
import type { Service, Store } from '../../server/engine/ports.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';
import { makeOlder } from '../harness/engine/older-database.ts';
import { openStore } from '../harness/engine/store.ts';

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

let number = 0;
let file = '';
let store: Store;
const open = (): Store => openStore(file);
beforeEach(() => {
  number += 1;
  file = join(folder, `${number}.db`);
  store = open();
});
afterEach(() => store.close());

const weather: Service = {
  id: 'weather',
  name: 'Weather',
  description: 'Rain and wind',
  category: 'climate',
  source: 'x402-marketplace',
  endpoint: 'GET /v1/now',
  origin: 'https://weather.example',
  payees: ['payee-1', 'payee-2'],
  pricing: { '1k': '0.01' },
  price: '0.01',
  vouched: true,
};
const upsert = (service: Service, addedByOwner?: boolean): void =>
  store.atomically(() => store.services.upsert(service, addedByOwner === undefined ? {} : { addedByOwner }));
const remove = (id: string): void => store.atomically(() => store.services.remove(id));
const found = (text: string): string[] =>
  store.services.search({ text, limit: 100 }).results.map(({ id }) => id);
const added = (): boolean | undefined => store.services.listed('weather')?.addedByOwner;
const experience = () => store.services.listed('weather')?.reputation;
const entries = (): number => store.journal.head().seq;
const expectWhole = (): void =>
  expect([store.journal.verifyRules(), verifyJournal(store)]).toEqual([null, null]);

/** The index as it is on disk; the store must be closed. */
const indexed = (): unknown[] => {
  const db = new Database(file);
  try {
    return db.prepare('SELECT * FROM service_search_data').all();
  } finally {
    db.close();
  }
};

describe('upsert', () => {
  it('lists an entry without any experience', () => {
    upsert(weather);
    const reputation = { calls: 0, successes: 0, medianLatencyMs: null, lastSeenAt: null };
    const listed = { ...weather, addedByOwner: false, reputation };
    expect(store.services.listed('weather')).toEqual(listed);
    expect(store.services.search({ text: 'rain', limit: 1 })).toEqual({ results: [listed], total: 1 });
    expect(store.services.get('weather')).toEqual(weather);
    expect(store.services.listed('nobody')).toBeUndefined();
    expectWhole();
  });

  it('writes nothing when nothing changed', () => {
    upsert(weather, true);
    const { seq } = store.journal.head();
    upsert({ ...weather, payees: [...weather.payees] });
    upsert(weather, true);
    expect(entries()).toBe(seq);
    store.close();
    const before = indexed();
    store = open();
    upsert(weather);
    store.close();
    expect(indexed()).toEqual(before);
    store = open();
  });

  it.each([
    ['name', { name: 'Sunshine' }],
    ['description', { description: 'Sunshine' }],
    ['category', { category: 'sunshine' }],
    ['origin', { origin: 'https://sunshine.example' }],
    ['endpoint', { endpoint: 'GET /sunshine' }],
  ] as const)('finds an entry by its new %s, and no longer by the old one', (column, change) => {
    const old = { ...weather, [column]: 'https://moonlight.example/moonlight' };
    upsert(old);
    expect([found('moonlight'), found('sunshine')]).toEqual([['weather'], []]);
    upsert({ ...old, ...change });
    expect([found('moonlight'), found('sunshine')]).toEqual([[], ['weather']]);
    expect(store.services.get('weather')).toEqual({ ...old, ...change });
    expectWhole();
  });

  it.each([
    ['payees', { payees: ['payee-2'] }],
    ['pricing', { pricing: { '1k': '0.02' } }],
    ['price', { price: null }],
    ['vouched', { vouched: false }],
  ] as const)('keeps new %s, with an entry in the journal', (_column, change) => {
    upsert(weather);
    const before = entries();
    upsert({ ...weather, ...change });
    expect(entries()).toBe(before + 1);
    expect(store.services.get('weather')).toEqual({ ...weather, ...change });
    expect(found('weather')).toEqual(['weather']);
  });

  it('keeps who added an entry unless told otherwise', () => {
    upsert(weather, true);
    upsert({ ...weather, price: '0.02' });
    expect(added()).toBe(true);
    upsert({ ...weather, price: '0.02' }, false);
    expect(added()).toBe(false);
    upsert({ ...weather, price: '0.02' }, true);
    expect(added()).toBe(true);
  });

  it('leaves nothing behind when its transaction fails', () => {
    const fail = (): void => {
      store.services.upsert({ ...weather, name: 'Sunshine' });
      expect(found('sunshine')).toEqual(['weather']);
      throw new Error('undo');
    };
    expect(() => store.atomically(fail)).toThrow('undo');
    expect([found('sunshine'), store.services.get('weather')]).toEqual([[], undefined]);
    upsert(weather);
    expect(() => store.atomically(fail)).toThrow('undo');
    expect([found('sunshine'), found('weather')]).toEqual([[], ['weather']]);
    expect(store.services.get('weather')).toEqual(weather);
    expectWhole();
  });
});

describe('remove', () => {
  it('takes an entry off the list and leaves no payee', () => {
    upsert(weather, true);
    remove('weather');
    expect(store.services.listed('weather')).toBeUndefined();
    expect(store.services.get('weather')).toEqual({ ...weather, payees: [], vouched: false });
    for (const text of ['weather', 'wheather', 'rain', ''])
      expect(store.services.search({ text, limit: 10 })).toEqual({ results: [], total: 0 });
    expectWhole();
    const before = entries();
    remove('weather');
    remove('nobody');
    expect(entries()).toBe(before);
  });

  it('is undone by the next upsert, with its experience', () => {
    upsert(weather);
    store.services.observed('weather', { at: 5, ok: true, latencyMs: 7 });
    remove('weather');
    upsert(weather);
    expect(store.services.listed('weather')).toMatchObject({
      ...weather,
      reputation: { calls: 1, lastSeenAt: 5 },
    });
    expect([found('weather'), found('')]).toEqual([['weather'], ['weather']]);
    remove('weather');
    upsert({ ...weather, payees: [], vouched: false });
    expect([found('weather'), store.services.get('weather')?.payees]).toEqual([['weather'], []]);
  });
});

describe('a call of a service', () => {
  it('is counted; only a successful one marks the service as seen', () => {
    upsert(weather);
    const before = entries();
    store.services.observed('weather', { at: 100, ok: true, latencyMs: 20.4 });
    expect(experience()).toEqual({ calls: 1, successes: 1, medianLatencyMs: 20, lastSeenAt: 100 });
    store.services.observed('weather', { at: 200, ok: false, latencyMs: 40 });
    expect(experience()).toEqual({ calls: 2, successes: 1, medianLatencyMs: 30, lastSeenAt: 100 });
    store.services.observed('weather', { at: 50, ok: true, latencyMs: 1_000 });
    expect(experience()).toEqual({ calls: 3, successes: 2, medianLatencyMs: 40, lastSeenAt: 100 });
    store.services.observed('nobody', { at: 1, ok: true, latencyMs: 1 });
    expect(entries()).toBe(before);
    expectWhole();
  });

  it('counts for the median until 50 others have followed', () => {
    upsert(weather);
    upsert({ ...weather, id: 'other' });
    for (let at = 1; at <= 60; at += 1)
      store.services.observed('weather', { at, ok: true, latencyMs: at <= 10 ? 90_000 : at });
    // The last fifty took 11 to 60 ms.
    expect(experience()).toEqual({ calls: 60, successes: 60, medianLatencyMs: 36, lastSeenAt: 60 });
    expect(store.services.listed('other')?.reputation.calls).toBe(0);
  });

  it('is kept over a restart, and undone with its transaction', () => {
    upsert(weather);
    const fail = (): void => {
      store.services.observed('weather', { at: 1, ok: true, latencyMs: 1 });
      throw new Error('undo');
    };
    expect(() => store.atomically(fail)).toThrow('undo');
    store.services.observed('weather', { at: 2, ok: true, latencyMs: 2 });
    store.close();
    store = open();
    expect(experience()).toEqual({ calls: 1, successes: 1, medianLatencyMs: 2, lastSeenAt: 2 });
  });
});

const entry = (id: string, name: string, source: Service['source'] = 'x402-marketplace'): Service => ({
  ...weather,
  id,
  name,
  source,
});

describe('the list without a query', () => {
  it('has native services and the owner’s first, then those that answer, then the others by name', () => {
    upsert(entry('b', 'Beta'));
    upsert(entry('a', 'alpha'));
    upsert(entry('dead', 'Aaa'));
    upsert(entry('alive', 'Zzz'));
    upsert(entry('native', 'Native', 'svc-native'));
    upsert(entry('mine', 'Mine'), true);
    upsert(entry('model', 'Model', 'model-registry'));
    upsert(entry('a2', 'Alpha'));
    store.services.observed('dead', { at: 1, ok: false, latencyMs: 1 });
    store.services.observed('alive', { at: 1, ok: true, latencyMs: 1 });
    for (const text of ['', ' \n'])
      expect(found(text)).toEqual(['mine', 'native', 'alive', 'a', 'a2', 'b', 'model', 'dead']);
    const models = store.services.search({ text: '', source: 'x402-marketplace', limit: 2 });
    expect([models.results.map(({ id }) => id), models.total]).toEqual([['mine', 'alive'], 6]);
  });
});

describe('a database that is older than the index', () => {
  it('has its entries listed and found', () => {
    upsert(weather);
    upsert({ ...weather, id: 'map', name: 'OpenStreetMap' });
    store.close();
    makeOlder(file, 4);
    store = open();
    expect(found('weather').toSorted()).toEqual(['map', 'weather']);
    expect([found('street'), found('streeet'), found('')]).toEqual([['map'], ['map'], ['map', 'weather']]);
    const before = entries();
    upsert(weather);
    expect(entries()).toBe(before);
    expectWhole();
  });
});

describe('an import', () => {
  it('writes only new entries when it is repeated', () => {
    const many = Array.from({ length: 5_000 }, (_, at) => ({
      ...weather,
      id: `weather-${at}`,
      name: `Weather ${at}`,
    }));
    store.atomically(() => many.forEach((one) => store.services.upsert(one)));
    const before = entries();
    store.atomically(() => many.forEach((one) => store.services.upsert(one)));
    expect(entries()).toBe(before);
    expect(found('weather 4321')[0]).toBe('weather-4321');
  });
});
