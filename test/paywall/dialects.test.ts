// MPP and x402 as the paywall takes them: what is refused, and that one payment is one grant over all dialects.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tries } from '../harness/tries.ts';
import { paywall } from '../../server/paywall/paywall.ts';
import { signedHeader } from '../x402/keys.ts';
import { memo as memoOf, tokenAccount, transfer } from '../x402/market.ts';
import { openBazaar, type Bazaar } from './bazaar.ts';
import type { PaywallOptions } from '../../server/paywall/types.ts';
import { encoded, foreign, header, pay, show, showText } from './credentials.ts';
import { altered, change, noise, wrongMemos, wrongPayments } from './forged-credentials.ts';
import { ask, closeServer, listen, quote, refused, type Answer } from './seller.ts';

let bazaar: Bazaar;
beforeAll(async () => {
  bazaar = await openBazaar({ visibleWithinMs: 0 });
}, 600_000);
afterAll(() => bazaar.close());

/** Payments that are not granted. */
const nothingGranted = async (attempt: () => Promise<unknown>): Promise<void> => {
  const before = bazaar.served.length;
  await attempt();
  expect(bazaar.served.length).toBe(before);
};

describe.each(foreign)('a credential of %s', (dialect) => {
  const url = () => `${bazaar.url}/goods?by=${dialect}`;

  it('is granted when it is honest', async () => {
    const answer = await show(url(), await pay(bazaar.market, dialect, url()));
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(answer.body['payment']).toMatchObject({
      dialect,
      payer: bazaar.market.buyer.publicKey.toBase58(),
      recipient: bazaar.market.seller.publicKey.toBase58(),
    });
  });

  it.each(Object.keys(altered[dialect]))('is refused with %s, and then granted as it was', async (name) => {
    const { market } = bazaar;
    const honest = await pay(market, dialect, url());
    const alter = altered[dialect][name];
    if (alter === undefined) throw new Error(`no such forgery: ${name}`);
    await nothingGranted(async () => {
      const answer = await show(url(), change(honest, alter, market));
      expect(answer.status, JSON.stringify(answer.body)).toBe(402);
    });
    expect((await show(url(), honest)).status).toBe(200);
  });

  const payments = { ...wrongPayments, ...(dialect === 'x402-v1' ? {} : wrongMemos) };
  it.each(Object.entries(payments))('is refused for %s', async (_, make) => {
    const { market } = bazaar;
    await nothingGranted(async () => {
      const answer = await show(url(), await pay(market, dialect, url(), await make(market)));
      expect(answer.status, JSON.stringify(answer.body)).toBe(402);
    });
  });

  it('is refused when it is none', async () => {
    await nothingGranted(async () => {
      for (const text of noise.filter((one) => one !== '')) {
        const answer = await showText(url(), dialect, dialect === 'mpp' ? `Payment ${text}` : text);
        expect(answer.status, text).toBe(402);
      }
    });
  });

  it('is granted at the price that was asked, or costs nothing', async () => {
    let price = '0.01';
    await withSeller({ price: () => price }, async (place) => {
      const honest = await pay(bazaar.market, dialect, `${place}/x`);
      price = '0.02';
      const answer = await show(`${place}/x`, honest);
      // A payment of x402 version 1 names no offer; it is not settled at another price.
      if (dialect === 'x402-v1') expect(refused(answer)).toEqual({ status: 402, code: 'not_settled' });
      else expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    });
  });
});

it.each(['mpp', 'x402-v2'] as const)(
  'a payment of %s is valid for the request that was asked',
  async (dialect) => {
    const url = `${bazaar.url}/goods`;
    const init = { method: 'POST', body: '{"n":1}' };
    const honest = await pay(bazaar.market, dialect, url, { init });
    await nothingGranted(async () => {
      for (const [target, other] of [
        [`${url}&more`, init],
        [url, { method: 'POST', body: '{"n":2}' }],
        [url, { method: 'PUT', body: '{"n":1}' }],
      ] as const)
        expect(refused(await show(target, honest, other))).toEqual({ status: 402, code: 'wrong_request' });
    });
    expect((await show(url, honest, init)).status).toBe(200);
  },
);

/** A seller with other options, and the same store and chain. */
const withSeller = async (
  more: Partial<PaywallOptions>,
  use: (url: string) => Promise<void>,
): Promise<void> => {
  const paid = paywall({ ...bazaar.options, ...more });
  const { url, server } = await listen((request, response) => {
    void paid(request, response, () => response.end('{}'));
  });
  await use(url).finally(() => closeServer(server));
};

