// A seller with the official mppx and @solana/mpp.
// Settings: rpcUrl. First line: url, recipient, feePayer.
//   /push             0.01 USDC; the buyer sends the transaction
//   /push-identified  0.01 USDC, with an identifier that has to be in the memo
//   /pull             0.02 USDC; the seller pays the fee
//   /pull-identified  0.02 USDC, likewise with an identifier
//   /splits           0.03 USDC, 0.005 of it to another recipient; the buyer sends the transaction
//   /splits-pull      0.04 USDC to eight more recipients, with memos; the seller pays the fee
//   /splits-closed    0.03 USDC, a part of it to a recipient without an account
import { randomBytes } from 'node:crypto';
import { generateKeyPairSigner } from '@solana/kit';
import { Mppx, solana } from '@solana/mpp/server';
import { giveSol, giveUsdc, listen, ready, settings } from '../program.mjs';

const currency = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const [recipient, ...others] = await Promise.all(
  Array.from({ length: 9 }, async () => {
    const { address } = await generateKeyPairSigner();
    await giveUsdc(address);
    return address;
  }),
);
const { address: closed } = await generateKeyPairSigner();
const parts = others.map((to, n) => ({ recipient: to, amount: String(1_000 + n), memo: `part ${n}` }));
const signer = await generateKeyPairSigner();
await giveSol(signer.address);

const secretKey = randomBytes(32).toString('base64');
const charge = (parameters = {}) =>
  Mppx.create({
    secretKey,
    realm: 'peers.test',
    methods: [
      solana.charge({
        recipient,
        currency,
        decimals: 6,
        network: 'mainnet-beta',
        rpcUrl: settings.rpcUrl,
        ...parameters,
      }),
    ],
  }).charge;
const [push, pull] = [charge(), charge({ signer })];
const offers = {
  '/push': push({ amount: '10000', currency }),
  '/push-identified': push({ amount: '10000', currency, externalId: 'order 17' }),
  '/pull': pull({ amount: '20000', currency }),
  '/pull-identified': pull({ amount: '20000', currency, externalId: 'order 18' }),
  '/splits': charge({ splits: [{ recipient: others[0], amount: '5000' }] })({ amount: '30000', currency }),
  '/splits-pull': charge({ signer, splits: parts })({ amount: '40000', currency, externalId: 'order 19' }),
  '/splits-closed': charge({ splits: [{ recipient: closed, amount: '5000' }] })({
    amount: '30000',
    currency,
  }),
};

let answered = 0;
const answer = async (request) => {
  const { pathname, search } = new URL(request.url);
  const offer = offers[pathname];
  if (offer === undefined) return new Response('no such thing', { status: 404 });
  const result = await offer(request);
  if (result.status === 402) return result.challenge;
  answered += 1;
  return result.withReceipt(Response.json({ answered, method: request.method, url: pathname + search }));
};

let base = '';
base = await listen(async (incoming, outgoing) => {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  try {
    const response = await answer(
      new Request(`${base}${incoming.url}`, {
        method: incoming.method,
        headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      }),
    );
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  } catch (error) {
    outgoing.writeHead(500).end(String(error));
  }
});
ready({ url: base, recipient, others: others.join(), feePayer: signer.address });
