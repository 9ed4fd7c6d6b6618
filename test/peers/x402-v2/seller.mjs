// A seller with the official @x402/express middleware. It sells one object that names the request.
// Settings: rpcUrl, facilitatorUrl. First line: url, payTo.
//   GET  /weather       0.01 USDC
//   GET  /free          nothing
//   GET  /failing       0.01 USDC, and answers 500 before it settles
//   GET  /invoice/:memo 0.02 USDC, and wants `memo-<memo>` in the transaction's memo
//   GET  /same-memo     0.02 USDC, with one memo for everybody
//   GET  /blockhash     0.01 USDC, with a recent blockhash in the offer
//   GET  /identified    0.03 USDC, and wants to be given a payment identifier, which it answers
//   POST /translate     0.04 USDC, and answers the body it was sent
//   GET  /signed        0.01 USDC, with a signed offer and a signed receipt
import { generateKeyPairSync, sign } from 'node:crypto';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import {
  declarePaymentIdentifierExtension,
  extractPaymentIdentifier,
  PAYMENT_IDENTIFIER,
} from '@x402/extensions/payment-identifier';
import {
  createJWSOfferReceiptIssuer,
  createOfferReceiptExtension,
  declareOfferReceiptExtension,
  OFFER_RECEIPT,
} from '@x402/extensions/offer-receipt';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import { generateKeyPairSigner } from '@solana/kit';
import express from 'express';
import { giveUsdc, listen, ready, settings } from '../program.mjs';

const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const payTo = (await generateKeyPairSigner()).address;
await giveUsdc(payTo);

const sold = (price, extra, others = {}) => ({
  accepts: { scheme: 'exact', network, payTo, price, ...(extra === undefined ? {} : { extra }) },
  description: 'Sold by a test',
  mimeType: 'application/json',
  ...others,
});
const facilitator = new HTTPFacilitatorClient({ url: settings.facilitatorUrl });
const server = () => new x402ResourceServer(facilitator);

const app = express();
app.use(express.text({ type: '*/*' }));
app.use(
  paymentMiddleware(
    {
      'GET /weather': sold('$0.01'),
      'GET /failing': sold('$0.01'),
      'GET /same-memo': sold('$0.02', { memo: 'for everybody' }),
      'GET /identified': sold('$0.03', undefined, {
        extensions: { [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(true) },
      }),
      'POST /translate': sold('$0.04'),
    },
    server().register(network, new ExactSvmScheme()),
  ),
);
app.use(
  paymentMiddleware(
    { 'GET /blockhash': sold('$0.01') },
    server().register(network, new ExactSvmScheme({ rpcUrl: settings.rpcUrl })),
  ),
);
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const jwk = Buffer.from(JSON.stringify(publicKey.export({ format: 'jwk' }))).toString('base64url');
const kid = `did:jwk:${jwk}#0`;
const issuer = createJWSOfferReceiptIssuer(kid, {
  format: 'jws',
  algorithm: 'EdDSA',
  kid,
  sign: async (bytes) => sign(null, bytes, privateKey).toString('base64url'),
});
app.use(
  paymentMiddleware(
    {
      'GET /signed': sold('$0.01', undefined, {
        extensions: { [OFFER_RECEIPT]: declareOfferReceiptExtension({ includeTxHash: true })[OFFER_RECEIPT] },
      }),
    },
    server().register(network, new ExactSvmScheme()).registerExtension(createOfferReceiptExtension(issuer)),
  ),
);
// A route's `extra` is constant in the middleware, so each memo has a middleware of its own.
const invoices = new Map();
app.use('/invoice/:memo', (request, response, next) => {
  const { memo } = request.params;
  if (!invoices.has(memo))
    invoices.set(
      memo,
      paymentMiddleware(
        { 'GET *': sold('$0.02', { memo: `memo-${memo}` }) },
        server().register(network, new ExactSvmScheme()),
      ),
    );
  return invoices.get(memo)(request, response, next);
});

let answered = 0;
app.get('/failing', (_request, response) => void response.status(500).json({ error: 'out of order' }));
app.use((request, response) => {
  answered += 1;
  const header = request.get('payment-signature');
  const identifier =
    header === undefined ? null : extractPaymentIdentifier(decodePaymentSignatureHeader(header));
  response.json({
    answered,
    method: request.method,
    url: request.originalUrl,
    identifier,
    body: typeof request.body === 'string' ? request.body : null,
  });
});
ready({ url: await listen(app), payTo });