it.each(['mpp', 'x402-v2'] as const)('an offer of %s that has expired is not granted', async (dialect) => {
  const { market } = bazaar;
  await withSeller({ invoiceSeconds: 60 }, async (url) => {
    const inTime = await pay(market, dialect, url, { between: () => market.rpc('sandbox_warp', [100]) });
    expect((await show(url, inTime)).status).toBe(200);
    const late = await pay(market, dialect, url, { between: () => market.rpc('sandbox_warp', [200]) });
    expect(refused(await show(url, late))).toEqual({ status: 402, code: 'invoice_expired' });
  });
});

it('a challenge of another seller with the same store is refused', async () => {
  await withSeller({ service: 'elsewhere' }, async (url) => {
    const honest = await pay(bazaar.market, 'mpp', `${url}/goods`);
    const shown = await show(`${bazaar.url}/goods`, honest);
    expect(refused(shown)).toEqual({ status: 402, code: 'wrong_request' });
    expect((await show(`${url}/goods`, honest)).status).toBe(200);
  });
});

const sellerHas = async (): Promise<string> => {
  const account = tokenAccount(bazaar.market.seller.publicKey).toBase58();
  const { value } = (await bazaar.market.rpc('getTokenAccountBalance', [account])) as {
    value: { amount: string };
  };
  return value.amount;
};

it('an invoice that was granted is not settled again', async () => {
  const { market, url } = bazaar;
  const first = await pay(market, 'x402-v2', url);
  expect((await show(url, first)).status).toBe(200);
  const second = await pay(market, 'x402-v2', url);
  // A client that keeps an offer and pays it a second time.
  second.json['accepted'] = first.json['accepted'];
  const { memo } = first.json['accepted'].extra as { memo: string };
  const again = await pay(market, 'x402-v2', url, {
    instructions: (payer) => [transfer(payer, market.seller.publicKey, 10_000n), memoOf(memo)],
  });
  again.json['accepted'] = first.json['accepted'];
  const before = BigInt(await sellerHas());
  for (const one of [second, again])
    expect(refused(await show(url, one))).toEqual({ status: 402, code: 'invoice_used' });
  expect(BigInt(await sellerHas())).toBe(before);
  // Nor are two payments for one invoice that arrive at once.
  const fresh = await pay(market, 'x402-v2', url);
  const { memo: invoice } = fresh.json['accepted'].extra as { memo: string };
  const twin = await pay(market, 'x402-v2', url, {
    instructions: (payer) => [transfer(payer, market.seller.publicKey, 10_000n), memoOf(invoice)],
  });
  twin.json['accepted'] = fresh.json['accepted'];
  const answers = await Promise.all([show(url, fresh), show(url, twin)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 402]);
  expect(BigInt(await sellerHas())).toBe(before + 10_000n);
});

it('a facilitator’s URL with a password in it is refused, since logs name it', () => {
  const facilitator = 'https://seller:s3cret@facilitator.test/x402';
  expect(() => paywall({ ...bazaar.options, facilitator })).toThrow(
    'paywall: facilitator: must hold no user name and no password',
  );
});

describe('while the facilitator cannot be asked', () => {
  it('x402 is not offered, and the other dialects are', async () => {
    await withSeller({ facilitator: 'http://127.0.0.1:1' }, async (url) => {
      const { status, headers, body } = await ask(url);
      expect(status).toBe(402);
      expect(headers.has('payment-required') || 'accepts' in body).toBe(false);
      expect(headers.has('www-authenticate')).toBe(true);
      expect(body).toMatchObject({ amount: '0.01', currency: 'USDC' });
    });
  });

  it.each(['x402-v2', 'x402-v1'] as const)('a payment of %s stays valid: 503', async (dialect) => {
    const honest = await pay(bazaar.market, dialect, `${bazaar.url}/goods`);
    await withSeller({ facilitator: 'http://127.0.0.1:1' }, async (url) => {
      const answer = await show(`${url}/goods`, honest);
      expect(refused(answer)).toEqual({ status: 503, code: 'facilitator_unreachable' });
    });
    expect((await show(`${bazaar.url}/goods`, honest)).status).toBe(200);
  });
});

const shows = tries(200, 1_000);

const atOnce = async (url: string, shown: Record<string, string>[]): Promise<Answer[]> => {
  const answers: Answer[] = [];
  for (let from = 0; from < shows; from += 200)
    answers.push(
      ...(await Promise.all(
        Array.from({ length: 200 }, (_, n) => ask(url, null, { headers: shown[n % shown.length] ?? {} })),
      )),
    );
  return answers;
};

const oneGrant = async (url: string, shown: Record<string, string>[]): Promise<void> => {
  const before = bazaar.served.length;
  const answers = await atOnce(url, shown);
  expect(answers).toHaveLength(shows);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]));
  expect(bazaar.served.length).toBe(before + 1);
};

