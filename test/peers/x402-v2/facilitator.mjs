// An official x402 facilitator: @x402/core with @x402/svm's exact scheme, both versions of the protocol. It pays the
// network's fee and uses nothing but the chain's RPC.
// Settings: rpcUrl. First line: url, feePayer.
import { x402Facilitator } from '@x402/core/facilitator';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/facilitator';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { generateKeyPairSigner } from '@solana/kit';
import express from 'express';
import { giveSol, listen, ready, settings } from '../program.mjs';

const mainnet = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

const keys = await generateKeyPairSigner();
await giveSol(keys.address);
const signer = toFacilitatorSvmSigner(keys, { defaultRpcUrl: settings.rpcUrl });
const facilitator = new x402Facilitator()
  .register(mainnet, new ExactSvmScheme(signer))
  .registerV1('solana', new ExactSvmSchemeV1(signer));

const app = express();
app.use(express.json({ limit: '1mb' }));
app.get('/supported', (_request, response) => void response.json(facilitator.getSupported()));
for (const step of ['verify', 'settle'])
  app.post(`/${step}`, async (request, response) => {
    const { paymentPayload, paymentRequirements } = request.body;
    try {
      response.json(await facilitator[step](paymentPayload, paymentRequirements));
    } catch (error) {
      response.status(500).json({ error: String(error) });
    }
  });
ready({ url: await listen(app), feePayer: keys.address });
