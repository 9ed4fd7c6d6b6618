// One payment is one grant, however often, at once and in whatever spelling it is shown, and one refund.
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import bs58 from 'bs58';
import { describe, expect, it, test } from 'vitest';
import { encodeReceipt } from '../../server/lib/solana/receipt.ts';
import { createGrantStore } from '../../server/paywall/store/grant-store.ts';
import { paywall } from '../../server/paywall/paywall.ts';
import { readSales } from '../../server/paywall/store/sales.ts';
import type { GrantStore, Payment, PaywallOptions, Signer } from '../../server/paywall/types.ts';
import { tries } from '../harness/tries.ts';
import { signBytes, signedHeader, signReceipt } from '../x402/keys.ts';
import { createMarket, memo as memoOf, tokenAccount, transfer } from '../x402/market.ts';
import { createRelay } from './relay.ts';
import { ask, openShop, quote, refused, type Shop } from './seller.ts';
import { market, shop, signed, useShop } from './use-shop.ts';

const shown = tries(200, 1_000);
// Long enough for a busy machine: how fast the chain answers is not the question here.
useShop({ rpcTimeoutMs: 60_000 });

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

const signer: Signer = (message) => signBytes(market.seller, message);
const refunder = (more: Partial<PaywallOptions> = {}) => paywall({ ...shop.options, ...more });

const sold = async (): Promise<Payment> => {
  const header = signed(await market.buy({ invoice: await quote(shop.forecast) }));
  const { status, body } = await ask(shop.forecast, header);
  expect(status).toBe(200);
  return body['payment'] as Payment;
};

const buyerHas = async (): Promise<bigint> => {
  const account = tokenAccount(market.buyer.publicKey).toBase58();
  const { value } = (await market.rpc('getTokenAccountBalance', [account])) as { value: { amount: string } };
  return BigInt(value.amount);
};

/** A store whose process ends before it notes that a refund has landed. */
const forgetful = (): Shop['store'] => ({
  ...shop.store,
  saveRefund: (refund, insteadOf) => refund.landed !== true && shop.store.saveRefund(refund, insteadOf),
});
const says = (result: unknown): [number, string] => [200, JSON.stringify({ jsonrpc: '2.0', id: 1, result })];
const touch = () => transfer(market.buyer.publicKey, market.seller.publicKey, 1n);

