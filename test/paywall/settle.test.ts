// A seller that settles by itself: official clients buy from it, unchanged, and its key pays the fee and nothing else.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keySignerOf } from '../../server/paywall/key-file.ts';
import { openBazaar, type Bazaar, type ClientName } from './bazaar.ts';
import { ask, refused } from './seller.ts';

const feePayer = keySignerOf(randomBytes(32));
let bazaar: Bazaar;
beforeAll(async () => {
  bazaar = await openBazaar({ settle: { feePayer } });
}, 600_000);
afterAll(() => bazaar.close());

const lamportsOf = async (address: string): Promise<number> =>
  ((await bazaar.market.rpc('getBalance', [address])) as { value: number }).value;

describe.each<[ClientName, string]>([
  ['x402-v2', 'payment-signature'],
  ['x402-v1', 'x-payment'],
  ['mpp', 'authorization'],
])('the official client of %s, which has no SOL', (name, header) => {
  it('buys, once, and the fee is all that the key pays', async () => {
    const before = await lamportsOf(feePayer.address);
    const url = `${bazaar.url}/report?by=${name}`;
    const { status, body, sent, settlement } = await bazaar.buy(name, url);
    expect(status, body).toBe(200);
    const payment = bazaar.served.at(-1);
    expect(payment).toMatchObject({ dialect: name, amount: '0.01' });
    expect([settlement?.['transaction'], settlement?.['reference']]).toContain(payment?.txSignature);
    const fee = before - (await lamportsOf(feePayer.address));
    expect(fee).toBeGreaterThanOrEqual(10_000);
    expect(fee).toBeLessThan(10_100);
    const again = await ask(url, null, { headers: { [header]: sent[header] ?? '' } });
    expect(refused(again)).toEqual({ status: 402, code: 'already_used' });
  });
});
