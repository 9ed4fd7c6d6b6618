// Replies about payments and purchases.
import { z } from 'zod';
import { decimal, dialects, timestamp } from './fields.ts';
import { failure, paymentStatus } from './replies.ts';

export const historyEntry = z.object({
  id: z.string(),
  service: z.string(),
  amount: decimal,
  currency: z.string(),
  status: paymentStatus,
  timestamp,
  txSignature: z.string().nullable(),
  agentId: z.string().nullable(),
  serviceId: z.string().nullable(),
  cursor: z.number(),
});
export const paymentReply = z.object({
  paymentId: z.string(),
  txSignature: z.string().nullable(),
  amount: decimal,
  currency: z.string(),
  status: paymentStatus,
  timestamp,
  xPaymentHeader: z.string().nullable(),
  service: z.string().nullable(),
  agentId: z.string().nullable(),
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
export const paymentResult = z.object({
  paymentId: z.string(),
  txSignature: z.string(),
  amount: decimal,
  currency: z.string(),
  status: z.literal('confirmed'),
  timestamp,
  xPaymentHeader: z.string(),
});
export const explainReply = z.object({
  verdict: z
    .enum(['allowed', 'approval', 'refused'])
    .describe('approval: it would wait for the owner, unless a standing approval is granted meanwhile'),
  code: z
    .string()
    .nullable()
    .describe('with which it would be refused, or why the owner would be asked; null when it is allowed'),
  message: z.string(),
  details: z
    .record(z.string(), z.unknown())
    .describe('as a refusal of `pay` has them: limit, spent, and retryAt where waiting helps'),
  budget: z
    .object({ dailyBudget: decimal, spent: decimal.describe('or reserved, in 24 hours'), left: decimal })
    .describe('of the agent, now'),
});
export const pendingPayment = z.object({
  paymentId: z.string(),
  status: z.enum(['pending', 'unknown', 'awaiting_approval']),
  approvalId: z.string().optional(),
  expiresAt: timestamp.optional(),
  x402: z
    .object({ header: z.string(), value: z.string() })
    .optional()
    .describe('for an agent that does its own HTTP: the header to send with the request'),
});
export const fetchResult = z.object({
  status: z.number().describe('HTTP status of the seller’s answer'),
  headers: z.record(z.string(), z.string()).describe('of the seller’s answer'),
  body: z.string(),
  encoding: z.enum(['utf8', 'base64']).describe('of body'),
  payment: z
    .object({
      paymentId: z.string(),
      service: z.string(),
      amount: decimal,
      currency: z.string(),
      status: paymentStatus.describe('pending until the treasury itself has found it on the chain'),
      txSignature: z.string().nullable(),
      timestamp,
      dialect: z.enum(dialects),
    })
    .nullable()
    .describe('null: nothing had to be paid'),
});
export const pendingFetch = z.object({
  paymentId: z.string(),
  status: z.enum(['pending', 'unknown', 'awaiting_approval']),
  approvalId: z.string().optional(),
  expiresAt: timestamp.optional(),
  seller: z
    .object({ status: z.number().nullable(), error: z.string() })
    .optional()
    .describe('what the seller last said to the payment; status null: it did not answer'),
  delivering: z
    .boolean()
    .optional()
    .describe('the seller has been shown the payment, and its answer is on its way'),
  message: z.string().describe('what to do next'),
});
