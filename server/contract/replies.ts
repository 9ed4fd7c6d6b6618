// What comes back: the shapes that the routes' replies are made of.
import { z } from 'zod';
import { decimal, timestamp } from './fields.ts';

export const policyReply = z.object({
  dailyBudget: decimal,
  maxPerPayment: decimal,
  cooldownSeconds: z.number(),
  allowedServices: z.array(z.string()),
  approveAbove: decimal.nullable(),
  newPayees: z.enum(['allow', 'approve']),
  approvalMinutes: z.number(),
});
export const agentReply = z.object({
  agentId: z.string(),
  walletAddress: z.string(),
  createdAt: timestamp,
  displayName: z.string(),
  status: z.enum(['active', 'suspended']),
});
export const statusReply = z.object({ agentId: z.string(), status: z.enum(['active', 'suspended']) });
export const mcpConfig = z.object({
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
});
const paymentStatus = z.enum(['pending', 'awaiting_approval', 'confirmed', 'failed', 'denied', 'unknown']);
const failure = z.object({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
});

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
  failure: failure.nullable(),
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
export const pendingPayment = z.object({
  paymentId: z.string(),
  status: z.enum(['pending', 'unknown', 'awaiting_approval']),
  approvalId: z.string().optional(),
  expiresAt: timestamp.optional(),
});
export const askedOwner = z.object({ approvalId: z.string(), status: z.string(), expiresAt: timestamp });
export const transferReply = z.object({
  transferId: z.string(),
  agentId: z.string().nullable(),
  amount: decimal,
  currency: z.string(),
  txSignature: z.string().nullable(),
  status: paymentStatus,
  timestamp,
  balance: decimal,
});
export const approvalReply = z.object({
  approvalId: z.string(),
  kind: z.enum(['payment', 'policy', 'allocate', 'deploy', 'resume']),
  agentId: z.string(),
  status: z.enum(['pending', 'granted', 'denied', 'expired', 'cancelled']),
  shown: z.record(z.string(), z.unknown()),
  hash: z.string(),
  createdAt: timestamp,
  expiresAt: timestamp,
  decidedAt: timestamp.nullable(),
  result: z.record(z.string(), z.unknown()).nullable(),
});
export const grantReply = z.object({
  grantId: z.string(),
  agentId: z.string(),
  serviceId: z.string(),
  upTo: decimal,
  used: decimal,
  until: timestamp,
  revokedAt: timestamp.nullable(),
});
export const keyReply = z.object({
  keyId: z.string(),
  label: z.string(),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  revokedAt: timestamp.nullable(),
});
export const newKeyReply = z.object({ keyId: z.string(), apiKey: z.string(), mcpConfig });
export const freezeReply = z.object({
  frozen: z.boolean(),
  since: timestamp.nullable(),
  reason: z.string().nullable(),
  mayStillLand: z.object({ payments: z.number(), amount: decimal, until: timestamp.nullable() }),
});
export const lockReply = z.object({ locked: z.boolean() });
export const ceilingReply = z.object({ dailyBudget: decimal.nullable(), spent: decimal });
export const serviceReply = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  category: z.string(),
  pricing: z.record(z.string(), z.string()),
  price: z.string().nullable(),
  endpoint: z.string(),
  source: z.enum(['svc-native', 'model-registry', 'x402-marketplace']),
});
export const depositReply = z.object({
  id: z.string(),
  txSignature: z.string(),
  from: z.string(),
  amount: decimal,
  currency: z.string(),
  status: z.enum(['confirmed', 'final', 'dropped']),
  timestamp,
  cursor: z.number(),
});
export const dashboardReply = z.object({
  treasury: z.object({
    walletAddress: z.string(),
    amount: z.string().describe('micro-USDC'),
    currency: z.string(),
    decimals: z.number(),
    sol: decimal,
    transfersLeft: z.number().describe('how many transfers the SOL pays for'),
  }),
  agents: z.array(
    agentReply.extend({
      lifetimeSpent: decimal,
      lifetimePayments: z.number(),
      balance: decimal,
      spentToday: decimal,
      policy: z.object({ dailyBudget: decimal }),
    }),
  ),
  recentActivity: z.array(
    z.object({
      id: z.string(),
      agent: z.string(),
      venue: z.string(),
      amount: decimal,
      rail: z.literal('sol'),
      time: z.string().describe('HH:MM, UTC'),
      timestamp,
      status: z.string(),
    }),
  ),
  network: z.enum(['sandbox', 'devnet', 'mainnet']),
  frozen: z.boolean(),
  locked: z.boolean(),
  pendingApprovals: z.number(),
});
