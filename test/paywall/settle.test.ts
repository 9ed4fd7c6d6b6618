// A seller that settles by itself: official clients buy from it, unchanged, and its key pays the fee and nothing else.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trySeller } from '../../server/customer/try-seller.ts';
import { createPlayWallet } from '../../server/customer/wallet.ts';
import { usdc } from '../../server/money.ts';
import { keySignerOf } from '../../server/paywall/key-file.ts';
import { createTransactionReader } from '../../server/paywall/transaction-reader.ts';
import { deploy, openTreasury } from '../harness/treasury.ts';
import { mint } from '../x402/market.ts';
import { openBazaar, type Bazaar, type ClientName } from './bazaar.ts';
import type { Foreign } from './credentials.ts';
import { ask, closeServer, listen, refused } from './seller.ts';

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
    const repeated = await ask(url, null, { headers: { [header]: sent[header] ?? '' } });
    expect(refused(repeated)).toEqual({ status: 402, code: 'already_used' });
  });
});

describe('our own buyers', () => {
  it('a customer finds nothing wrong in any protocol', async () => {
    const { rpcUrl } = bazaar.market;
    const reader = createTransactionReader({ rpcUrl, network: 'sandbox', timeoutMs: 60_000 });
    const wallet = await createPlayWallet(reader);
    const purse = { wallet, reader, network: 'sandbox' as const, mint: mint.toBase58() };
    const trial = { url: `${bazaar.url}/tried`, method: 'GET', body: null, most: usdc(1_000_000n) };
    const lines = await trySeller(purse, trial);
    expect(lines.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok', 'ok']);
  });

  it('a treasury pays in each protocol that the seller settles', async () => {
    let offered: Foreign = 'mpp';
    const partOf = { mpp: 'www-authenticate', 'x402-v2': 'payment-required', 'x402-v1': '' };
    // Passes on what one protocol needs: a treasury prefers receipts.
    const { url, server } = await listen((request, response) => {
      const headers = new Headers(request.headers as Record<string, string>);
      void fetch(`${bazaar.url}${request.url}`, { headers }).then(async (answer) => {
        const { x402Version, accepts, ...rest } = (await answer.json()) as Record<string, unknown>;
        const names = answer.ok
          ? ['payment-response', 'x-payment-response', 'payment-receipt']
          : [partOf[offered]];
        for (const name of names) {
          const value = name === '' ? null : answer.headers.get(name);
          if (value !== null) response.setHeader(name, value);
        }
        const offer = offered === 'x402-v1' ? { x402Version, accepts } : {};
        response.writeHead(answer.status).end(JSON.stringify(answer.ok ? rest : offer));
      });
    });
    const { rpcUrl } = bazaar.market;
    const ws = rpcUrl.replace('http', 'ws');
    const treasury = await openTreasury({ args: ['--rpc', rpcUrl, '--ws', ws, '--allow-origin', url] });
    await treasury.client.post('/v1/sandbox/faucet', { amount: '100' });
    const agent = await deploy(treasury.client, 'buyer');
    for (offered of ['mpp', 'x402-v2', 'x402-v1'] as const) {
      const asked = { url: `${url}/for/${offered}` };
      const bought = await agent.client.post('/v1/agents/buyer/fetch', asked, { key: offered });
      expect(bought.body, bought.text).toMatchObject({ status: 200, payment: { dialect: offered } });
    }
    await treasury.close();
    await closeServer(server);
  });
});
