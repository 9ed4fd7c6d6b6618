// Invoices that are signed instead of kept: which are taken, by whom, and for how long.
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, test } from 'vitest';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import { createGrantStore } from '../../server/paywall/store/grant-store.ts';
import { replaceSecret } from '../../server/paywall/store/invoice-records.ts';
import type { InvoiceSecret } from '../../server/paywall/store/invoice-store.ts';
import { createInvoices, type InvoicesDeps } from '../../server/paywall/invoices.ts';
import { paywall } from '../../server/paywall/paywall.ts';
import type { GrantStore, PaywallOptions } from '../../server/paywall/types.ts';
import { tries } from '../harness/tries.ts';
import { ask, closeServer, listen, quote, refused } from './seller.ts';
import { market, shop, signed, useShop } from './use-shop.ts';

useShop({ now: Date.now });

const open = async (more: Partial<PaywallOptions> = {}) => {
  const paid = paywall({ ...shop.options, ...more });
  return listen((request, response) => {
    void paid(request, response, (error) => {
      response.statusCode = error === undefined ? 200 : 500;
      response.end(JSON.stringify({ error: error instanceof Error ? error.message : null }));
    });
  });
};

const withSeller = async (
  more: Partial<PaywallOptions>,
  use: (url: string) => Promise<void>,
): Promise<void> => {
  const { url, server } = await open(more);
  await use(`${url}/forecast?city=Oslo`).finally(() => closeServer(server));
};

const storeAt = (name: string) => createGrantStore(join(market.dataDir, name));
const secretOf = (store: GrantStore): InvoiceSecret => store.secret?.() as InvoiceSecret;

const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const asked = { method: 'GET', url: '/forecast?city=Oslo', bodySha256: emptySha256 };

/** What somebody who has the secret can write: the bytes of any invoice, with a MAC that fits. */
const write = async (
  more: Partial<InvoicesDeps>,
  { amount = 10_000n, now = Date.now(), print = asked } = {},
): Promise<string> => {
  const { store } = shop.options;
  const sold = { service: null, route: null };
  // Nobody hears of its prices.
  const quiet: GrantStore = {
    ...store,
    secret: () => secretOf(store),
    keepAsking() {},
    findAsking: () => [],
  };
  const deps = {
    terms: terms({}),
    store: quiet,
    sold,
    boundHeaders: [],
    invoiceSeconds: 1_800,
    fixedPrice: null,
    now: () => now,
  };
  return (await createInvoices({ ...deps, ...more }).issue(print, amount)).id;
};

const foreign = (): GrantStore => {
  const key = randomBytes(32);
  return { ...shop.store, secret: () => ({ key, former: [] }), keepAsking() {} };
};
const terms = (changes: object) =>
  ({
    recipient: shop.options.recipient,
    network: 'sandbox',
    mint: usdcMints.sandbox,
    maxAgeMs: 600_000,
    ...changes,
  }) as InvoicesDeps['terms'];

const flipped = (invoice: string, bit: number): string => {
  const bytes = Buffer.from(invoice, 'base64url');
  const at = Math.floor(bit / 8);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (bit % 8)), at);
  return bytes.toString('base64url');
};

