// Importing facilitators' lists into the catalog of a real host: over kills, over changes, and from lists that lie.
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OwnerEvent } from '../../server/contract/owner-api.ts';
import type { Store } from '../../server/engine/ports.ts';
import { verifyJournal } from '../../server/engine/records/audit.ts';
import type { Client } from '../harness/http-client.ts';
import {
  deploy,
  instantly,
  openTreasury,
  removeFolder,
  spawnTreasury,
  temporaryFolder,
  until,
  type Treasury,
} from '../harness/treasury.ts';
import { isLarge, tries } from '../harness/tries.ts';
import {
  accept,
  evmItem,
  sendJson,
  sendPage,
  startFacilitator,
  v1Item,
  v2Item,
  walletOf,
  type Facilitator,
} from '../x402/facilitator.ts';

type Body = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any

let facilitators: Facilitator[] = [];
const facilitator = async (items: readonly unknown[] = []): Promise<Facilitator> => {
  const one = await startFacilitator(items);
  facilitators.push(one);
  return one;
};
afterEach(async () => {
  for (const one of facilitators) await one.close();
  facilitators = [];
});

const idOf = (at: number): string => `s${at}.example/v2/data`;
const many = (count: number, make = v2Item) => Array.from({ length: count }, (_, at) => make(`s${at}`));
const sourcesOf = async (client: Client): Promise<Body[]> =>
  (await client.get('/v1/catalog-sources')).body['sources'];
const sourceNamed = async (client: Client, sourceId: string): Promise<Body> =>
  (await sourcesOf(client)).find((one) => one['sourceId'] === sourceId) ?? {};
const add = async (client: Client, one: Facilitator): Promise<string> => {
  const { status, body } = await client.post('/v1/catalog-sources', { url: one.url });
  expect(status).toBe(200);
  return String(body['sourceId']);
};
/** Resolves once a pass that began after this call has ended. */
const ended = async (client: Client, sourceId: string): Promise<Body> => {
  let source: Body = {};
  await until('the pass to end', async () => {
    source = await sourceNamed(client, sourceId);
    return source['state'] !== 'running' && Date.parse(source['nextRunAt']) > Date.now();
  });
  return source;
};
const imported = async (client: Client, one: Facilitator): Promise<string> => {
  const sourceId = await add(client, one);
  await ended(client, sourceId);
  return sourceId;
};
const refresh = async (client: Client, sourceId: string): Promise<Body> => {
  await client.post(`/v1/catalog-sources/${sourceId}/refresh`);
  return ended(client, sourceId);
};
const found = async (client: Client, q: string): Promise<Body[]> =>
  (await client.get(`/v1/services/search?limit=100&q=${encodeURIComponent(q)}`)).body['results'];
const entry = async (client: Client, id: string): Promise<Body | undefined> =>
  (await found(client, id)).find((one) => one['id'] === id);
const pins = (names: readonly string[]): string[] => names.map((name) => walletOf(name)).toSorted();

const thiefAt = (resource: string) => v2Item('x', { resource, accepts: [accept('thief')] });

/** The most entries that were added in one turn of the event loop. */
const watchTurns = (store: Store): { end(): number } => {
  const addedNow = (): number => store.sources.list().reduce((sum, { counts }) => sum + counts.added, 0);
  let [before, most, isOver] = [addedNow(), 0, false];
  const turn = (): void => {
    const now = addedNow();
    most = Math.max(most, now - before);
    before = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    end() {
      isOver = true;
      return most;
    },
  };
};

const listed = tries(2_000, 5_000);