describe('a refund', () => {
  it('sends the whole payment back to its payer, with a memo that names it', async () => {
    const payment = await sold();
    const before = await buyerHas();
    const { txSignature, status } = await refunder().refund(payment, signer);
    expect(status).toBe('confirmed');
    expect(await buyerHas()).toBe(before + 10_000n);
    const found = await market.rpc('getTransaction', [txSignature, { encoding: 'jsonParsed' }]);
    expect(JSON.stringify(found)).toContain(`refund:${payment.txSignature}`);
  });

  it('is made once, however often and at once it is asked for, also by another process', async () => {
    const payment = await sold();
    const before = await buyerHas();
    const [one, other] = [refunder(), refunder()];
    const calls = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : other).refund(payment, signer));
    const made = await Promise.all(calls);
    await market.rpc('sandbox_warp', [1_000]);
    made.push(await refunder().refund(payment, signer));
    expect(new Set(made.map(({ txSignature }) => txSignature)).size).toBe(1);
    expect(await buyerHas()).toBe(before + 10_000n);
  });

  it('whose answer was lost is the same transaction when it is asked for again', async () => {
    const payment = await sold();
    const before = await buyerHas();
    const { relay, url, close } = await createRelay(market.rpcUrl);
    // From the moment that it is sent, nothing is heard.
    let isSent = false;
    relay.lose = (method) => (isSent ||= method === 'sendTransaction');
    const lost = refunder({ rpcUrl: url });
    await expect(lost.refund(payment, signer)).rejects.toThrow('Call refund again');
    relay.lose = null;
    expect((await lost.refund(payment, signer)).status).toBe('confirmed');
    await market.rpc('sandbox_warp', [1_000]);
    expect((await refunder().refund(payment, signer)).status).toBe('confirmed');
    expect(await buyerHas()).toBe(before + 10_000n);
    await close();
  });

  it('that was never sent is made again, but only once it can no longer land', async () => {
    const payment = await sold();
    const before = await buyerHas();
    const { relay, url, close } = await createRelay(market.rpcUrl);
    relay.fault = (method) => (method === 'sendTransaction' ? 'drop' : null);
    const cut = refunder({ rpcUrl: url });
    for (let n = 0; n < 3; n += 1) await expect(cut.refund(payment, signer)).rejects.toThrow('again');
    const first = shop.store.findRefund(payment.txSignature);
    relay.fault = null;
    await market.rpc('sandbox_warp', [1_000]);
    const { txSignature, status } = await cut.refund(payment, signer);
    expect(status).toBe('confirmed');
    expect(first).toMatchObject({ refundSignature: expect.not.stringMatching(txSignature) });
    expect(await buyerHas()).toBe(before + 10_000n);
    await close();
  });

  it('is not replaced on the word of a node that lags behind', async () => {
    const payment = await sold();
    const before = await buyerHas();
    const made = await refunder({ store: forgetful() }).refund(payment, signer);
    await market.rpc('sandbox_warp', [1_000]);
    const { relay, url, close } = await createRelay(market.rpcUrl);
    relay.fault = (method) => {
      if (method === 'getSignatureStatuses') return says({ context: { slot: 1 }, value: [null] });
      return method === 'getSignaturesForAddress' ? says([]) : null;
    };
    await expect(refunder({ rpcUrl: url }).refund(payment, signer)).rejects.toThrow('again');
    expect(shop.store.findRefund(payment.txSignature)).toMatchObject({ refundSignature: made.txSignature });
    expect(await buyerHas()).toBe(before + 10_000n);
    await close();
  });

  it('that was seen confirmed is final, also when the chain has forgotten it', async () => {
    const payment = await sold();
    const before = await buyerHas();
    const made = await refunder().refund(payment, signer);
    await market.rpc('sandbox_warp', [1_000]);
    const { relay, url, close } = await createRelay(market.rpcUrl);
    relay.fault = (method) => {
      if (method === 'getSignatureStatuses') return says({ context: { slot: 1e9 }, value: [null] });
      return method === 'getSignaturesForAddress' ? says([]) : null;
    };
    expect(await refunder({ rpcUrl: url }).refund(payment, signer)).toEqual(made);
    expect(await buyerHas()).toBe(before + 10_000n);
    await close();
  });

  it('is found in the history of the account that was paid, also behind others’ memos', async () => {
    const payment = await sold();
    const before = await buyerHas();
    const made = await refunder({ store: forgetful() }).refund(payment, signer);
    // Anybody may write such a memo.
    const memo = { instructions: () => [memoOf(`refund:${payment.txSignature}`), touch()] };
    await market.buy(memo);
    await market.rpc('sandbox_warp', [1_000]);
    const { relay, url, close } = await createRelay(market.rpcUrl);
    relay.fault = (method) =>
      method === 'getSignatureStatuses' ? says({ context: { slot: 1e9 }, value: [null] }) : null;
    const seen = await refunder({ rpcUrl: url }).refund(payment, signer);
    expect(seen).toEqual(made);
    expect(await buyerHas()).toBe(before + 10_000n - 1n);
    await close();
  });

  it('of a part sends that part, is the only one, and is told with the sale', async () => {
    const payment = await sold();
    const before = await buyerHas();
    const part = { amount: '0.004' };
    const made = await refunder().refund(payment, signer, part);
    expect(made).toMatchObject({ amount: '0.004', status: 'confirmed' });
    expect(await refunder().refund(payment, signer, part)).toEqual(made);
    for (const other of [{}, { amount: '0.006' }])
      await expect(refunder().refund(payment, signer, other)).rejects.toThrow('has a refund of 0.004 USDC');
    expect(await buyerHas()).toBe(before + 4_000n);
    const raw = new Database(join(market.dataDir, 'grants.db'), { readonly: true });
    const refund = { txSignature: made.txSignature, amount: '0.004', landed: true };
    expect([...readSales(raw)].find((one) => one.txSignature === payment.txSignature)).toMatchObject({
      refund,
    });
    raw.close();
  });

  it('of two parts at once is one of them', async () => {
    const payment = await sold();
    const before = await buyerHas();
    const parts = Array.from({ length: 10 }, (_, n) => ({ amount: n % 2 === 0 ? '0.003' : '0.004' }));
    const calls = parts.map((part) => refunder().refund(payment, signer, part));
    const made = (await Promise.allSettled(calls)).flatMap((one) =>
      one.status === 'fulfilled' ? [one.value] : [],
    );
    expect(new Set(made.map(({ txSignature }) => txSignature)).size).toBe(1);
    expect(await buyerHas()).toBe(before + BigInt(Number(made[0]?.amount) * 1_000_000));
  });

  it.each(['0', '0.010001', '-0.01', '', 'all'])('of %j is not made', async (amount) => {
    const payment = await sold();
    await expect(refunder().refund(payment, signer, { amount })).rejects.toThrow('refund: amount must be');
    expect(shop.store.findRefund(payment.txSignature)).toBeUndefined();
  });

  it.each<[string, (payment: Payment) => [Payment, Signer], string]>([
    [
      'of a payment that was not granted',
      (sale) => [{ ...sale, txSignature: 'x' }, signer],
      'not granted here',
    ],
    ['of another amount', (sale) => [{ ...sale, amount: '0.02' }, signer], '0.01 USDC were paid'],
    ['to another payer', (sale) => [{ ...sale, payer: sale.recipient }, signer], 'was made by'],
    [
      'signed by another key',
      (sale) => [sale, (message) => signBytes(market.buyer, message)],
      'did not sign',
    ],
    ['with a signature of nothing', (sale) => [sale, () => new Uint8Array(64)], 'did not sign'],
  ])('%s is not made', async (_, change, words) => {
    const payment = await sold();
    const before = await buyerHas();
    await expect(refunder().refund(...change(payment))).rejects.toThrow(words);
    expect(await buyerHas()).toBe(before);
    expect(shop.store.findRefund(payment.txSignature)).toBeUndefined();
  });

  it('is not signed on a blockhash that brings instructions of its own', async () => {
    const payment = await sold();
    const { relay, url, close } = await createRelay(market.rpcUrl);
    const blockhash = bs58.encode(Buffer.alloc(33, 1));
    relay.fault = (method) =>
      method === 'getLatestBlockhash'
        ? says({ value: { blockhash, lastValidBlockHeight: 1_000_000 } })
        : null;
    const asked: Uint8Array[] = [];
    const noting: Signer = (message) => {
      asked.push(message);
      return signer(message);
    };
    await expect(refunder({ rpcUrl: url }).refund(payment, noting)).rejects.toThrow('blockhash');
    expect(asked).toEqual([]);
    expect(shop.store.findRefund(payment.txSignature)).toBeUndefined();
    await close();
  });

  it('needs a store that keeps refunds', async () => {
    const { findRefund: _, ...store } = shop.store;
    const wall = refunder({ store: store as PaywallOptions['store'] });
    await expect(wall.refund(await sold(), signer)).rejects.toThrow('the store must have findRefund');
  });
});
