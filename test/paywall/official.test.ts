// One 402 that official clients, unchanged, understand and pay, each in its own protocol.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tries } from '../harness/tries.ts';
import { openBazaar, type Bazaar, type ClientName } from './bazaar.ts';
import { ask, refused } from './seller.ts';

const times = tries(3, 10);
let bazaar: Bazaar;
beforeAll(async () => {
  bazaar = await openBazaar();
}, 600_000);
afterAll(() => bazaar.close());

describe.each<[ClientName, string]>([
  ['x402-v2', 'payment-signature'],
  ['x402-v1', 'x-payment'],
  ['mpp', 'authorization'],
])('the official client of %s', (name, header) => {
  it('buys, and the payment of its header is granted once', async () => {
    const url = `${bazaar.url}/report?by=${name}`;
    const { address } = (await bazaar.client(name)).says;
    const { status, body, settlement, sent } = await bazaar.buy(name, url);
    expect(status, body).toBe(200);
    const { payment } = JSON.parse(body) as { payment: Record<string, unknown> };
    expect(payment).toMatchObject({ dialect: name, amount: '0.01', payer: address, currency: 'USDC' });
    expect([settlement?.['transaction'], settlement?.['reference']]).toContain(payment['txSignature']);
    const landed = await bazaar.market.rpc('getTransaction', [
      payment['txSignature'],
      { encoding: 'json', maxSupportedTransactionVersion: 0 },
    ]);
    expect(landed).toMatchObject({ meta: { err: null } });

    const again = await ask(url, null, { headers: { [header]: sent[header] ?? '' } });
    expect(refused(again)).toEqual({
      status: 402,
      code: name === 'mpp' ? 'already_used' : expect.any(String),
    });
  });

  it(`buys ${times} times in a row, each a payment of its own`, async () => {
    const before = bazaar.served.length;
    for (let n = 0; n < times; n += 1) {
      // Equal payments of version 1 under one blockhash are one transaction: it has no memo.
      if (name === 'x402-v1') await bazaar.market.rpc('sandbox_warp', [2]);
      const { status, body } = await bazaar.buy(name, `${bazaar.url}/${name}/${n}`);
      expect(status, body).toBe(200);
    }
    const bought = bazaar.served.slice(before);
    expect(new Set(bought.map(({ txSignature }) => txSignature)).size).toBe(times);
  });
});
