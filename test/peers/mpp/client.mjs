// The official client: mppx with @solana/mpp's charge, on keys of its own and the chain's RPC alone. It sends its
// transactions itself, or, with `pull`, lets the seller send them and has no SOL.
// Settings: rpcUrl, units (micro-USDC that it is given), pull. First line: address. Then it pays and fetches the URL on each
// line of standard input, and answers with a line {status, body, settlement, sent, ms}: `sent` are the headers of its
// last request.
import { createInterface } from 'node:readline';
import { generateKeyPairSigner } from '@solana/kit';
import { Mppx, solana } from '@solana/mpp/client';
import { Receipt } from 'mppx';
import { giveSol, giveUsdc, ready, settings } from '../program.mjs';

const signer = await generateKeyPairSigner();
if (!settings.pull) await giveSol(signer.address);
await giveUsdc(signer.address, settings.units);
let sent = {};
const watched = (input, init) => {
  const request = new Request(input, init);
  sent = Object.fromEntries(request.headers);
  return fetch(request);
};
const method = solana.charge({ signer, rpcUrl: settings.rpcUrl, broadcast: !settings.pull });
const mppx = Mppx.create({ methods: [method], fetch: watched, polyfill: false });
ready({ address: signer.address });

for await (const url of createInterface(process.stdin)) {
  try {
    const begin = performance.now();
    const response = await mppx.fetch(url);
    const body = await response.text();
    const ms = performance.now() - begin;
    const header = response.headers.get('payment-receipt');
    const settlement = header === null ? null : Receipt.deserialize(header);
    ready({ status: response.status, body, settlement, sent, ms });
  } catch (error) {
    ready({ status: 0, body: String(error.stack), settlement: null, sent, ms: 0 });
  }
}
