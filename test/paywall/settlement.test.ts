// Between the settlement of an x402 payment and its grant.
import { hash } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Keypair, VersionedTransaction } from '@solana/web3.js';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { x402Networks } from '../../server/contract/treasury/networks.ts';
import { referenceOf } from '../../server/paywall/dialects/reference.ts';
import { messageIn } from '../../server/paywall/dialects/x402.ts';
import { replaceSecret } from '../../server/paywall/store/invoice-records.ts';
import { paywall } from '../../server/paywall/paywall.ts';
import type { GrantStore, PaywallOptions } from '../../server/paywall/types.ts';
import { memo, transfer } from '../x402/market.ts';
import { pay, requiredIn, show, type Credential, type Loose } from './credentials.ts';
import { ask, closeServer, listen, refused } from './seller.ts';
import { market, shop, useShop } from './use-shop.ts';

useShop();

/** Sends a transaction once, as official ones do: what has landed does not simulate again. */
const facilitator = {
  url: '',
  settled: [] as string[],
  before: null as null | (() => Promise<unknown>),
  close: (): Promise<void> => Promise.resolve(),
};
beforeAll(async () => {
  const feePayer = Keypair.generate();
  await market.fund(feePayer.publicKey, 0n, 1_000_000_000);
  const extra = { feePayer: feePayer.publicKey.toBase58() };
  const settle = async (text: string): Promise<object> => {
    const { paymentPayload } = JSON.parse(text) as Loose;
    const wire = String(paymentPayload.payload.transaction);
    if (facilitator.settled.includes(wire)) return { success: false, errorReason: 'simulation_failed' };
    facilitator.settled.push(wire);
    await facilitator.before?.();
    const transaction = VersionedTransaction.deserialize(Buffer.from(wire, 'base64'));
    transaction.sign([feePayer]);
    const sent = await market.connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
    return { success: true, transaction: sent };
  };
  const kinds = ([1, 2] as const).map((x402Version) => ({
    x402Version,
    scheme: 'exact',
    network: x402Networks.sandbox[`v${x402Version}`],
    extra,
  }));
  const { url, server } = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = request.url === '/supported' ? { kinds } : settle(Buffer.concat(chunks).toString());
      void Promise.resolve(answer).then((said) => response.end(JSON.stringify(said)));
    });
  });
  Object.assign(facilitator, { url, close: () => closeServer(server) });
});
afterAll(() => facilitator.close());
beforeEach(() => Object.assign(facilitator, { settled: [], before: null }));

let newest: ServerResponse;
const withSeller = async (
  more: Partial<PaywallOptions>,
  use: (url: string) => Promise<void>,
): Promise<void> => {
  const wall = paywall({ ...shop.options, facilitator: facilitator.url, ...more });
  const { url, server } = await listen((request, response) => {
    newest = response;
    void wall(request, response, (error) => {
      response.statusCode = error === undefined ? 200 : 500;
      response.end('{}');
    });
  });
  await use(url).finally(() => closeServer(server));
};

const ends = (): never => {
  throw new Error('the process ends here');
};