/** A facilitator whose first answer to /settle waits until it is let go. */
const slowFacilitator = async () => {
  const held: (() => void)[] = [];
  const settled: string[] = [];
  const heard: (() => void)[] = [];
  const { url, server } = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const init = { method: request.method ?? 'GET', headers: { 'content-type': 'application/json' } };
      void fetch(`${String(bazaar.facilitator.says['url'])}${request.url}`, {
        ...init,
        ...(body.length === 0 ? {} : { body }),
      })
        .then((answer) => answer.text())
        .then((text) => {
          if (request.url !== '/settle' || settled.length > 0) return response.end(text);
          settled.push(text);
          held.push(() => response.end(text));
          return heard.shift()?.();
        })
        // The facilitator ended before the one who asks.
        .catch(() => request.socket.destroy());
    });
  });
  return {
    url,
    settled,
    /** Resolves when the next payment has landed, and its answer waits. */
    landed: () => new Promise<void>((resolve) => void heard.push(resolve)),
    letGo: () => held.splice(0).forEach((go) => go()),
    close: () => closeServer(server),
  };
};

it.each(['x402-v2', 'x402-v1'] as const)(
  'a payload of %s that an observer rebuilds from the chain is refused, and its payer is served',
  async (dialect) => {
    const { market } = bazaar;
    const facilitator = await slowFacilitator();
    await withSeller({ facilitator: facilitator.url }, async (url) => {
      const honest = await pay(market, dialect, url);
      const landed = facilitator.landed();
      const served = show(url, honest);
      await landed;
      const { transaction: txSignature } = JSON.parse(facilitator.settled[0] ?? '') as {
        transaction: string;
      };
      const wire = (await market.rpc('getTransaction', [
        txSignature,
        { encoding: 'base64', maxSupportedTransactionVersion: 0 },
      ])) as { transaction: [string, string] };
      // On the chain the transaction has the facilitator's signature too.
      const rebuilt = structuredClone(honest);
      rebuilt.json['payload'].transaction = wire.transaction[0];
      expect(rebuilt.json['payload'].transaction).not.toBe(honest.json['payload'].transaction);
      // The payer itself may ask again meanwhile, and is not told that its payment is used up.
      const meanwhile = await show(url, rebuilt);
      expect([meanwhile.status, meanwhile.body]).toMatchObject([402, { code: 'not_visible', retry: true }]);
      facilitator.letGo();
      expect((await served).status).toBe(200);
      expect((await show(url, rebuilt)).status).toBe(402);
    });
    await facilitator.close();
  },
);

describe(`one payment, ${shows} times at once`, () => {
  it.each(foreign)('of %s, is one grant', async (dialect) => {
    const url = `${bazaar.url}/once?${dialect}`;
    await oneGrant(url, [{ [header[dialect]]: encoded(await pay(bazaar.market, dialect, url)) }]);
  });

  it.each(['receipt', 'mpp'] as const)('of %s, shown in every dialect, is one grant', async (paidIn) => {
    const { market } = bazaar;
    const url = `${bazaar.url}/once?every&${paidIn}`;
    const receipt = await market.buy({ invoice: await quote(url) });
    const mpp = await pay(market, 'mpp', url);
    const [other, settled] = await Promise.all([pay(market, 'mpp', url), pay(market, 'x402-v2', url)]);
    const txSignature = paidIn === 'receipt' ? receipt.txSignature : String(mpp.json['payload'].signature);
    for (const one of [mpp, other]) one.json['payload'].signature = txSignature;
    settled.json['payload'] = { transaction: txSignature };
    await oneGrant(url, [
      { 'x-payment': signedHeader({ ...receipt, txSignature }, market.buyer) },
      ...[mpp, other, settled].map((one) => ({ [header[one.dialect]]: encoded(one) })),
    ]);
  });

  it('of a facilitator that names the transaction of another, is one grant', async () => {
    const { market } = bazaar;
    const receipt = await market.buy({ invoice: await quote(`${bazaar.url}/lied`) });
    const { extra } = { extra: { feePayer: bazaar.facilitator.says['feePayer'] } };
    const kinds = [{ x402Version: 1, scheme: 'exact', network: 'solana', extra }];
    const says: Record<string, object> = {
      '/supported': { kinds },
      '/settle': { success: true, transaction: receipt.txSignature },
    };
    const liar = await listen((request, response) => response.end(JSON.stringify(says[request.url ?? ''])));
    await withSeller({ facilitator: liar.url }, async (url) => {
      const paid = await pay(market, 'x402-v1', `${url}/lied`);
      const shown = [{ 'x-payment': signedHeader(receipt, market.buyer) }, { 'x-payment': encoded(paid) }];
      const answers = await atOnce(`${url}/lied`, shown);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    });
    await closeServer(liar.server);
  });
});
