// Requests for payment: of a service, of a seller's offer, or of a URL that the treasury fetches.
import { z } from 'zod';
import {
  amount,
  answerLimits,
  currency,
  description,
  invoice,
  rail,
  reason,
  requestHeaders,
  serviceId,
  url,
} from './fields.ts';

const paymentBody = z.strictObject({
  service: serviceId,
  amount,
  currency,
  description: description.default(''),
  reason,
  invoice: invoice.optional(),
  rail: rail.optional(),
});
/** A payment to foresee. */
export const explainBody = paymentBody.pick({ service: true, amount: true });
/** For an agent that has asked the seller itself. */
const x402Body = z.strictObject({
  x402: z
    .record(z.string(), z.unknown(), { error: 'must be an entry of the seller’s accepts' })
    .describe('the chosen entry of the 402’s accepts, as it was'),
  resource: url.describe('the URL that answered 402'),
  extensions: z
    .record(z.string(), z.unknown(), { error: 'must be an object' })
    .optional()
    .describe('the extensions of the 402, as they were'),
  description: description.default(''),
  reason,
});
export const fetchBody = z.strictObject({
  url,
  method: z
    .enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { error: 'must be GET, POST, PUT, PATCH or DELETE' })
    .default('GET'),
  headers: requestHeaders.default({}),
  body: z.string({ error: 'must be text' }).optional().describe('of the request; not with GET'),
  maxAmount: amount.optional().describe('do not pay more than this, decimal USDC'),
  ...answerLimits,
  reason,
});

export const payBody = z.union([paymentBody, x402Body]);
