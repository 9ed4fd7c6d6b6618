// The limits of a seller that settles by itself, and payments that it began and did not see the end of.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createGrantStore } from '../../server/paywall/store/grant-store.ts';
import { keySignerOf } from '../../server/paywall/key-file.ts';
import { paywall } from '../../server/paywall/paywall.ts';
import type { PaywallOptions, Settling } from '../../server/paywall/types.ts';
import { until } from '../harness/treasury.ts';
import { again, pay, pull, show } from './credentials.ts';
import { createRelay } from './relay.ts';
import { ask, closeServer, listen, refused } from './seller.ts';
import { market, shop, useShop } from './use-shop.ts';

useShop();
const feePayer = keySignerOf(randomBytes(32));

interface Stall {
  url: string;
  store: ReturnType<typeof createGrantStore>;
  warned: string[];
}

/** A seller with a store of its own, unless one is given, and a fee payer that has this much. */
const atStall = async (
  { lamports = 1_000_000_000, ...more }: Partial<PaywallOptions> & { lamports?: number },
  use: (stall: Stall) => Promise<void>,
): Promise<void> => {
  const key = keySignerOf(randomBytes(32));
  if (lamports > 0) await market.fundSol(key.address, lamports);
  const store = createGrantStore(join(market.dataDir, `${key.address}.db`));
  const warned: string[] = [];
  const wall = paywall({
    ...shop.options,
    store,
    settle: { feePayer: key },
    log: {
      warn: (details, message) => warned.push(`${message}: ${(details as { err: Error }).err.message}`),
    },
    ...more,
  });
  const { url, server } = await listen((request, response) => {
    void wall(request, response, (error) => response.writeHead(error === undefined ? 200 : 500).end('{}'));
  });
  await use({ url, store, warned }).finally(() => closeServer(server));
  store.close();
};
const offers = async (url: string) => {
  const { headers, body } = await ask(url);
  const challenges = headers.get('www-authenticate')?.split('Payment ').length ?? 0;
  return { v2: headers.has('payment-required'), v1: 'accepts' in body, challenges: challenges - 1 };
};
const all = { v2: true, v1: true, challenges: 2 };
const pushed = { v2: false, v1: false, challenges: 1 };

describe('a limit', () => {
  it('of lamports a day ends the offer for all sellers on one store, who are told once, and push goes on', async () => {
    const settle = { feePayer, mostLamportsPerDay: 25_000 };
    await market.fundSol(feePayer.address);
    await atStall({ settle }, ({ url, store, warned }) =>
      atStall({ settle, store }, async (other) => {
        expect(await offers(url)).toEqual(all);
        expect((await show(`${url}/a`, await pay(market, 'x402-v2', `${url}/a`))).status).toBe(200);
        const late = await pay(market, 'x402-v2', `${url}/late`);
        expect((await show(`${other.url}/b`, await pull(market, `${other.url}/b`))).status).toBe(200);
        const refusedLate = await show(`${url}/late`, late);
        expect(refusedLate.body['error']).toContain('no more fees are paid today');
        for (const one of [url, other.url, url]) expect(await offers(one)).toEqual(pushed);
        expect(warned).toHaveLength(1);
        expect(warned[0]).toMatch(/of 25000 lamports were spent in 24 hours/);
        expect((await show(`${url}/c`, await pay(market, 'mpp', `${url}/c`))).status).toBe(200);
        expect(store.settlingLamports(0)).toBeLessThanOrEqual(25_000);
      }),
    );
  });

  it('of the fee payer’s SOL ends the offer, and the seller is told where to send more', async () => {
    await atStall({ lamports: 0 }, async ({ url, warned }) => {
      expect(await offers(url)).toEqual(pushed);
      expect(await offers(url)).toEqual(pushed);
      expect(warned).toHaveLength(1);
      expect(warned[0]).toMatch(/has 0 lamports; send it SOL/);
    });
  });

  it('of three failures an hour refuses the wallet whose payments failed, and no other', async () => {
    await atStall({}, async ({ url, store }) => {
      const payer = market.buyer.publicKey.toBase58();
      for (let n = 0; n < 3; n += 1) {
        store.beginSettling({ ...began(`failed ${n}`), payer }, limits);
        store.endSettling(`failed ${n}`, 'failed', 5_000);
      }
      const answer = await show(`${url}/a`, await pay(market, 'x402-v2', `${url}/a`));
      expect(answer.body['error']).toContain('3 payments of this wallet failed within an hour');
      const other = Keypair.generate();
      await market.fund(other.publicKey, 1_000_000n);
      expect(
        (await show(`${url}/a`, await pay(market, 'x402-v2', `${url}/a`, { payer: other }))).status,
      ).toBe(200);
    });
  });
});

const limits = { mostLamports: 1e9, daySince: 0, mostFailed: 9, hourSince: 0, mostOpen: 9 };
const began = (message: string): Settling => ({
  message,
  invoice: message,
  network: 'sandbox',
  payer: 'somebody',
  txSignature: '1'.repeat(64),
  wire: '',
  lastValidBlockHeight: 0,
  lamports: 5_000,
  begunAt: Date.now(),
  state: 'open',
});