describe('an invoice', () => {
  it('is 48 bytes that say when, for how long and for how much, and leaves nothing in the store', async () => {
    const bytes = Buffer.from(await quote(shop.forecast), 'base64url');
    expect([bytes.length, bytes[0]]).toEqual([48, 1]);
    expect(Math.abs(bytes.readUInt32BE(1) * 1_000 - Date.now())).toBeLessThan(60_000);
    expect([bytes.readUIntBE(5, 3), bytes.readBigUInt64BE(8)]).toEqual([1_800, 10_000n]);
    const raw = new Database(join(market.dataDir, 'grants.db'), { readonly: true });
    expect(raw.prepare('SELECT count(*) FROM paywall_invoice').pluck().get()).toBe(0);
    raw.close();
  });

  it('that is written by one who has the secret is taken, as all of it is', async () => {
    const header = signed(await market.buy({ invoice: await write({}) }));
    expect((await ask(shop.forecast, header)).status).toBe(200);
  });

  const bits = tries(24, 384);
  const forgeries: [string, () => Promise<string> | string, string][] = [
    ...Array.from({ length: bits }, (_, n) => (n * 384) / bits).map(
      (bit): [string, () => Promise<string>, string] => [
        `with bit ${bit} changed`,
        async () => flipped(await quote(shop.forecast), bit),
        bit < 8 ? 'unknown_invoice' : 'wrong_request',
      ],
    ),
    [
      'of chance',
      () => Buffer.concat([Buffer.of(1), randomBytes(47)]).toString('base64url'),
      'wrong_request',
    ],
    ['of zeros', () => 'A'.repeat(64), 'unknown_invoice'],
    ['of 63 characters', async () => (await quote(shop.forecast)).slice(1), 'unknown_invoice'],
    ['of an older form', () => randomBytes(16).toString('base64url'), 'unknown_invoice'],
    ['of another store', () => write({ store: foreign() }), 'wrong_request'],
    ['of another network', () => write({ terms: terms({ network: 'mainnet' }) }), 'wrong_request'],
    ['of another mint', () => write({ terms: terms({ mint: usdcMints.devnet }) }), 'wrong_request'],
    ['of another wallet', () => write({ terms: terms({ recipient: usdcMints.devnet }) }), 'wrong_request'],
    ['of another service', () => write({ service: 'other' }), 'wrong_request'],
    ['of another origin', () => write({ origin: 'https://other.test' }), 'wrong_request'],
    ['of other bound headers', () => write({ boundHeaders: ['x-plan'] }), 'wrong_request'],
    ['of another URL', () => quote(shop.forecast.replace('Oslo', 'Bergen')), 'wrong_request'],
    ['of another method', () => write({}, { print: { ...asked, method: 'POST' } }), 'wrong_request'],
    [
      'of another body',
      () => write({}, { print: { ...asked, bodySha256: 'a'.repeat(64) } }),
      'wrong_request',
    ],
    ['of a price that was never asked', () => write({}, { amount: 1n }), 'unknown_invoice'],
    ['of a longer life', () => write({ invoiceSeconds: 1_801 }), 'unknown_invoice'],
    ['of the future', () => write({}, { now: Date.now() + 90_000 }), 'unknown_invoice'],
    ['of the past', () => write({}, { now: Date.now() - 1_900_000 }), 'invoice_expired'],
  ];
  it.each(forgeries)('%s is refused, paid as it is', async (_, forge, code) => {
    const header = signed(await market.buy({ invoice: await forge(), units: 10_000n }));
    expect(refused(await ask(shop.forecast, header))).toEqual({ status: 402, code });
  });
});

describe('a price', () => {
  it('that was in force stays payable at the next one, at a function, and at another wallet', async () => {
    const store = storeAt('prices.db');
    const next: Partial<PaywallOptions>[] = [
      { price: '0.05' },
      { price: () => '0.05' },
      { price: '0.05', recipient: market.buyer.publicKey.toBase58() },
    ];
    for (const options of next) {
      let invoice = '';
      await withSeller({ store }, async (url) => void (invoice = await quote(url)));
      const header = signed(await market.buy({ invoice }));
      await withSeller({ store, ...options }, async (url) => {
        expect((await ask(url)).body['amount']).toBe('0.05');
        expect((await ask(url, header)).status).toBe(200);
      });
    }
    store.close();
  });

  it('is kept as one of the newest hundred of its service and route, and once for each', () => {
    const store = storeAt('many-prices.db');
    const sold = { service: null, route: 'GET /a' };
    for (let n = 1; n <= 130; n += 1)
      for (let again = 0; again < 2; again += 1)
        store.keepAsking(sold, { amount: BigInt(n), recipient: 'r' });
    store.keepAsking({ service: 's', route: null }, { amount: null, recipient: 'r' });
    expect(store.findAsking(sold, 0)).toHaveLength(100);
    expect(store.findAsking({ service: 's', route: null }, 0)).toEqual([{ amount: null, recipient: 'r' }]);
    expect(store.findAsking(sold, Date.now() + 1)).toEqual([]);
    store.close();
  });
});

