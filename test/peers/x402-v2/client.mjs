// The official client: @x402/fetch with @x402/svm's exact scheme, on keys of its own and the chain's RPC alone.
// Settings: rpcUrl, units (micro-USDC that it is given). First line: address. Then it pays and fetches the URL on each
// line of standard input, and answers with a line {status, body, settlement, sent, ms}: `sent` are the headers of its
// last request, and ms is measured here, without the pipe.
import { createInterface } from 'node:readline';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/client';
import { generateKeyPairSigner } from '@solana/kit';
import { giveUsdc, ready, settings } from '../program.mjs';

const keys = await generateKeyPairSigner();
await giveUsdc(keys.address, settings.units);
const { rpcUrl } = settings;
const client = new x402Client()
  .register('solana:*', new ExactSvmScheme(keys, { rpcUrl }))
  .registerV1('solana', new ExactSvmSchemeV1(keys, { rpcUrl }));
let sent = {};
const watched = (input, init) => {
  const request = new Request(input, init);
  sent = Object.fromEntries(request.headers);
  return fetch(request);
};
const paidFetch = wrapFetchWithPayment(watched, client);
ready({ address: keys.address });

for await (const url of createInterface(process.stdin)) {
  try {
    const begin = performance.now();
    const response = await paidFetch(url);
    const body = await response.text();
    const ms = performance.now() - begin;
    const header = response.headers.get('payment-response');
    const settlement = header === null ? null : decodePaymentResponseHeader(header);
    ready({ status: response.status, body, settlement, sent, ms });
  } catch (error) {
    ready({ status: 0, body: String(error), settlement: null, sent, ms: 0 });
  }
}