describe('an import', () => {
  let treasury: Treasury;
  let client: Client;
  let a: Facilitator;
  let b: Facilitator;
  beforeEach(async () => {
    [a, b] = [await facilitator(), await facilitator()];
    const origins = [a, b].flatMap(({ origin }) => ['--allow-origin', origin]);
    treasury = await openTreasury({ args: [...instantly, ...origins] });
    client = treasury.client;
  });
  afterEach(async () => {
    const { store } = treasury.host.engine.context;
    expect([store.journal.verifyRules(), verifyJournal(store)]).toEqual([null, null]);
    await treasury.close();
  });

  it(`of ${listed} items is found by agents, and the event loop is never held for long`, async () => {
    const forms = [v2Item, v1Item, evmItem, (name: string) => ({ garbage: name })];
    const items = Array.from({ length: listed }, (_, at) => forms[at % 4]?.(`s${at}`));
    // As large as an answer may be, whatever page size was asked for.
    const pages = Array.from({ length: listed / 1_000 }, (_, page) =>
      JSON.stringify({
        items: items.slice(page * 1_000, page * 1_000 + 1_000),
        pagination: { limit: 1_000, offset: page * 1_000, total: listed },
      }),
    );
    a.answer(({ offset }, response) => {
      sendJson(response, pages[offset / 1_000] ?? '');
      return true;
    });
    const events: OwnerEvent[] = [];
    const stop = treasury.host.api.listen({
      event: (event) => void (event.type === 'catalog' && events.push(event)),
      connected: () => {},
    });
    const agent = await deploy(client, 'payer');
    const turns = watchTurns(treasury.host.engine.context.store);
    const sourceId = await add(client, a);
    await until('the end', () => events.some(({ data }) => 'state' in data && data.state === 'idle'));
    const mostAtOnce = turns.end();
    stop();
    const source = await sourceNamed(client, sourceId);
    expect(source).toMatchObject({
      state: 'idle',
      done: listed,
      total: listed,
      added: listed / 2,
      changed: 0,
      vanished: 0,
      notPayable: listed / 4,
      skipped: listed / 4,
      error: null,
    });
    // A page of a thousand that was entered whole would add 500.
    expect(mostAtOnce).toBeGreaterThan(0);
    expect(mostAtOnce).toBeLessThan(250);
    // Throttled: far fewer events than the hundreds of steps.
    expect(events.length).toBeLessThan(40);
    expect(events.length).toBeGreaterThan(1);
    const [first] = await found(agent.client, 'Service s400');
    expect(first).toMatchObject({
      id: 's400.example/v2/data',
      source: 'x402-marketplace',
      price: '0.01',
      payees: [walletOf('payee of s400')],
      addedByOwner: false,
    });
    expect(first).not.toHaveProperty('vanishedAt');
    expect(await entry(client, 's401.example/v1/data')).toMatchObject({ price: '0.0025' });
    expect(await entry(client, 's402.example/v2/data')).toBeUndefined();
    const { services } = treasury.host.engine.context.store;
    expect(services.at('https://s400.example', '/v2/data/x')?.id).toBe('s400.example/v2/data');
    // A second pass writes nothing that did not change.
    const { seq } = treasury.host.engine.context.store.journal.head();
    expect(await refresh(client, sourceId)).toMatchObject({
      added: 0,
      changed: 0,
      vanished: 0,
      done: listed,
    });
    expect(treasury.host.engine.context.store.journal.head().seq).toBe(seq);
  });

  it('updates prices and texts, and marks entries that are no longer listed until they come back', async () => {
    a.list([v2Item('one'), v2Item('two'), v2Item('a3')]);
    const sourceId = await imported(client, a);
    a.list([
      v2Item('one', { accepts: [accept('payee of one', { amount: '77' })] }),
      v2Item('two', { serviceName: 'Deux' }),
      v2Item('four'),
    ]);
    expect(await refresh(client, sourceId)).toMatchObject({ added: 1, changed: 2, vanished: 1, done: 3 });
    expect(await entry(client, 'one.example/v2/data')).toMatchObject({ price: '0.000077' });
    expect((await found(client, 'Deux'))[0]).toMatchObject({ id: 'two.example/v2/data' });
    const gone = await entry(client, 'a3.example/v2/data');
    expect(Date.parse(gone?.['vanishedAt'])).toBeGreaterThan(Date.now() - 60_000);
    expect(gone?.['payees']).toEqual([walletOf('payee of a3')]);
    // Below what is there.
    const names = (await found(client, 'knows json')).map(({ id }) => id);
    expect(names.at(-1)).toBe('a3.example/v2/data');
    const all = (await found(client, '')).map(({ id }) => id);
    expect(all.at(-1)).toBe('a3.example/v2/data');
    a.list([v2Item('one'), v2Item('a3')]);
    expect(await refresh(client, sourceId)).toMatchObject({ changed: 2, vanished: 2 });
    expect(await entry(client, 'a3.example/v2/data')).not.toHaveProperty('vanishedAt');
  });

  it('forgets what vanished long ago and was never paid, but not whom it pinned', async () => {
    const { store, time } = treasury.host.engine.context;
    a.list(many(5_005));
    const sourceId = await imported(client, a);
    store.atomically(() => {
      store.services.observed(idOf(0), { at: time.now(), ok: true, latencyMs: 1 });
      store.serviceRules.set(idOf(1), { blockedAt: time.now() });
    });
    a.list([v2Item('other')]);
    expect(await refresh(client, sourceId)).toMatchObject({ added: 1, vanished: 5_005 });
    const kept = Array.from({ length: 7 }, (_, at) => store.services.listed(idOf(at)) !== undefined);
    expect(kept).toEqual([true, true, false, false, false, true, true]);
    expect(await entry(client, idOf(2))).toBeUndefined();
    expect(store.services.at('https://s2.example', '/v2/data')).toBeUndefined();
    a.list([v2Item('other'), v2Item('s2', { accepts: [accept('thief')] })]);
    expect(await refresh(client, sourceId)).toMatchObject({ added: 1 });
    expect(await entry(client, idOf(2))).toMatchObject({
      payees: pins(['payee of s2']),
      payeeChange: { payees: pins(['thief']) },
    });
  });

  it('marks no entry that an unfinished pass has not reached', async () => {
    a.list(many(250));
    const sourceId = await imported(client, a);
    a.answer(({ offset }, response) => {
      sendJson(response, { items: offset === 0 ? many(3) : [], pagination: { total: 250 } });
      return true;
    });
    const source = await refresh(client, sourceId);
    expect(source).toMatchObject({ state: 'failed', vanished: 0, error: 'It has nothing at 3 of 250.' });
    expect(await entry(client, 's200.example/v2/data')).not.toHaveProperty('vanishedAt');
    a.answer((_asked, response) => {
      sendJson(response, { items: [] }, 500);
      return true;
    });
    const failed = await refresh(client, sourceId);
    expect(failed).toMatchObject({ state: 'failed', vanished: 0 });
    expect(failed['error']).toContain('answered 500');
    // It is tried again before long, and later each time.
    expect(Date.parse(failed['nextRunAt']) - Date.now()).toBeLessThan(5 * 60_000);
    const again = await refresh(client, sourceId);
    expect(Date.parse(again['nextRunAt']) - Date.now()).toBeGreaterThan(6 * 60_000);
    a.answer(null);
    expect(await refresh(client, sourceId)).toMatchObject({ state: 'idle', error: null, done: 250 });
  });

  it('keeps to the payees that were there first until the owner accepts others', async () => {
    a.list([v2Item('acme'), v2Item('other')]);
    const sourceId = await imported(client, a);
    const id = 'acme.example/v2/data';
    const path = `/v1/services/${encodeURIComponent(id)}/payees`;
    const next = v2Item('acme', { accepts: [accept('thief', { amount: '5' }), accept('thief two')] });
    a.list([next, v2Item('other')]);
    expect(await refresh(client, sourceId)).toMatchObject({ changed: 1 });
    const shown = await entry(client, id);
    expect(shown).toMatchObject({
      payees: [walletOf('payee of acme')],
      payeeChange: { payees: pins(['thief', 'thief two']) },
      price: '0.000005',
    });
    // Neither another pass nor its disappearance approves the change.
    await refresh(client, sourceId);
    a.list([v2Item('other')]);
    await refresh(client, sourceId);
    a.list([next, v2Item('other')]);
    expect(await refresh(client, sourceId)).toMatchObject({ changed: 1, added: 0 });
    expect(await entry(client, id)).toMatchObject({ payees: [walletOf('payee of acme')] });

    const agent = await deploy(client, 'payer');
    expect((await agent.client.post(path, { payees: pins(['thief', 'thief two']) })).status).toBe(403);
    for (const payees of [['thief'], ['thief', 'other'], ['thief', 'thief two', 'payee of acme']]) {
      const refused = await client.post(path, { payees: pins(payees) });
      expect([refused.status, refused.body['code']]).toEqual([409, 'conflict']);
    }
    const accepted = await client.post(path, { payees: pins(['thief two', 'thief']) });
    expect(accepted.body).toMatchObject({ id, payees: pins(['thief', 'thief two']) });
    expect(accepted.body).not.toHaveProperty('payeeChange');
    expect(treasury.host.engine.context.store.services.get(id)?.payees).toEqual(pins(['thief', 'thief two']));
    expect((await client.post(path, { payees: pins(['thief', 'thief two']) })).status).toBe(409);
    expect(await refresh(client, sourceId)).toMatchObject({ changed: 0 });
    // A change back is a change too.
    a.list([v2Item('acme')]);
    await refresh(client, sourceId);
    expect(await entry(client, id)).toMatchObject({ payeeChange: { payees: pins(['payee of acme']) } });
    expect((await client.post('/v1/services/nobody/payees', { payees: pins(['x']) })).status).toBe(404);
  });

  it('of two sources makes one entry for a place, and marks it as gone with the last of them', async () => {
    const older = { lastUpdated: 1_780_000_000, serviceName: 'Older' };
    a.list([v2Item('both', { serviceName: 'Newer' }), v2Item('only a')]);
    b.list([v2Item('both', older), v2Item('only-b')]);
    const first = await imported(client, a);
    const second = await imported(client, b);
    expect(await sourceNamed(client, second)).toMatchObject({ added: 1, changed: 0 });
    expect((await entry(client, 'both.example/v2/data'))?.['name']).toBe('Newer');
    b.list([v2Item('both', { ...older, lastUpdated: '2026-10-20T00:00:00Z' }), v2Item('only-b')]);
    expect(await refresh(client, second)).toMatchObject({ changed: 1 });
    expect(await refresh(client, first)).toMatchObject({ changed: 0 });
    expect((await entry(client, 'both.example/v2/data'))?.['name']).toBe('Older');
    // One of them names another payee: it is shown, whichever is read last.
    const late = '2026-10-20T00:00:00Z';
    b.list([v2Item('both', { lastUpdated: late, accepts: [accept('thief')] }), v2Item('only-b')]);
    await refresh(client, second);
    expect(await refresh(client, first)).toMatchObject({ changed: 0 });
    expect(await entry(client, 'both.example/v2/data')).toMatchObject({
      payees: [walletOf('payee of both')],
      payeeChange: { payees: pins(['payee of both', 'thief']) },
    });
    a.list([v2Item('only a')]);
    expect(await refresh(client, first)).toMatchObject({ vanished: 0 });
    expect(await entry(client, 'both.example/v2/data')).toMatchObject({
      payeeChange: { payees: pins(['thief']) },
    });
    const removed = await client.call('DELETE', `/v1/catalog-sources/${second}`);
    expect(removed.body).toEqual({ sourceId: second, removed: true });
    expect(await sourcesOf(client)).toHaveLength(1);
    for (const id of ['both.example/v2/data', 'only-b.example/v2/data'])
      expect(await entry(client, id)).toHaveProperty('vanishedAt');
    expect((await client.call('DELETE', `/v1/catalog-sources/${second}`)).status).toBe(404);
    expect((await client.post(`/v1/catalog-sources/${second}/refresh`)).status).toBe(404);
  });

  it('touches nothing that the owner added, that ships, or that is a model', async () => {
    const { store, settings } = treasury.host.engine.context;
    const mine = {
      id: 'mine.example/api',
      name: 'Mine',
      description: '',
      category: 'api',
      source: 'x402-marketplace' as const,
      endpoint: 'GET /api',
      origin: 'https://mine.example',
      payees: [walletOf('me')],
      pricing: {},
      price: '0.01',
      vouched: true,
    };
    const left = { ...mine, id: 'left.example/api', origin: 'https://left.example' };
    store.atomically(() => {
      store.services.upsert(mine, { addedByOwner: true });
      store.services.upsert({ ...mine, id: 'slug', endpoint: 'GET /slug' }, { addedByOwner: true });
      store.services.upsert(left, { addedByOwner: true });
      store.services.remove(left.id);
    });
    const before = store.journal.head().seq;
    const { models } = (await client.get('/v1/models')).body;
    a.list([
      thiefAt('https://mine.example/api'),
      thiefAt('https://mine.example/slug/'),
      thiefAt('https://left.example/api'),
      thiefAt(`${treasury.host.url}/sandbox/weather`),
      thiefAt('https://sandbox-weather'),
      thiefAt(`https://${models[0].id}`),
    ]);
    const sourceId = await imported(client, a);
    expect(await sourceNamed(client, sourceId)).toMatchObject({ added: 0, changed: 0, skipped: 6, done: 6 });
    expect(store.journal.head().seq).toBe(before);
    expect(store.services.get(mine.id)).toEqual(mine);
    expect(store.services.get('sandbox-weather')?.payees).not.toContain(walletOf('thief'));
    expect(store.services.get(models[0].id)?.payees).toEqual([settings.owner]);
    expect(store.services.listed(left.id)).toBeUndefined();
  });

  it('names a place once, however often a list does', async () => {
    a.list([v2Item('x'), v2Item('x', { accepts: [accept('thief')], serviceName: 'Again' }), v2Item('x')]);
    const sourceId = await imported(client, a);
    expect(await sourceNamed(client, sourceId)).toMatchObject({ added: 1, changed: 0, done: 3 });
    expect(await entry(client, 'x.example/v2/data')).toMatchObject({ name: 'Service x' });
    expect(await entry(client, 'x.example/v2/data')).not.toHaveProperty('payeeChange');
  });

  it('goes on after items and pages that are too large, and ends where a list has no end', async () => {
    const heavy = many(130).map((item, at) => ({ ...item, icon: at < 40 ? 'x'.repeat(90_000) : '' }));
    a.list([...heavy, v2Item('huge', { icon: 'x'.repeat(1_500_000) }), v2Item('last')]);
    const sourceId = await imported(client, a);
    expect(await sourceNamed(client, sourceId)).toMatchObject({
      state: 'idle',
      added: 131,
      skipped: 1,
      done: 132,
    });
    let total = 0;
    b.answer((_asked, response) => {
      sendJson(response, { items: [v2Item('again')], pagination: { total: (total += 10_000) } });
      return true;
    });
    const second = await imported(client, b);
    const source = await sourceNamed(client, second);
    expect(source).toMatchObject({ state: 'failed', added: 1 });
    expect(source['error']).toContain('the same items again');
  });

  it('follows no redirect', async () => {
    b.list(many(3));
    a.answer((_asked, response) => {
      response.writeHead(302, { location: `${b.url}/discovery/resources` }).end();
      return true;
    });
    const sourceId = await imported(client, a);
    expect(await sourceNamed(client, sourceId)).toMatchObject({ state: 'failed', added: 0 });
    expect(b.asked).toEqual([]);
  });

  it('runs one at a time, and a source can be removed while it is read', async () => {
    let open = 0;
    let most = 0;
    const slow: Parameters<Facilitator['answer']>[0] = async (asked, response) => {
      most = Math.max(most, (open += 1));
      response.once('close', () => (open -= 1));
      await new Promise((resolve) => setTimeout(resolve, 20));
      sendPage(response, many(1_000), asked);
      return true;
    };
    a.answer(slow);
    b.answer(slow);
    const [first, second] = [await add(client, a), await add(client, b)];
    await until('a page', async () => Number((await sourceNamed(client, first))['done']) >= 200);
    expect((await sourceNamed(client, first))['state']).toBe('running');
    expect((await client.call('DELETE', `/v1/catalog-sources/${first}`)).status).toBe(200);
    const asked = a.asked.length;
    await ended(client, second);
    expect([most, a.asked.length]).toEqual([1, asked]);
    expect(await entry(client, 's100.example/v2/data')).not.toHaveProperty('vanishedAt');
  });

  it('reads only addresses of facilitators, each once, and twenty at most', async () => {
    for (const [url, status] of [
      [a.url, 200],
      [`${a.url}/`, 409],
      [`${a.url}/discovery/resources`, 409],
      ['http://facilitator.example/', 400],
      [`${treasury.host.url}/v1`, 400],
      ['https://user:pass@facilitator.example/', 400],
      ['https://facilitator.example/?x=1', 400],
      ['https://facilitator.example/#x', 400],
    ] as const)
      expect([url, (await client.post('/v1/catalog-sources', { url })).status]).toEqual([url, status]);
    expect((await sourcesOf(client)).map(({ url, name }) => [url, name])).toEqual([
      [a.url, new URL(a.url).host],
    ]);
    // A private address is refused when it is asked, as for every outbound request.
    const inside = await client.post('/v1/catalog-sources', { url: 'https://127.0.0.1:1/' });
    expect(await ended(client, String(inside.body['sourceId']))).toMatchObject({ state: 'failed' });
    for (let n = 0; n < 18; n += 1)
      await client.post('/v1/catalog-sources', { url: `https://127.0.0.1:${n + 2}/` });
    expect(await sourcesOf(client)).toHaveLength(20);
    expect((await client.post('/v1/catalog-sources', { url: b.url })).status).toBe(409);
  });
});

