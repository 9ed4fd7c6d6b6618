// Reading a facilitator's list: every form of an item, every way that a list may end, and lists that lie.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { readItem, type ItemRules } from '../../server/catalog/bazaar-item.ts';
import { readList, type BazaarPage } from '../../server/catalog/bazaar-list.ts';
import { createOutbound } from '../../server/x402/outbound.ts';
import {
  accept,
  evmItem,
  mainnetId,
  sendJson,
  sendPage,
  startFacilitator,
  v1Item,
  v2Item,
  walletOf,
  type Facilitator,
} from '../x402/facilitator.ts';

const now = Date.parse('2026-11-01T00:00:00Z');
const rules: ItemRules = {
  network: 'sandbox',
  allowOrigins: ['http://127.0.0.1:9001'],
  ownOrigins: () => ['http://127.0.0.1:4402'],
  now,
};
const read = (item: unknown, change: Partial<ItemRules> = {}) => readItem(item, { ...rules, ...change });
const entryOf = (item: unknown, change: Partial<ItemRules> = {}) => {
  const got = read(item, change);
  if (got.kind !== 'entry') throw new Error(`it is ${got.kind}`);
  return got.entry;
};
const kindOf = (item: unknown, change: Partial<ItemRules> = {}) => read(item, change).kind;

