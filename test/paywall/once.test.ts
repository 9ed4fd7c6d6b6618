import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGrantStore } from '../../server/paywall/grant-store.ts';
import type { GrantStore } from '../../server/paywall/types.ts';
import { encodeReceipt } from '../../server/lib/solana/receipt.ts';
import type { UnsignedReceipt } from '../../server/lib/solana/receipt.ts';
import { tries } from '../harness/tries.ts';
import { signReceipt, signedHeader } from '../x402/keys.ts';
import { createMarket } from '../x402/market.ts';
import type { Market } from '../x402/market.ts';
import { ask, openShop, quote, refused } from './seller.ts';
import type { Shop } from './seller.ts';

const shown = tries(200, 1_000);
let market: Market;
let shop: Shop;

beforeAll(async () => {
  market = await createMarket();
  // Long enough for a busy machine: how fast the chain answers is not the question here.
  shop = await openShop(market, { rpcTimeoutMs: 60_000 });
});

afterAll(async () => {
  await shop.close();
  await market.close();
});

const signed = (receipt: UnsignedReceipt, wallet = market.buyer) => signedHeader(receipt, wallet);

interface Outcome {
  status: number | undefined;
  code: unknown;
}

const request = (agent: Agent, url: string, headers = {}): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => void get(url, { agent, headers }, resolve).on('error', reject));

/**
 * Sends one request so often at once, each on a connection of its own. The connections are opened a hundred at a time:
 * more new ones at once can overflow the server's queue for them, and the kernel then resets some.
 */
const askAtOnce = async (count: number, url: string, header: string): Promise<Outcome[]> => {
  const agents = Array.from({ length: count }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  for (let opened = 0; opened < count; opened += 100)
    await Promise.all(
      agents.slice(opened, opened + 100).map(async (agent) => text(await request(agent, shop.url))),
    );
  const outcomes = await Promise.all(
    agents.map(async (agent) => {
      const response = await request(agent, url, { 'x-payment': header });
      const { code } = (await json(response)) as { code?: unknown };
      return { status: response.statusCode, code };
    }),
  );
  for (const agent of agents) agent.destroy();
  return outcomes;
};

describe('one payment is one grant', () => {
  test('the second presentation is refused because the first was served', async () => {
    const header = signed(await market.buy({ invoice: await quote(shop.forecast) }));
    expect((await ask(shop.forecast, header)).status).toBe(200);
    const again = await ask(shop.forecast, header);
    expect(refused(again)).toEqual({ status: 402, code: 'already_used' });
    expect(again.body['error']).toMatch(/was used before/);
  });

  test.each(['forecast', 'loose'] as const)(`${shown} at once on /%s: one is served`, async (route) => {
    const invoice = route === 'forecast' ? await quote(shop.forecast) : undefined;
    const header = signed(await market.buy({ invoice }));
    const outcomes = await askAtOnce(shown, shop[route], header);
    expect(outcomes).toHaveLength(shown);
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1);
    const rest = outcomes.filter(({ status }) => status !== 200);
    expect(new Set(rest.map(({ code }) => code))).toEqual(new Set(['already_used']));
  });

  test('one payment for each invoice: a second payment of the same is refused', async () => {
    const invoice = await quote(shop.forecast);
    const receipts = [await market.buy({ invoice }), await market.buy({ invoice })];
    const answers = await Promise.all(receipts.map((receipt) => ask(shop.forecast, signed(receipt))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 402]);
    const other = answers.find(({ status }) => status === 402);
    expect(other?.body['code']).toBe('invoice_used');
  });

  test('also through another spelling of the receipt, and with a fresh signature', async () => {
    const receipt = signReceipt(await market.buy({ invoice: await quote(shop.forecast) }), market.buyer);
    expect((await ask(shop.forecast, encodeReceipt(receipt))).status).toBe(200);
    const reversed = JSON.stringify(Object.fromEntries(Object.entries(receipt).toReversed()), null, 1);
    const spelled = await ask(shop.forecast, `v1.${Buffer.from(reversed).toString('base64')}`);
    expect(spelled.body['code']).toBe('already_used');
    const renamed = await ask(shop.forecast, signed({ ...receipt, service: 'other' }));
    expect(renamed.body['code']).toBe('already_used');
  });

  test('also after the store was closed and opened again, and on a second connection', async () => {
    const path = join(market.dataDir, 'reopened.db');
    const receipt = await market.buy();
    const present = async (store: GrantStore & { close(): void }) => {
      const own = await openShop(market, { store });
      const answer = await ask(own.loose, signed(receipt));
      await own.close();
      return answer;
    };
    const first = createGrantStore(path);
    expect((await present(first)).status).toBe(200);
    const beside = createGrantStore(path);
    expect((await present(beside)).body['code']).toBe('already_used');
    first.close();
    beside.close();
    const reopened = createGrantStore(path);
    expect((await present(reopened)).body['code']).toBe('already_used');
    reopened.close();
  });
});

describe('a payment that is not settled enough', () => {
  test('is answered with 402, retry and its own invoice, and stays unspent', async () => {
    const slow = await createMarket({ confirmMs: 3_600_000, finalizeMs: 7_200_000 });
    const own = await openShop(slow);
    const cheap = await slow.buy({ invoice: await quote(own.forecast) });
    // The test cannot read an unconfirmed block's time: any will do, since it is not checked yet.
    const early = await ask(own.forecast, signedHeader(cheap, slow.buyer));
    expect(refused(early)).toEqual({ status: 402, code: 'not_visible' });
    expect(early.body).toMatchObject({ retry: true, invoice: cheap.invoice, amount: '0.01' });
    expect(early.headers.get('retry-after')).toBe('2');
    await own.close();
    await slow.close();
  });

  test('above the cap has to be finalized, at or below it only confirmed', async () => {
    const slow = await createMarket({ confirmMs: 0, finalizeMs: 3_600_000 });
    const atCap = await openShop(slow, { confirmedUpTo: '0.01' });
    const receipt = await slow.buy({ invoice: await quote(atCap.forecast) });
    const header = signedHeader(receipt, slow.buyer);
    const above = await openShop(slow, { confirmedUpTo: '0.009999' });
    expect((await ask(above.forecast, header)).body['code']).toBe('not_visible');
    expect((await ask(atCap.forecast, header)).status).toBe(200);
    await above.close();
    await atCap.close();
    await slow.close();
  });
});
