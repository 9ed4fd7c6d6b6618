// An official x402 v1 facilitator: verify and settle of the package x402 1.2 behind three routes.
// Settings: rpcUrl. First line: url, feePayer.
import { randomBytes } from 'node:crypto';
import express from 'express';
import { settle, verify } from 'x402/facilitator';
import { createSigner } from 'x402/types';
import { base58 } from '@scure/base';
import { giveSol, listen, ready, settings } from '../program.mjs';

const signer = await createSigner('solana', base58.encode(randomBytes(32)));
await giveSol(signer.address);
const config = { svmConfig: { rpcUrl: settings.rpcUrl } };
const kind = { x402Version: 1, scheme: 'exact', network: 'solana', extra: { feePayer: signer.address } };

const app = express();
app.use(express.json({ limit: '1mb' }));
app.get('/supported', (_request, response) => void response.json({ kinds: [kind] }));
for (const [name, step] of Object.entries({ verify, settle }))
  app.post(`/${name}`, async (request, response) => {
    const { paymentPayload, paymentRequirements } = request.body;
    try {
      response.json(await step(signer, paymentPayload, paymentRequirements, config));
    } catch (error) {
      response.status(500).json({ error: String(error) });
    }
  });
ready({ url: await listen(app), feePayer: signer.address });