describe('a payment that was begun', () => {
  it('keeps others for its offer out until it is proved expired, and then costs nothing', async () => {
    const { relay, url: rpcUrl, close } = await createRelay(market.rpcUrl);
    await atStall({ rpcUrl }, async ({ url, store }) => {
      const first = await pay(market, 'x402-v2', `${url}/a`);
      // The chain never gets it.
      relay.fault = (method) =>
        method === 'sendTransaction'
          ? [200, JSON.stringify({ error: { code: -32002, message: 'no' } })]
          : null;
      expect(refused(await show(`${url}/a`, first))).toEqual({
        status: 503,
        code: 'facilitator_unreachable',
      });
      relay.fault = null;
      const second = await again(market, first);
      const busy = await show(`${url}/a`, second);
      expect(busy.body['error']).toContain('another payment for this offer is under way');
      expect(store.settlingLamports(0)).toBeGreaterThan(0);
      await market.rpc('sandbox_warp', [400]);
      const third = await again(market, first);
      expect((await show(`${url}/a`, third)).status).toBe(200);
      expect(refused(await show(`${url}/a`, first)).status).toBe(402);
      expect(store.settlingLamports(0)).toBeLessThan(10_100);
    });
    await close();
  });

  it('is looked up by a start, and ends there', async () => {
    await atStall({}, async ({ store }) => {
      store.beginSettling({ ...began('lost'), lastValidBlockHeight: 1 }, limits);
      await market.rpc('sandbox_warp', [400]);
      await atStall({ store }, () =>
        until('the end', async () => (await store.openSettlings()).length === 0).then(() => {}),
      );
      expect(store.findSettling('message', 'lost')).toMatchObject({ state: 'expired', lamports: 0 });
    });
  });
});

describe.each(['x402-v2', 'x402-v1', 'mpp'] as const)('a payment of %s that was sent', (dialect) => {
  it('is served when its buyer comes back, though its offer has expired and no fee is left', async () => {
    const { relay, url: rpcUrl, close } = await createRelay(market.rpcUrl);
    const settle = { feePayer, mostLamportsPerDay: 10_900 };
    await market.fundSol(feePayer.address);
    await atStall({ rpcUrl, settle, invoiceSeconds: 60 }, async ({ url }) => {
      const credential = dialect === 'mpp' ? await pull(market, url) : await pay(market, dialect, url);
      relay.fault = (method) => (method === 'getTransaction' ? 'drop' : null);
      expect((await show(url, credential)).status).toBe(503);
      relay.fault = null;
      await market.rpc('sandbox_warp', [200]);
      expect((await offers(url)).v1).toBe(false);
      expect((await show(url, credential)).status).toBe(200);
      expect(refused(await show(url, credential))).toEqual({ status: 402, code: 'already_used' });
    });
    await close();
  });
});

it('a store of an older version opens, and goes on', async () => {
  const path = join(market.dataDir, 'older.db');
  const older = new Database(path);
  createGrantStore(older);
  older.exec('DROP TABLE paywall_settling');
  older.close();
  const store = createGrantStore(path);
  expect(await store.beginSettling(began('first'), limits)).toBe('begun');
  expect(await store.beginSettling(began('first'), limits)).toBe('known');
  store.close();
});

it('a payment of MPP that was begun is served after the key has changed', async () => {
  const { relay, url: rpcUrl, close } = await createRelay(market.rpcUrl);
  await atStall({ rpcUrl }, async ({ url, store }) => {
    const credential = await pull(market, url);
    relay.fault = (method) => (method === 'getTransaction' ? 'drop' : null);
    expect((await show(url, credential)).status).toBe(503);
    relay.fault = null;
    await atStall({ store }, async (next) => {
      expect((await show(next.url, await pull(market, url))).body['error']).toContain('fee-payer-mismatch');
      expect((await show(next.url, credential)).status).toBe(200);
    });
  });
  await close();
});

describe('the option settle', () => {
  it.each<[string, (given: PaywallOptions) => object, RegExp]>([
    [
      'beside a facilitator',
      () => ({ facilitator: 'http://127.0.0.1:1' }),
      /settle: cannot stand beside facilitator/,
    ],
    [
      'with the key of the recipient',
      ({ recipient }) => ({ settle: { feePayer: { ...feePayer, address: recipient } } }),
      /settle.feePayer: must be a key of its own/,
    ],
    [
      'without a key',
      () => ({ settle: { feePayer: 'id.json' } }),
      /settle.feePayer: must be a key with address and sign/,
    ],
    [
      'with too small a limit',
      () => ({ settle: { feePayer, mostLamportsPerDay: 1 } }),
      /settle.mostLamportsPerDay: must be a whole number of at least 10000/,
    ],
    [
      'with a store that cannot keep it',
      ({ store }) => ({ store: { ...store, beginSettling: undefined } }),
      /store: must have beginSettling, which settle needs/,
    ],
  ])('%s is an error that names it', (_, change, words) => {
    const given = { ...shop.options, settle: { feePayer } };
    expect(() => paywall({ ...given, ...change(given) } as PaywallOptions)).toThrow(words);
  });
});
