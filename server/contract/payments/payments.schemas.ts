// Payments of an agent: of a service, of a seller’s offer, or of a URL that the treasury fetches.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import { mcpService } from '../catalog/mcp-names.schemas.ts';
import {
  agentPath,
  amount,
  answerLimits,
  currency,
  cursor,
  decimal,
  description,
  failure,
  hex,
  invoice,
  pageLimit,
  paymentStatus,
  rail,
  reason,
  requestHeaders,
  serviceId,
  shared,
  timestamp,
  textLike,
  url,
} from '../fields.ts';
import { dialects } from './dialects.ts';

export const paymentBody = z.strictObject({
  service: serviceId,
  amount,
  currency,
  description: description.default(''),
  reason,
  invoice: invoice.optional(),
  rail: rail.optional(),
});
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
/** For an agent that met the demand at an MCP server. */
const demandBody = z.strictObject({
  demand: z
    .record(z.string(), z.unknown(), { error: 'must be an object' })
    .describe('the server’s demand, as it was: the PaymentRequired of x402, or the challenges of MPP'),
  resource: z
    .union([mcpService, url], { error: 'must be mcp: and the name of an MCP server, or its URL' })
    .describe('the server: mcp:NAME as its owner registered it, or the URL of its endpoint'),
  request: hex(64).describe(
    'SHA-256 of the request that is paid for. With Prefer: continue an equal one goes on with its payment, whatever the server demands by now',
  ),
  description: description.default(''),
  reason,
});
const payBody = z.union([paymentBody, x402Body, demandBody]);
const fetchBody = z.strictObject({
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
export const historyEntry = z.object({
  id: shared.paymentId,
  service: textLike('Sandbox Weather'),
  amount: decimal,
  currency: shared.currency,
  status: paymentStatus,
  timestamp,
  txSignature: shared.txSignature.nullable(),
  agentId: shared.agentId.nullable(),
  serviceId: shared.serviceId.nullable(),
  cursor: shared.cursor,
});
export const paymentReply = z.object({
  paymentId: shared.paymentId,
  txSignature: shared.txSignature.nullable(),
  amount: decimal,
  currency: shared.currency,
  status: paymentStatus,
  timestamp,
  xPaymentHeader: z.string().nullable(),
  service: z.string().nullable(),
  agentId: shared.agentId.nullable(),
  description: z.string(),
  reason: z.string().nullable().describe('why, in the agent’s own words'),
  failure: failure.nullable(),
  delivery: z
    .enum(['open', 'delivered', 'undelivered'])
    .nullable()
    .describe('of what the treasury fetched with it; null: it fetched nothing'),
  answer: z
    .object({ status: z.number(), contentType: z.string().nullable(), bytes: z.number() })
    .nullable()
    .describe('what the seller delivered, as long as it is kept; its body is at …/answer'),
});
const proof = z
  .object({ key: z.string(), value: z.record(z.string(), z.unknown()) })
  .optional()
  .describe('to a demand: what pays it, to be added to the _meta of the repeated request under this key');
export const paymentResult = z.object({
  paymentId: shared.paymentId,
  txSignature: shared.txSignature,
  amount: decimal,
  currency: shared.currency,
  status: z.literal('confirmed'),
  timestamp,
  xPaymentHeader: textLike('v1.…'),
  proof,
});
export const pendingPayment = z.object({
  paymentId: shared.paymentId,
  status: z.enum(['pending', 'unknown', 'awaiting_approval']),
  approvalId: shared.approvalId.optional(),
  expiresAt: shared.deadline.optional(),
  x402: z
    .object({ header: z.string(), value: z.string() })
    .optional()
    .describe('for an agent that does its own HTTP: the header to send with the request'),
  proof,
});
export const fetchResult = z.object({
  status: z.number().describe('HTTP status of the seller’s answer'),
  headers: z.record(z.string(), z.string()).describe('of the seller’s answer'),
  body: z.string(),
  encoding: z.enum(['utf8', 'base64']).describe('of body'),
  payment: z
    .object({
      paymentId: shared.paymentId,
      service: textLike('https://api.example.com'),
      amount: decimal,
      currency: shared.currency,
      status: paymentStatus.describe('pending until the treasury itself has found it on the chain'),
      txSignature: shared.txSignature.nullable(),
      timestamp,
      dialect: z.enum(dialects),
    })
    .nullable()
    .describe('null: nothing had to be paid'),
});
export const pendingFetch = z.object({
  paymentId: shared.paymentId,
  status: z.enum(['pending', 'unknown', 'awaiting_approval']),
  approvalId: shared.approvalId.optional(),
  expiresAt: shared.deadline.optional(),
  seller: z
    .object({ status: z.number().nullable(), error: z.string() })
    .optional()
    .describe('what the seller last said to the payment; status null: it did not answer'),
  delivering: z
    .boolean()
    .optional()
    .describe('the seller has been shown the payment, and its answer is on its way'),
  message: textLike(
    'The payment is under way. Call again with the same Idempotency-Key for the answer.',
  ).describe('what to do next'),
});
const paymentPath = agentPath.extend({ paymentId: shared.paymentId });

export const paymentsExchanges = {
  pay: post(agentPath, payBody, paymentResult, pendingPayment),
  fetch: post(agentPath, fetchBody, fetchResult, pendingFetch),
  getPayment: get(paymentPath, nothing, paymentReply),
  answer: get(paymentPath, nothing, z.unknown()),
  received: post(paymentPath, nothing, z.object({ paymentId: shared.paymentId, received: z.boolean() })),
  spendHistory: get(
    agentPath,
    z.strictObject({ limit: pageLimit(500, 20), before: cursor.optional() }),
    z.object({ payments: z.array(historyEntry) }),
  ),
};