describe.each(['x402-v2', 'x402-v1'] as const)('a settled payment of %s', (dialect) => {
  it('is granted by the next process, once, when the first ended before the grant', async () => {
    const dying: GrantStore = { ...shop.store, grant: ends };
    await withSeller({ store: dying }, async (first) => {
      const credential = await pay(market, dialect, `${first}/goods`);
      expect((await show(`${first}/goods`, credential)).status).toBe(500);
      await withSeller({}, async (second) => {
        expect((await show(`${second}/goods`, credential)).status).toBe(200);
        expect(refused(await show(`${second}/goods`, credential)).status).toBe(402);
      });
    });
  });

  it('is served to the request that it was first shown for alone, by whichever process', async () => {
    const dying: GrantStore = { ...shop.store, grant: ends };
    await withSeller({ store: dying }, async (first) => {
      const credential = await pay(market, dialect, `${first}/goods`);
      expect((await show(`${first}/goods`, credential)).status).toBe(500);
      await withSeller({}, async (second) => {
        for (const url of [`${first}/stolen`, `${second}/stolen`, `${second}/goods?other`]) {
          const code = dialect === 'x402-v1' ? 'already_used' : 'wrong_request';
          expect(refused(await show(url, credential))).toMatchObject({ status: 402, code });
        }
        expect((await show(`${second}/goods`, credential)).status).toBe(200);
      });
    });
    expect(facilitator.settled).toHaveLength(1);
  });

  it('is not served to another request while it is settled, though the facilitator would settle it again', async () => {
    await withSeller({}, async (first) => {
      const credential = await pay(market, dialect, `${first}/goods`);
      await withSeller({}, async (second) => {
        let stolen = 0;
        facilitator.before = async () => {
          facilitator.settled = [];
          facilitator.before = null;
          stolen = (await show(`${second}/stolen`, credential)).status;
        };
        expect((await show(`${first}/goods`, credential)).status).toBe(200);
        expect([stolen, facilitator.settled]).toEqual([402, []]);
      });
    });
  });

  it('is remembered by the process itself, however old a payment may be', async () => {
    // A store of one's own that does not keep settlements.
    const { findSettled: _, saveSettled: __, ...store } = shop.store;
    let grant: GrantStore['grant'] = ends;
    const failing: GrantStore = { ...store, grant: (one) => grant(one) };
    await withSeller({ store: failing, maxAgeSeconds: 3_000_000 }, async (url) => {
      const credential = await pay(market, dialect, url);
      expect((await show(url, credential)).status).toBe(500);
      // Time for a timer that overflowed.
      await ask(url);
      grant = store.grant;
      expect((await show(`${url}/stolen`, credential)).status).toBe(402);
      expect((await show(url, credential)).status).toBe(200);
    });
  });
});

it.each(['mpp', 'x402-v2', 'x402-v1'] as const)(
  'a buyer of %s that hung up before the grant is served at its next try',
  async (dialect) => {
    const hungUp = new AbortController();
    const store: GrantStore = {
      ...shop.store,
      async isUsed(txSignature) {
        if (!hungUp.signal.aborted) {
          hungUp.abort();
          await once(newest, 'close');
        }
        return shop.store.isUsed(txSignature);
      },
    };
    await withSeller({ store }, async (url) => {
      const credential = await pay(market, dialect, `${url}/goods`);
      await expect(show(`${url}/goods`, credential, { signal: hungUp.signal })).rejects.toThrow(/abort/);
      await expect.poll(async () => (await show(`${url}/goods`, credential)).status).toBe(200);
      expect(refused(await show(`${url}/goods`, credential)).status).toBe(402);
    });
  },
);

const endInvoices = (how: { endsEarlier: boolean }, now = Date.now()): void => {
  const raw = new Database(join(market.dataDir, 'grants.db'));
  replaceSecret(raw, now, how);
  raw.close();
};

it('a payment of x402 version 2 that was settled is granted by its own record, without the secret of its invoice', async () => {
  await withSeller({ store: { ...shop.store, grant: ends } }, async (first) => {
    const credential = await pay(market, 'x402-v2', `${first}/goods`);
    expect((await show(`${first}/goods`, credential)).status).toBe(500);
    endInvoices({ endsEarlier: false }, 0);
    await withSeller({}, async (second) => {
      expect(refused(await show(`${second}/stolen`, credential)).code).toBe('wrong_request');
      expect((await show(`${second}/goods`, credential)).status).toBe(200);
      expect(refused(await show(`${second}/goods`, credential)).code).toBe('already_used');
    });
  });
  expect(facilitator.settled).toHaveLength(1);
});

it('a payment of x402 version 2 that an older copy knows as settled alone is refused once it is put back', async () => {
  await withSeller({ store: { ...shop.store, grant: ends } }, async (first) => {
    const credential = await pay(market, 'x402-v2', `${first}/goods`);
    expect((await show(`${first}/goods`, credential)).status).toBe(500);
    endInvoices({ endsEarlier: true });
    await withSeller({}, async (second) => {
      expect(refused(await show(`${second}/goods`, credential)).code).toBe('wrong_request');
    });
  });
});