describe('another secret', () => {
  it('leaves the invoices of the former one payable, while others are signed with it', async () => {
    const [store, raw] = [storeAt('rotated.db'), new Database(join(market.dataDir, 'rotated.db'))];
    await withSeller({ store }, async (url) => {
      const header = signed(await market.buy({ invoice: await quote(url) }));
      const before = secretOf(store).key;
      replaceSecret(raw, Date.now(), { endsEarlier: false });
      replaceSecret(raw, Date.now(), { endsEarlier: false });
      expect(secretOf(store).key).not.toEqual(before);
      expect((await ask(url, header)).status).toBe(200);
      expect((await ask(url, signed(await market.buy({ invoice: await quote(url) })))).status).toBe(200);
    });
    raw.close();
    store.close();
  });

  it.each([
    [2_690_000, 200],
    [2_710_000, 402],
  ])('that is in force since %d ms: the former answers %d', async (ago, status) => {
    const { key } = secretOf(shop.store);
    const former = [{ key, replacedAt: Date.now() - ago }];
    const secret = (): InvoiceSecret => ({ key: randomBytes(32), former });
    const invoice = await write({});
    await withSeller({ store: { ...shop.store, secret } }, async (url) => {
      expect((await ask(url, signed(await market.buy({ invoice })))).status).toBe(status);
    });
  });

  it('after an older copy was put back refuses what was issued or paid before, and sells on', async () => {
    const store = storeAt('restored.db');
    const raw = new Database(join(market.dataDir, 'restored.db'));
    const { secret: _, ...keeping } = store;
    let kept = '';
    await withSeller({ store: keeping }, async (url) => void (kept = await quote(url)));
    await withSeller({ store, bind: 'optional' }, async (url) => {
      const header = signed(await market.buy({ invoice: await quote(url) }));
      const [loose, old] = [signed(await market.buy()), signed(await market.buy({ invoice: kept }))];
      replaceSecret(raw, Date.now() + 5_000, { endsEarlier: true });
      expect(refused(await ask(url, header)).code).toBe('wrong_request');
      expect(refused(await ask(url, loose)).code).toBe('too_old');
      expect(refused(await ask(url, old)).code).toBe('unknown_invoice');
      await market.rpc('sandbox_warp', [10]);
      expect((await ask(url, signed(await market.buy({ invoice: await quote(url) })))).status).toBe(200);
    });
    raw.close();
    store.close();
  });

  it('does not hide that a payment was granted', async () => {
    const [store, raw] = [storeAt('granted.db'), new Database(join(market.dataDir, 'granted.db'))];
    await withSeller({ store }, async (url) => {
      const header = signed(await market.buy({ invoice: await quote(url) }));
      expect((await ask(url, header)).status).toBe(200);
      replaceSecret(raw, Date.now(), { endsEarlier: true });
      expect(refused(await ask(url, header)).code).toBe('already_used');
    });
    raw.close();
    store.close();
  });
});

/** As version 0.1 made it. */
const firstSchema = `
  CREATE TABLE paywall_invoice (id TEXT PRIMARY KEY, method TEXT NOT NULL, url TEXT NOT NULL, body_sha256 TEXT NOT NULL,
    amount INTEGER NOT NULL, recipient TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
  CREATE TABLE paywall_grant (tx_signature TEXT PRIMARY KEY NOT NULL, invoice TEXT UNIQUE, payment_id TEXT NOT NULL,
    payer TEXT NOT NULL, amount INTEGER NOT NULL CHECK (amount > 0), granted_at INTEGER NOT NULL) STRICT;
  INSERT INTO paywall_grant VALUES ('t', 'i', 'p', 'w', 5, 1);`;

test('the file of an older version opens, also twice at once, and its invoices are payable', async () => {
  const path = join(market.dataDir, 'first.db');
  const first = new Database(path);
  first.exec(firstSchema);
  const row = first.prepare('INSERT INTO paywall_invoice VALUES (?, ?, ?, ?, 10000, ?, ?)');
  row.run(
    'q4Tq0YFh5n8cUq1V8o2bXw',
    'GET',
    '/forecast?city=Oslo',
    emptySha256,
    shop.options.recipient,
    Date.now() + 100_000,
  );
  first.close();
  const [store, other] = [createGrantStore(path), createGrantStore(path)];
  for (const one of [store, other]) expect(one.isUsed('t')).toBe(true);
  await withSeller({ store }, async (url) => {
    const header = signed(await market.buy({ invoice: 'q4Tq0YFh5n8cUq1V8o2bXw' }));
    expect((await ask(url, header)).status).toBe(200);
    expect(refused(await ask(url, header)).code).toBe('already_used');
  });
  for (const one of [store, other]) one.close();
});

const sizeOf = (folder: string): number =>
  readdirSync(folder).reduce(
    (sum, name) => sum + (name.startsWith('flood.db') ? statSync(join(folder, name)).size : 0),
    0,
  );

const askAlone = async (count: number): Promise<number> => {
  const store = storeAt('flood.db');
  const paid = paywall({ ...shop.options, store }).web(() => Response.json({}));
  let log = 0;
  for (let n = 0; n < count; n += 1) {
    expect((await paid(new Request(`http://shop.test/${n}`))).status).toBe(402);
    if (n % 500 === 0) log = Math.max(log, statSync(join(market.dataDir, 'flood.db-wal')).size);
  }
  store.close();
  return log;
};

const flood = tries(2_000, 100_000);
test(`${flood} requests that nobody pays leave the store as it was`, async () => {
  await askAlone(10);
  const before = sizeOf(market.dataDir);
  // The log is overwritten every few seconds, and gone at the end.
  expect(await askAlone(flood)).toBeLessThan(100_000);
  expect(sizeOf(market.dataDir)).toBe(before);
});
