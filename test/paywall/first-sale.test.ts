// What keeps a new seller from the first sale is said before it costs a buyer anything: a wallet that cannot be paid, a
// facilitator that refuses. And a seller behind a proxy is paid under whatever name it has there.
import type { RequestListener } from 'node:http';
import { Keypair } from '@solana/web3.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import { whyUnpayable } from '../../server/paywall/payable.ts';
import { paywall } from '../../server/paywall/paywall.ts';
import { associatedTokenAccount } from '../../server/paywall/token-account.ts';
import { createTransactionReader } from '../../server/paywall/transaction-reader.ts';
import type { PaywallOptions } from '../../server/paywall/types.ts';
import { challengeIn, pay, show } from './credentials.ts';
import { ask, closeServer, listen, refused } from './seller.ts';
import { market, shop, useShop } from './use-shop.ts';

useShop();
afterEach(() => void vi.restoreAllMocks());

/** What is said on standard error meanwhile. */
const hear = (): string[] => {
  const said: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  return said;
};
const openSeller = (more: Partial<PaywallOptions>) => {
  const paid = paywall({ ...shop.options, ...more });
  return listen((request, response) => void paid(request, response, () => void response.end('{}')));
};

const payee = (network: 'sandbox' | 'mainnet', recipient: string) => ({
  network,
  recipient,
  account: associatedTokenAccount(usdcMints.sandbox, recipient),
});

describe('a wallet without a USDC account', () => {
  it('is opened on the sandbox, and paid', async () => {
    const recipient = Keypair.generate().publicKey.toBase58();
    const { url, server } = await openSeller({ recipient });
    const { account } = payee('sandbox', recipient);
    const balance = () => market.rpc('getTokenAccountBalance', [account]).catch(() => null);
    await expect.poll(balance).not.toBeNull();
    expect((await show(url, await pay(market, 'mpp', url))).status).toBe(200);
    expect(await balance()).toMatchObject({ value: { amount: '10000' } });
    await closeServer(server);
  });

  it('is named on another network, with what to do', async () => {
    const reader = createTransactionReader({ rpcUrl: market.rpcUrl, network: 'sandbox', timeoutMs: 5_000 });
    const stranger = Keypair.generate().publicKey.toBase58();
    const why = await whyUnpayable(reader, payee('mainnet', stranger));
    expect(why).toBe(
      `the wallet ${stranger} has no USDC account yet, so that nobody can pay it: send it any amount of USDC once`,
    );
    expect(await whyUnpayable(reader, payee('mainnet', market.seller.publicKey.toBase58()))).toBeNull();
  });
});

describe('a facilitator that', () => {
  const secret = 'whispered';
  it.each<[string, RequestListener, string, RegExp]>([
    [
      'refuses',
      (_, response) => void response.writeHead(401).end(`{"error":"${secret}"}`),
      'the facilitator answers 401',
      /the facilitator answers 401: "\{\\"error\\":\\"whispered/,
    ],
    [
      'serves another network',
      (_, response) => void response.end('{"kinds":[]}'),
      'the facilitator serves no payments of scheme exact on sandbox',
      /serves no payments of scheme exact on sandbox/,
    ],
    [
      'is none',
      (_, response) => void response.end('{}'),
      'the facilitator answers /supported with no list of kinds',
      /no list of kinds/,
    ],
  ])('%s is said once, and in each 402 without its words', async (_, listener, told, words) => {
    const said = hear();
    const facilitator = await listen(listener);
    const { url, server } = await openSeller({ facilitator: facilitator.url });
    for (let times = 0; times < 3; times += 1) {
      const { status, body } = await ask(url);
      expect([status, body['notOffered']]).toEqual([402, { x402: told }]);
      expect(JSON.stringify(body)).not.toContain(secret);
    }
    const heard = said.filter((text) => text.includes('x402 is not offered'));
    expect(heard).toEqual([expect.stringMatching(words)]);
    await closeServer(server);
    await closeServer(facilitator.server);
  });
});

describe('a facilitator that wants a key', () => {
  it.each(['its headers', 'a function'])(
    'gets it from %s, and what it quotes of it is not repeated',
    async (how) => {
      const said = hear();
      const key = 'sesame-4711';
      const asked: unknown[] = [];
      const { url: own, server: other } = await listen(({ url, headers }, response) => {
        asked.push([url, headers.authorization]);
        response.writeHead(403).end(`who is ${headers.authorization}, by ${how}?`);
      });
      const headers = { authorization: `Bearer ${key}` };
      const { url, server } = await openSeller({
        facilitator: own,
        facilitatorHeaders:
          how === 'a function' ? (to) => (to === `${own}/supported` ? headers : {}) : headers,
      });
      expect((await ask(url)).body['notOffered']).toEqual({ x402: 'the facilitator answers 403' });
      expect(asked).toEqual([['/supported', `Bearer ${key}`]]);
      expect(said.join('')).toContain(`answers 403: "who is …, by ${how}?"`);
      await closeServer(server);
      await closeServer(other);
    },
  );
});

describe('the realm of MPP', () => {
  it('is the host, and a payment under another name of it is served', async () => {
    const { url } = shop;
    const target = `${url}/forecast?city=Rome`;
    const credential = await pay(market, 'mpp', target);
    expect(credential.json['challenge'].realm).toBe('127.0.0.1');
    const [{ challenge }] = [challengeIn(await ask(target.replace('127.0.0.1', 'localhost')))];
    expect(challenge['realm']).toBe('localhost');
    credential.json['challenge'].realm = market.seller.publicKey.toBase58();
    expect((await show(target, credential)).status).toBe(200);
    expect(refused(await show(target, credential))).toEqual({ status: 402, code: 'already_used' });
  });
});