describe('an item', () => {
  it('of version 2 is an entry with all that it says', () => {
    expect(read(v2Item('acme'))).toEqual({
      kind: 'entry',
      updatedAt: Date.parse('2026-10-01T12:00:00Z'),
      entry: {
        id: 'acme.example/v2/data',
        name: 'Service acme',
        description: 'What acme knows, as JSON.',
        category: 'weather forecast',
        source: 'x402-marketplace',
        endpoint: 'POST /v2/data',
        origin: 'https://acme.example',
        payees: [walletOf('payee of acme')],
        pricing: {},
        price: '0.01',
        vouched: false,
      },
    });
  });

  it('of version 1 too', () => {
    expect(read(v1Item('acme'))).toMatchObject({
      updatedAt: 1_790_000_000_000,
      entry: {
        id: 'acme.example/v1/data',
        name: 'acme.example/v1/data',
        description: 'What acme knew.',
        category: 'api',
        endpoint: 'GET /v1/data',
        price: '0.0025',
      },
    });
  });

  it.each([
    ['2026-10-01T12:00:00.000Z', Date.parse('2026-10-01T12:00:00Z')],
    ['2026-10-01', Date.parse('2026-10-01')],
    [1_790_000_000, 1_790_000_000_000],
    [1_790_000_000_123, 1_790_000_000_123],
    [1_790_000_000.9, 1_790_000_000_900],
    ['1790000000', 1_790_000_000_000],
    ['1790000000123', 1_790_000_000_123],
    ['1971-01-01T00:00:00Z', 31_536_000_000],
    ['9999-12-31', now],
    [1e300, now],
    [-1, 0],
    ['soon', 0],
    ['', 0],
    [null, 0],
    [{}, 0],
    [Number.NaN, 0],
  ])('says by %j that it was updated at %d', (lastUpdated, at) => {
    expect(read(v2Item('acme', { lastUpdated }))).toMatchObject({ updatedAt: at });
  });

  it('costs the cheapest of what we can pay, and pins whom that pays first', () => {
    const accepts = [
      accept('dear', { amount: '900719925474099' }),
      accept('evm', { network: 'eip155:8453' }),
      accept('free', { amount: '0' }),
      accept('cheap', { amount: '9' }),
      accept('cheap', { amount: '10' }),
      accept('cheaper elsewhere', { amount: '1', asset: walletOf('some other mint') }),
    ];
    const { price, payees } = entryOf(v2Item('acme', { accepts }));
    expect([price, payees]).toEqual(['0.000009', [walletOf('cheap'), walletOf('dear')]]);
  });

  it.each([
    ['another mint', { asset: walletOf('mint') }],
    ['no mint', { asset: '' }],
    ['another network', { network: 'eip155:8453' }],
    ['the test network', { network: 'solana:4uhcVJyU9pJkvQyS88uRDiswHScsszNd' }],
    ['devnet', { network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' }],
    ['devnet of version 1', { network: 'solana-devnet' }],
    ['another scheme', { scheme: 'upto' }],
    ['nothing', { amount: '0' }],
    ['a negative amount', { amount: '-5' }],
    ['a fraction', { amount: '1.5' }],
    ['a hexadecimal amount', { amount: '0x10' }],
    ['spaces', { amount: ' 5 ' }],
    ['no amount', { amount: '' }],
    ['a number', { amount: 5 }],
    ['an endless amount', { amount: '1'.repeat(17) }],
    ['an exponent', { amount: '1e3' }],
    ['a payee of Ethereum', { payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C' }],
    ['no payee', { payTo: '' }],
    ['a payee of 31 bytes', { payTo: '1'.repeat(31) }],
  ])('that asks for %s is not payable', (_what, change) => {
    expect(kindOf(v2Item('acme', { accepts: [accept('x', change)] }))).toBe('not-payable');
  });

  it('is for devnet on devnet alone', () => {
    const asset = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
    for (const network of ['solana-devnet', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1']) {
      const item = v2Item('acme', { accepts: [accept('x', { network, asset })] });
      expect([kindOf(item, { network: 'devnet' }), kindOf(item)]).toEqual(['entry', 'not-payable']);
    }
    expect(kindOf(v2Item('acme'), { network: 'devnet' })).toBe('not-payable');
    expect(kindOf(v2Item('acme'), { network: 'mainnet' })).toBe('entry');
  });

  it.each([
    null,
    1,
    'item',
    [],
    {},
    { resource: 'https://a.example/' },
    v2Item('acme', { resource: 'acme' }),
    v2Item('acme', { resource: '' }),
    v2Item('acme', { resource: { url: 1 } }),
    v2Item('acme', { resource: `https://a.example/${'x'.repeat(2_000)}` }),
    v2Item('acme', { type: 'mcp' }),
    v2Item('acme', { accepts: null }),
    v2Item('acme', { accepts: {} }),
    ...[
      'http://acme.example/v1',
      'ftp://acme.example/v1',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'https://user:pass@acme.example/v1',
      'https://127.0.0.1/v1',
      'https://2130706433/v1',
      'https://10.1.2.3/v1',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/v1',
      'https://[64:ff9b::7f00:1]/v1',
      'https://localhost/v1',
      'https://localhost./v1',
      'https://intranet/v1',
      'http://127.0.0.1:9002/v1',
      'http://localhost:9001/v1',
      'http://127.0.0.1:4402/sandbox/weather',
    ].map((resource) => v2Item('acme', { resource })),
  ])('%j is unusable', (item) => {
    expect(kindOf(item)).toBe('unusable');
  });

  it('of a seller on this machine is taken where the owner admits it', () => {
    const item = v2Item('acme', { resource: 'http://127.0.0.1:9001/paid?x=1' });
    expect(entryOf(item)).toMatchObject({
      id: '127.0.0.1:9001/paid',
      origin: 'http://127.0.0.1:9001',
      endpoint: 'POST /paid',
    });
    expect(kindOf(item, { allowOrigins: [] })).toBe('unusable');
  });

  it.each([
    ['https://A.Example:443/v1/?city=Oslo#top', 'a.example/v1', '/v1'],
    ['https://a.example', 'a.example', '/'],
    ['https://a.example/', 'a.example', '/'],
    ['https://a.example:8443/x//', 'a.example:8443/x', '/x'],
    ['https://a.example/users/{id}', 'a.example/users/%7Bid%7D', '/users/%7Bid%7D'],
    ['https://münchen.example/ü', 'xn--mnchen-3ya.example/%C3%BC', '/%C3%BC'],
  ])('at %s is called %s', (resource, id, path) => {
    expect(entryOf(v2Item('acme', { resource }))).toMatchObject({ id, endpoint: `POST ${path}` });
  });

  it('with an endless path has an id of 200 characters at most, and its own', () => {
    const ids = ['a', 'b'].map(
      (end) => entryOf(v2Item('x', { resource: `https://a.example/${'p'.repeat(300)}${end}` })).id,
    );
    expect(ids.map((id) => id.length <= 200 && id.startsWith('a.example/ppp'))).toEqual([true, true]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('has its texts cleaned and cut', () => {
    const serviceName = `\u202EPay\u0000me\n\u200B${'n'.repeat(100)}`;
    const description = `${'d'.repeat(278)}🚀🚀🚀`;
    const entry = entryOf(v2Item('acme', { serviceName, description, tags: ['\u202E', 7, 'A\tB'] }));
    expect(entry.name).toBe(`Pay me ${'n'.repeat(72)}…`);
    expect(entry.description).toBe(`${'d'.repeat(278)}…`);
    expect(entry.description.isWellFormed()).toBe(true);
    expect(entry.category).toBe('a b');
  });

  it.each([
    [{ method: 'put' }, 'PUT'],
    [{ extensions: {}, metadata: { input: { method: 'DELETE' } } }, 'DELETE'],
    [{ extensions: { bazaar: { info: { input: { method: 'RM -RF' } } } } }, 'GET'],
    [{ extensions: 7, metadata: 'x', tags: 'x', description: 7, serviceName: null }, 'GET'],
  ])('that says %j is asked by %s', (change, method) => {
    expect(entryOf(v2Item('acme', change)).endpoint).toBe(`${method} /v2/data`);
  });

  it('is read without throwing, whatever it holds', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (a, b, c) => {
        kindOf(a);
        kindOf({
          resource: 'https://a.example/',
          accepts: [a, { ...accept('x'), extra: b }],
          lastUpdated: c,
        });
        kindOf({ ...v2Item('acme'), extensions: a, tags: b, metadata: c });
      }),
      { numRuns: 2_000 },
    );
  });
});

const count = (pages: readonly BazaarPage[]): number =>
  pages.reduce((sum, { items }) => sum + items.length, 0);
const endOf = (pages: readonly BazaarPage[]) => pages.at(-1)?.end;
const names = (length: number) => Array.from({ length }, (_, at) => `s${at}`);

describe('a list', () => {
  let facilitator: Facilitator;
  let outbound: ReturnType<typeof createOutbound>;
  beforeEach(async () => {
    facilitator = await startFacilitator();
    outbound = createOutbound({
      allowOrigins: [facilitator.origin],
      ownOrigins: () => ['http://127.0.0.1:1'],
    });
  });
  afterEach(async () => {
    outbound.close();
    await facilitator.close();
  });

  const readAll = async (offset = 0, most?: number): Promise<BazaarPage[]> => {
    const pages: BazaarPage[] = [];
    const options = { outbound, url: facilitator.url, offset, ...(most === undefined ? {} : { most }) };
    for await (const page of readList(options)) pages.push(page);
    return pages;
  };

  it('of 5,000 items in several forms is read whole, each page once', async () => {
    const forms = [v2Item, v1Item, evmItem, (name: string) => ({ garbage: name })];
    facilitator.list(names(5_000).map((name, at) => forms[at % 4]?.(name)));
    const pages = await readAll();
    const kinds = pages.flatMap(({ items }) => items.map((item) => kindOf(item)));
    const tally = Object.fromEntries(
      ['entry', 'not-payable', 'unusable'].map((kind) => [kind, kinds.filter((one) => one === kind).length]),
    );
    expect(tally).toEqual({ entry: 2_500, 'not-payable': 1_250, unusable: 1_250 });
    expect(facilitator.asked.map(({ offset }) => offset)).toEqual(names(50).map((_, at) => at * 100));
    expect(facilitator.asked[3]).toEqual({
      limit: 100,
      offset: 300,
      path: '/platform/v2/x402/discovery/resources',
      query: '?type=http&limit=100&offset=300',
    });
    expect([endOf(pages), pages.at(-1)?.next]).toEqual([{ isWhole: true }, 5_000]);
  });

  it('is continued where it was left', async () => {
    facilitator.list(names(250).map((name) => v2Item(name)));
    const pages = await readAll(200);
    expect([count(pages), endOf(pages), facilitator.asked.length]).toEqual([50, { isWhole: true }, 1]);
  });

  it('of a server that gives fewer items than it is asked for is read whole', async () => {
    const items = names(95).map((name) => v2Item(name));
    facilitator.answer((asked, response) => {
      sendPage(response, items, { ...asked, limit: 10 });
      return true;
    });
    const pages = await readAll();
    expect([count(pages), endOf(pages)]).toEqual([95, { isWhole: true }]);
  });

  it('that does not say how long it is ends at its first empty page', async () => {
    const items = names(120).map((name) => v2Item(name));
    facilitator.answer(({ offset }, response) => {
      sendJson(response, { items: items.slice(offset, offset + 30) });
      return true;
    });
    const pages = await readAll();
    expect([count(pages), endOf(pages), facilitator.asked.length]).toEqual([120, { isWhole: true }, 5]);
  });

  it('without pages is read once', async () => {
    const items = names(300).map((name) => v2Item(name));
    facilitator.answer((_asked, response) => {
      sendJson(response, { items });
      return true;
    });
    const pages = await readAll();
    expect([count(pages), endOf(pages), facilitator.asked.length]).toEqual([300, { isWhole: true }, 2]);
  });

  it('that is shorter than it says was not seen whole', async () => {
    const items = names(30).map((name) => v2Item(name));
    facilitator.answer(({ offset }, response) => {
      sendJson(response, { items: items.slice(offset, offset + 10), pagination: { total: 5_000 } });
      return true;
    });
    expect(endOf(await readAll())).toEqual({ isWhole: false, why: 'It has nothing at 30 of 5000.' });
  });

  it('that gives the same page for ever while it grows was not seen whole', async () => {
    let total = 1_000;
    facilitator.answer((_asked, response) => {
      sendJson(response, { items: [v2Item('same')], pagination: { total: (total += 1_000) } });
      return true;
    });
    const pages = await readAll();
    expect([count(pages), endOf(pages)]).toEqual([
      1,
      { isWhole: false, why: 'It gives the same items again at 1 of 3000.' },
    ]);
  });

  it('without end is read up to a bound', async () => {
    facilitator.answer(({ offset }, response) => {
      const items = names(100).map((name) => v2Item(`${name}-${offset}`));
      sendJson(response, { items, pagination: { total: offset + 1_000_000 } });
      return true;
    });
    const pages = await readAll(0, 250);
    expect([count(pages), pages.at(-1)?.next]).toEqual([250, 250]);
    expect(endOf(pages)).toEqual({
      isWhole: false,
      why: 'It lists more than 250 items: those after were not read.',
    });
  });

  it('with pages of more than 1 MiB is read in smaller ones', async () => {
    const items = names(150).map((name, at) => v2Item(name, at < 60 ? { icon: 'x'.repeat(100_000) } : {}));
    facilitator.list(items);
    const pages = await readAll();
    expect([count(pages), endOf(pages)]).toEqual([150, { isWhole: true }]);
    expect(facilitator.asked.slice(0, 6).map(({ limit, offset }) => [limit, offset])).toEqual([
      [100, 0],
      [50, 0],
      [20, 0],
      [5, 0],
      [5, 5],
      [5, 10],
    ]);
    // Once items are small again, it asks for more at a time.
    expect(Math.max(...facilitator.asked.slice(10).map(({ limit }) => limit))).toBeGreaterThan(5);
    expect(
      new Set(pages.flatMap((page) => page.items.map((item) => (item as { resource: string }).resource)))
        .size,
    ).toBe(150);
  });

  it('with an item of more than 1 MiB goes on after it', async () => {
    const items = names(40).map((name, at) => v2Item(name, at === 7 ? { icon: 'x'.repeat(2_000_000) } : {}));
    facilitator.list(items);
    const pages = await readAll();
    expect([count(pages), pages.reduce((sum, { skipped }) => sum + skipped, 0), endOf(pages)]).toEqual([
      39,
      1,
      { isWhole: true },
    ]);
  });

  it('whose every page is larger than 1 MiB is given up', async () => {
    facilitator.answer((_asked, response) => {
      sendJson(response, 'x'.repeat(1_200_000));
      return true;
    });
    await expect(readAll()).rejects.toMatchObject({ code: 'not_available' });
    expect(facilitator.asked.length).toBeLessThan(40);
  });

  it.each([
    [302, 'redirects to another address (302)'],
    [404, 'answered 404'],
    [429, 'answered 429'],
    [500, 'answered 500'],
  ])('is not read from an answer %d', async (status, why) => {
    facilitator.answer((_asked, response) => {
      response.setHeader('location', `${facilitator.origin}/elsewhere/discovery/resources`);
      sendJson(response, { items: [v2Item('x')] }, status);
      return true;
    });
    await expect(readAll()).rejects.toThrow(why);
    expect(facilitator.asked.length).toBe(1);
  });

  it.each(['', 'no JSON', '[]', 'null', '{}', '{"items":{}}', '{"items":null}'])(
    'is not had from %j',
    async (body) => {
      facilitator.answer((_asked, response) => {
        sendJson(response, body);
        return true;
      });
      await expect(readAll()).rejects.toThrow('did not answer with a list');
    },
  );

  it.each([{ total: -1 }, { total: 'many' }, { total: 1.5 }, 7, null, []])(
    'with the pagination %j is still read',
    async (pagination) => {
      facilitator.answer(({ offset }, response) => {
        sendJson(response, { items: offset === 0 ? [v2Item('x')] : [], pagination });
        return true;
      });
      expect(count(await readAll())).toBe(1);
    },
  );

  it('that is nested without end is told as such', async () => {
    const [open, close] = ['['.repeat(400_000), ']'.repeat(400_000)];
    facilitator.answer((_asked, response) => {
      sendJson(response, `{"items":[${open}${close}]}`);
      return true;
    });
    await expect(readAll()).rejects.toThrow('nested too deeply to read');
  });

  it('ends when it is no longer wanted', async () => {
    const abort = new AbortController();
    facilitator.answer(() => {
      abort.abort();
      return true;
    });
    const list = readList({ outbound, url: facilitator.url, offset: 0, signal: abort.signal });
    await expect(list.next()).rejects.toThrow('cannot be reached');
  });

  it('knows networks by their official ids', () => {
    expect(mainnetId).toBe('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp');
    const old = accept('x', { network: 'solana' });
    expect(kindOf(v2Item('acme', { accepts: [old] }))).toBe('entry');
  });
});
