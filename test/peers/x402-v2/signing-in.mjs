// A seller with the official @x402/express middleware and its sign-in: a wallet that paid once is let in again.
// Settings: facilitatorUrl. First line: url, payTo.
//   GET /library  0.01 USDC, and then nothing for the same wallet
//   GET /asked    the sign-ins that were asked for here, and their outcome
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import {
  createSIWxResourceServerExtension,
  declareSIWxExtension,
  InMemorySIWxStorage,
} from '@x402/extensions/sign-in-with-x';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import { generateKeyPairSigner } from '@solana/kit';
import express from 'express';
import { giveUsdc, listen, ready, settings } from '../program.mjs';

const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const payTo = (await generateKeyPairSigner()).address;
await giveUsdc(payTo);

const app = express();
const url = await listen(app);
const events = [];
const extension = createSIWxResourceServerExtension({
  origin: url,
  storage: new InMemorySIWxStorage(),
  onEvent: (event) => events.push(event),
});
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: settings.facilitatorUrl }))
  .register(network, new ExactSvmScheme())
  .registerExtension(extension);
app.get('/asked', (_request, response) => void response.json(events));
app.use(
  paymentMiddleware(
    {
      'GET /library': {
        accepts: { scheme: 'exact', network, payTo, price: '$0.01' },
        description: 'Sold once to each wallet',
        mimeType: 'application/json',
        extensions: declareSIWxExtension({ statement: 'Sign in to the library', expirationSeconds: 600 }),
      },
    },
    server,
  ),
);
app.get('/library', (_request, response) => void response.json({ books: 3 }));
ready({ url, payTo });