describe('an import over a kill of the host', () => {
  it('continues where it was, without asking for the first pages again', async () => {
    const dataDir = temporaryFolder();
    const items = many(1_000);
    const a = await facilitator(items);
    const args = [...instantly, '--allow-origin', a.origin];
    const first = await spawnTreasury(dataDir, args);
    let stopAt = 400;
    a.answer(async ({ offset }, response) => {
      if (offset < stopAt) return false;
      // It gets no answer: the host is killed while it waits.
      await once(response, 'close');
      return true;
    });
    const sourceId = await add(first.client, a);
    await until('the middle', () => a.asked.some(({ offset }) => offset === 400));
    await first.kill('SIGKILL');
    const before = a.asked.map(({ offset }) => offset);
    expect(before).toEqual([0, 100, 200, 300, 400]);
    stopAt = Number.POSITIVE_INFINITY;
    a.asked.length = 0;
    const second = await spawnTreasury(dataDir, args);
    const source = await ended(second.client, sourceId);
    expect(a.asked.map(({ offset }) => offset)[0]).toBe(400);
    expect(Math.min(...a.asked.map(({ offset }) => offset))).toBe(400);
    expect(source).toMatchObject({
      state: 'idle',
      added: 1_000,
      changed: 0,
      vanished: 0,
      skipped: 0,
      done: 1_000,
    });
    // Items read before the kill count as seen.
    const { body } = await second.client.get('/v1/services/search?source=x402-marketplace');
    expect(body['total']).toBe(1_000);
    expect((await entry(second.client, 's5.example/v2/data')) ?? {}).not.toHaveProperty('vanishedAt');
    await second.kill('SIGKILL');
    removeFolder(dataDir);
  });

  const atLarge = isLarge ? it : () => {};
  atLarge('at many moments leaves the same catalog as one that was not interrupted', async () => {
    const dataDir = temporaryFolder();
    const [size, mostKills] = [1_200, 12];
    const forms = [v2Item, v1Item, evmItem, (name: string) => ({ garbage: name })];
    const items = Array.from({ length: size }, (_, at) => forms[at % 4]?.(`s${at}`));
    const a = await facilitator(items);
    const args = [...instantly, '--allow-origin', a.origin];
    let host = await spawnTreasury(dataDir, args);
    let [answered, kills] = [0, 0];
    a.answer(async () => {
      // Before a page has come, while it is entered, or after that: wherever the host is then.
      const { child } = host;
      if (kills < mostKills && (answered += 1) % 2 === 0)
        setTimeout(() => child.kill('SIGKILL'), (answered * 7) % 30);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return false;
    });
    const sourceId = await add(host.client, a);
    const isOver = async (): Promise<boolean> =>
      host.child.signalCode !== null ||
      (await sourceNamed(host.client, sourceId).catch(() => ({ state: '' })))['state'] === 'idle';
    while (kills < mostKills) {
      await until('a kill, or the end', isOver);
      if (host.child.signalCode === null) break;
      kills += 1;
      host = await spawnTreasury(dataDir, args);
    }
    expect(kills).toBeGreaterThanOrEqual(size / 400);
    a.answer(null);
    const source = await ended(host.client, sourceId);
    expect(source).toMatchObject({
      state: 'idle',
      done: size,
      added: size / 2,
      changed: 0,
      vanished: 0,
      notPayable: size / 4,
      skipped: size / 4,
    });
    const { body } = await host.client.get('/v1/services/search?source=x402-marketplace');
    expect(body['total']).toBe(size / 2);
    await host.kill('SIGKILL');
    removeFolder(dataDir);
  });

  it('ends at once when the host is stopped, and goes on at the next start', async () => {
    const dataDir = temporaryFolder();
    const a = await facilitator(many(300));
    const args = [...instantly, '--allow-origin', a.origin];
    a.answer(async ({ offset }, response) => {
      if (offset < 100) return false;
      await once(response, 'close');
      return true;
    });
    const first = await openTreasury({ dataDir, args });
    const sourceId = await add(first.client, a);
    await until('the second page', () => a.asked.length === 2);
    // The page that it waits for does not come.
    await first.close();
    a.answer(null);
    const second = await openTreasury({ dataDir, args });
    expect(await ended(second.client, sourceId)).toMatchObject({ state: 'idle', added: 300 });
    await second.close();
    removeFolder(dataDir);
  });

  it('starts over after a day, since lists change meanwhile, and repeats automatically', async () => {
    const dataDir = temporaryFolder();
    const a = await facilitator(many(150));
    const args = [...instantly, '--allow-origin', a.origin];
    a.answer((asked, response) => {
      sendPage(response, asked.offset === 0 ? many(150) : [], asked);
      return true;
    });
    const first = await openTreasury({ dataDir, args });
    const sourceId = await add(first.client, a);
    await ended(first.client, sourceId);
    a.answer((asked, response) => {
      if (asked.offset === 0) return false;
      sendJson(response, {}, 500);
      return true;
    });
    await refresh(first.client, sourceId);
    await first.close();
    a.answer(null);
    a.asked.length = 0;
    const day = 24 * 3_600_000;
    const clock = { wall: () => Date.now() + day, monotonic: () => performance.now() };
    const second = await openTreasury({ dataDir, args, clock });
    await until('the pass', async () => (await sourceNamed(second.client, sourceId))['state'] === 'idle');
    expect(a.asked.map(({ offset }) => offset)).toEqual([0, 100]);
    expect(Date.parse((await sourceNamed(second.client, sourceId))['nextRunAt'])).toBeGreaterThan(
      Date.now() + day + 5 * 3_600_000,
    );
    await second.close();
    removeFolder(dataDir);
  });
});
