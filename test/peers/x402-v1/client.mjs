// The official client of protocol v1: x402-fetch, on keys of its own and the chain's RPC alone.
// Settings: rpcUrl, units (micro-USDC that it is given). First line: address. Then it pays and fetches the URL on each
// line of standard input, and answers with a line {status, body, settlement, sent, ms}: `sent` are the headers of its
// last request.
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { base58 } from '@scure/base';
import { createSigner } from 'x402/types';
import { decodeXPaymentResponse, wrapFetchWithPayment } from 'x402-fetch';
import { giveUsdc, ready, settings } from '../program.mjs';

const signer = await createSigner('solana', base58.encode(randomBytes(32)));
await giveUsdc(signer.address, settings.units);
let sent = {};
const watched = (input, init) => {
  sent = Object.fromEntries(new Headers(init?.headers));
  return fetch(input, init);
};
const paidFetch = wrapFetchWithPayment(watched, signer, 1_000_000n, undefined, {
  svmConfig: { rpcUrl: settings.rpcUrl },
});
ready({ address: signer.address });

for await (const url of createInterface(process.stdin)) {
  try {
    const begin = performance.now();
    const response = await paidFetch(url);
    const body = await response.text();
    const ms = performance.now() - begin;
    const header = response.headers.get('x-payment-response');
    const settlement = header === null ? null : decodeXPaymentResponse(header);
    ready({ status: response.status, body, settlement, sent, ms });
  } catch (error) {
    ready({ status: 0, body: String(error), settlement: null, sent, ms: 0 });
  }
}