it('a payment of x402 version 2 that was settled for one invoice is not granted for another one', async () => {
  await withSeller({}, async (url) => {
    const [accepted] = requiredIn(await ask(url), 2)['accepts'] as Loose[];
    const cheap = Buffer.from(String(accepted?.['extra'].invoice), 'base64url');
    cheap.writeBigUInt64BE(1n, 8);
    const invoice = cheap.toString('base64url');
    const reference = referenceOf('x402', invoice);
    const credential = await pay(market, 'x402-v2', url, {
      instructions: (payer) => [transfer(payer, market.seller.publicKey, 1n), memo(reference)],
    });
    expect((await show(url, credential)).status).toBe(402);
    expect(facilitator.settled).toHaveLength(1);
    const own = credential.json['accepted'] as Loose;
    const other = { ...own, amount: '1', extra: { ...own['extra'], invoice, memo: reference } };
    const shown = { ...credential, json: { ...credential.json, accepted: other } };
    expect(refused(await show(url, shown))).toEqual({ status: 402, code: 'wrong_request' });
  });
});

it('a payment of x402 version 2 is granted although its offer ended while it was settled', async () => {
  facilitator.before = () => market.rpc('sandbox_warp', [100]);
  await withSeller({ invoiceSeconds: 20 }, async (url) => {
    const answer = await show(url, await pay(market, 'x402-v2', url));
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  });
});

const wireOf = ({ json }: Credential): Buffer => Buffer.from(String(json['payload'].transaction), 'base64');

it.each(['x402-v2', 'x402-v1'] as const)(
  'a payment of %s is not settled with bytes behind it, nor twice at once',
  async (dialect) => {
    await withSeller({}, async (url) => {
      const honest = await pay(market, dialect, url);
      const longer = structuredClone(honest);
      longer.json['payload'].transaction = Buffer.concat([wireOf(honest), Buffer.of(0, 1)]).toString(
        'base64',
      );
      const answers = await Promise.all([honest, honest, longer].map((one) => show(url, one)));
      expect(answers.map((one) => one.status).toSorted()).toEqual([200, 402, 402]);
      expect(answers[2]?.body['code']).toBe('malformed_payment');
      expect(facilitator.settled).toHaveLength(1);
    });
  },
);

const inPayload = (bytes: Buffer): string | null =>
  messageIn({ payload: { transaction: bytes.toString('base64') } });

it('the message of a transaction is all of it but its signatures, and nothing else is one', async () => {
  await withSeller({}, async (url) => {
    const wire = wireOf(await pay(market, 'x402-v2', url));
    const { message } = VersionedTransaction.deserialize(wire);
    expect(inPayload(wire)).toBe(hash('sha256', message.serialize(), 'base64'));
    for (let end = 0; end < wire.length; end += 1) expect(inPayload(wire.subarray(0, end))).toBeNull();
    expect(inPayload(Buffer.concat([wire, Buffer.of(0)]))).toBeNull();
  });
});

it('an invoice of x402 version 2 cannot be taken by one who sees its payment on the chain', async () => {
  await withSeller({}, async (url) => {
    const honest = await pay(market, 'x402-v2', url);
    const { extra } = honest.json['accepted'] as { extra: { memo: string; invoice: string } };
    expect(extra.memo).not.toContain(extra.invoice);
    const rival = await pay(market, 'x402-v2', url, {
      instructions: (payer) => [transfer(payer, market.seller.publicKey, 10_000n), memo(extra.memo)],
    });
    for (const invoice of [extra.memo, undefined]) {
      const [accepted] = requiredIn(await ask(url), 2)['accepts'] as Loose[];
      const taken = { ...accepted, extra: { ...accepted?.['extra'], memo: extra.memo, invoice } };
      const shown = { ...rival, json: { ...rival.json, accepted: taken } };
      expect((await show(url, shown)).status).toBe(402);
    }
    expect(facilitator.settled).toEqual([]);
    expect((await show(url, honest)).status).toBe(200);
  });
});
