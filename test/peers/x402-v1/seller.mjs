// A seller with the official x402-express middleware of protocol v1.
// Settings: rpcUrl, facilitatorUrl. First line: url, payTo.
//   GET  /weather    0.01 USDC
//   POST /translate  0.04 USDC, and answers the body it was sent
import { generateKeyPairSync } from 'node:crypto';
import { base58 } from '@scure/base';
import express from 'express';
import { paymentMiddleware } from 'x402-express';
import { giveUsdc, listen, ready, settings } from '../program.mjs';

const key = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' });
const payTo = base58.encode(key.subarray(-32));
await giveUsdc(payTo);

const app = express();
app.use(express.text({ type: '*/*' }));
app.use(
  paymentMiddleware(
    payTo,
    {
      'GET /weather': { price: '$0.01', network: 'solana' },
      'POST /translate': { price: '$0.04', network: 'solana' },
    },
    { url: settings.facilitatorUrl },
  ),
);
let answered = 0;
app.use((request, response) => {
  answered += 1;
  response.json({
    answered,
    method: request.method,
    url: request.originalUrl,
    body: typeof request.body === 'string' ? request.body : null,
  });
});
ready({ url: await listen(app), payTo });
