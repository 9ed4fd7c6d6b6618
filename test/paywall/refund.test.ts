import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paywall } from '../../server/paywall/paywall.ts';
import type { Payment, PaywallOptions, Signer } from '../../server/paywall/types.ts';
import { signBytes, signedHeader } from '../x402/keys.ts';
import { createMarket, memo as memoOf, tokenAccount, transfer, type Market } from '../x402/market.ts';
import { createRelay } from './relay.ts';
import { ask, openShop, quote, type Shop } from './seller.ts';

let market: Market;
let shop: Shop;
beforeAll(async () => {
  market = await createMarket();
  shop = await openShop(market);
});
afterAll(async () => {
  await shop.close();
  await market.close();
});

const signer: Signer = (message) => signBytes(market.seller, message);
const refunder = (more: Partial<PaywallOptions> = {}) => paywall({ ...shop.options, ...more });

const sold = async (): Promise<Payment> => {
  const header = signedHeader(await market.buy({ invoice: await quote(shop.forecast) }), market.buyer);
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

  it('needs a store that keeps refunds', async () => {
    const { findRefund: _, ...store } = shop.store;
    const wall = refunder({ store: store as PaywallOptions['store'] });
    await expect(wall.refund(await sold(), signer)).rejects.toThrow('the store must have findRefund');
  });
});
