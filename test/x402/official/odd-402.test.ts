// What real sellers send instead of what the protocols say: each 402 is shown to the official client and to a treasury,
// and whatever the official client pays, the treasury pays. The seller notes who pays, and settles nothing.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Keypair, PublicKey } from '@solana/web3.js';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rpcCall } from '../../harness/treasury.ts';
import { base64, challengeOf, mint, mppRequest, quote, v1Entry, v2Entry } from '../dialects/samples.ts';
import type { Peer, PeerName } from '../../harness/programs/peers.ts';
import { newBuyer, openShop, paidFetch, type Buyer } from './shop.ts';

interface Odd {
  headers?: Record<string, string>;
  body?: string;
}
/** What a 402 names: a payee with a USDC account, and the URL that was asked. */
interface Scene {
  payTo: string;
  url: string;
}
type Make = (scene: Scene) => Odd;

const wallet = Keypair.generate().publicKey;
const [multisig] = PublicKey.findProgramAddressSync(
  [Buffer.from('vault'), wallet.toBytes()],
  new PublicKey('SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf'),
);
const payees = { wallet: wallet.toBase58(), multisig: multisig.toBase58() };
const emptyMultisig = PublicKey.findProgramAddressSync([Buffer.from('empty')], multisig)[0].toBase58();
/** Somebody opened a USDC account that the wallet's USDC account owns. Nobody can spend from it. */
const usdcAccount = getAssociatedTokenAddressSync(new PublicKey(mint), wallet).toBase58();

const v2 =
  (changes: object, required: object = {}, before = ''): Make =>
  (scene) => ({
    headers: {
      'payment-required': base64(
        before +
          JSON.stringify({
            x402Version: 2,
            resource: { url: scene.url, description: '', mimeType: '' },
            accepts: [v2Entry({ payTo: scene.payTo, ...changes })],
            ...required,
          }),
      ),
    },
    body: '{}',
  });
const v1 =
  (changes: object, before = ''): Make =>
  (scene) => ({
    body:
      before +
      JSON.stringify({
        x402Version: 1,
        error: 'pay',
        accepts: [
          v1Entry({ payTo: scene.payTo, resource: scene.url, description: '', mimeType: '', ...changes }),
        ],
      }),
  });
/** Equal charges under one blockhash would be one transaction of the official client. */
let charges = 0;
const mpp = (request: object, parameters: Record<string, string | null> = {}): Make => {
  charges += 1;
  const amount = String(10_000 + charges);
  return ({ payTo }) => ({
    headers: {
      'www-authenticate': challengeOf(
        mppRequest({ amount, recipient: payTo, ...request }, { network: 'localnet' }),
        parameters,
      ),
    },
    body: '{}',
  });
};
const soon = new Date(Date.now() + 3_600_000).toISOString();

/** The official client's program, what it does, and what a treasury does. */
const odd: [
  name: string,
  client: PeerName | null,
  official: 'pays' | 'refuses',
  ours: 'pays' | 'refuses',
  make: Make,
][] = [
  ['version 2 as it is specified', 'x402-v2', 'pays', 'pays', v2({})],
  ['no resource', 'x402-v2', 'pays', 'pays', v2({}, { resource: undefined })],
  ['a resource that is null', 'x402-v2', 'pays', 'pays', v2({}, { resource: null })],
  ['a resource that is text', 'x402-v2', 'pays', 'pays', v2({}, { resource: 'weather' })],
  ['an amount that is a number', 'x402-v2', 'pays', 'pays', v2({ amount: 10_000 })],
  ['a byte order mark in the header', 'x402-v2', 'pays', 'pays', v2({}, {}, '\ufeff')],
  ['a multisig as the payee', 'x402-v2', 'pays', 'pays', v2({ payTo: payees.multisig })],
  [
    'strange entries first',
    'x402-v2',
    'refuses',
    'pays',
    (scene) => v2({}, { accepts: [null, 7, v2Entry({ payTo: scene.payTo })] })(scene),
  ],
  ['extensions that are null', 'x402-v2', 'pays', 'pays', v2({}, { extensions: null })],
  [
    'the offer in the body alone',
    'x402-v2',
    'refuses',
    'pays',
    (scene) => ({
      body: Buffer.from(v2({})(scene).headers?.['payment-required'] ?? '', 'base64').toString('utf8'),
    }),
  ],
  // The payer cannot get this money back, nor can the payee: nothing is paid into an account that nobody owns.
  ['a multisig without a USDC account', 'x402-v2', 'pays', 'refuses', v2({ payTo: emptyMultisig })],
  ['a token account as the payee', 'x402-v2', 'pays', 'refuses', v2({ payTo: usdcAccount })],
  ['version 1 as it is specified', 'x402-v2', 'pays', 'pays', v1({})],
  ['version 1 behind a byte order mark', 'x402-v2', 'pays', 'pays', v1({}, '\ufeff')],
  ['version 1 with a number', 'x402-v2', 'pays', 'pays', v1({ maxAmountRequired: 10_000 })],
  ['version 1 with a multisig', 'x402-v2', 'pays', 'pays', v1({ payTo: payees.multisig })],
  ['MPP as it is specified', 'mpp', 'pays', 'pays', mpp({}, { expires: soon })],
  [
    'quotes in the description',
    'mpp',
    'pays',
    'pays',
    mpp({}, { expires: soon, description: 'for "Premium" service' }),
  ],
  ['MPP without an expiry', 'mpp', 'pays', 'pays', mpp({})],
  ['MPP with a number', 'mpp', 'pays', 'pays', mpp({ amount: 10_900 }, { expires: soon })],
  ['MPP with a multisig', 'mpp', 'pays', 'pays', mpp({ recipient: payees.multisig }, { expires: soon })],
  // Our own protocol lets the payer open an account, for a wallet alone.
  [
    'a receipt for an empty multisig',
    null,
    'refuses',
    'refuses',
    () => ({ body: JSON.stringify(quote({ recipient: emptyMultisig })) }),
  ],
  [
    'a receipt for a multisig',
    null,
    'refuses',
    'pays',
    () => ({ body: JSON.stringify(quote({ recipient: payees.multisig })) }),
  ],
  ['a time in small letters', 'mpp', 'refuses', 'pays', mpp({}, { expires: soon.toLowerCase() })],
];

let shop: Buyer;
const clients = new Map<PeerName, Peer>();
const paidAt = new Set<string>();
let origin = '';
const seller = createServer((request, response) => {
  const { url = '/', headers } = request;
  const make = odd[Number(url.split('/')[1])]?.[4];
  if (headers['payment-signature'] ?? headers['x-payment'] ?? headers.authorization?.startsWith('Payment ')) {
    paidAt.add(url);
    return void response.end('sold');
  }
  const { headers: offer = {}, body = '' } = make?.({ payTo: payees.wallet, url: origin + url }) ?? {};
  response.writeHead(402, { 'content-type': 'application/json', ...offer }).end(body);
});

beforeAll(async () => {
  seller.listen(0, '127.0.0.1');
  await once(seller, 'listening');
  origin = `http://127.0.0.1:${(seller.address() as AddressInfo).port}`;
  const opened = await openShop(
    async (open) => {
      for (const name of ['x402-v2', 'mpp'] as const)
        clients.set(name, await open(name, 'client', { units: '1000000' }));
    },
    [origin],
  );
  shop = await newBuyer(opened, 'buyer');
  for (const owner of [payees.wallet, payees.multisig, usdcAccount])
    await rpcCall(shop.rpcUrl, 'sandbox_fundUsdc', [owner, '0']);
}, 600_000);
afterAll(async () => {
  await shop.close();
  seller.close();
});

describe('an odd 402', () => {
  it.each(odd.map(([name, client, official, ours], index) => ({ name, client, official, ours, index })))(
    '$name: the official client $official, a treasury $ours',
    async ({ client, official, ours, index }) => {
      const said = client === null ? null : await clients.get(client)?.ask(`${origin}/${index}/official`);
      const did = paidAt.has(`/${index}/official`) ? 'pays' : 'refuses';
      expect([did, said]).toEqual([official, said]);
      const answer = await paidFetch(shop, { url: `${origin}/${index}/ours`, method: 'GET' });
      expect([paidAt.has(`/${index}/ours`) ? 'pays' : 'refuses', answer.text]).toEqual([ours, answer.text]);
    },
  );

  it('is paid where the official client pays it, but where the money would be lost', () => {
    const lost = odd.filter(([, , official, ours]) => official === 'pays' && ours === 'refuses');
    expect(lost.map(([name]) => name)).toEqual([
      'a multisig without a USDC account',
      'a token account as the payee',
    ]);
  });
});
