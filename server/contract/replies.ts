// The objects that replies are made of.
import { z } from 'zod';
import { decimal, dialects, kinds, statuses, timestamp } from './fields.ts';

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
export const paymentStatus = z.enum(statuses);
export const failure = z.object({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
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
  budget: z
    .object({ dailyBudget: decimal, spent: decimal, after: decimal })
    .nullable()
    .describe('what a waiting payment would do to the agent’s budget'),
});
export const grantReply = z.object({
  grantId: z.string(),
  agentId: z.string(),
  serviceId: z.string(),
  upTo: decimal,
  used: decimal,
  until: timestamp,
  payees: z.array(z.string()).describe('shown to the owner; any other payee needs a new approval'),
  revokedAt: timestamp.nullable(),
  endedBecause: z.string().nullable().describe('why it ended, unless the owner ended it'),
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
  origin: z.string().describe('where the endpoint is; empty: this treasury'),
  source: z.enum(['svc-native', 'model-registry', 'x402-marketplace']),
  payees: z.array(z.string()).describe('pinned: nobody else is paid for it'),
  addedByOwner: z.boolean(),
  vanishedAt: timestamp.nullable().optional().describe('since when no source of the catalog lists it'),
  payeeChange: z
    .object({ payees: z.array(z.string()) })
    .nullable()
    .optional()
    .describe('payees that the sources name now; those above stay in force until the owner accepts'),
  reputation: z.object({
    calls: z.number(),
    successRate: z.number().nullable().describe('from 0 to 1; null before the first call'),
    medianLatencyMs: z.number().nullable(),
    lastSeenAt: timestamp.nullable().describe('alive'),
  }),
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
/** A transfer as lists show it. */
export const activityReply = z.object({
  id: z.string(),
  kind: z.enum(kinds),
  agentId: z.string().nullable(),
  service: z.string(),
  serviceId: z.string().nullable(),
  amount: decimal,
  currency: z.string(),
  status: paymentStatus,
  state: z.string(),
  timestamp,
  payee: z.string(),
  description: z.string(),
  txSignature: z.string().nullable(),
  failure: failure.nullable(),
  counted: z.number().describe('identical refusals counted in this entry'),
  note: z.string().nullable().describe('what went wrong with the delivery, if anything did'),
  cursor: z.number(),
});
export const activityPage = z.object({
  entries: z.array(activityReply),
  next: z
    .number()
    .nullable()
    .describe('cursor of the next page, or null; a page may hold fewer than `limit` entries'),
});
/** A transfer in full. */
export const transferDetails = activityReply.extend({
  wallet: z.string(),
  reason: z.string().nullable().describe('why, in the agent’s own words'),
  invoice: z.string().nullable(),
  approvalId: z.string().nullable(),
  grantId: z.string().nullable(),
  feeSol: decimal,
  rentSol: decimal.describe('for opening the payee’s token account'),
  receipt: z.string().nullable(),
  purchase: z
    .object({
      dialect: z.enum(dialects),
      carrier: z.enum(['treasury', 'agent']).describe('who asks the seller'),
      method: z.string(),
      url: z.string(),
      requestHash: z.string().describe('SHA-256 over method, URL and body'),
      delivery: z.enum(['open', 'delivered', 'undelivered']),
      evidence: z.record(z.string(), z.unknown()).nullable().describe('what the seller said, and when'),
    })
    .nullable()
    .describe('of a payment that follows a 402 that the treasury read'),
  times: z.object({
    asked: timestamp,
    reserved: timestamp.nullable(),
    signed: timestamp.nullable(),
    sent: timestamp.nullable(),
    seen: timestamp.nullable(),
    block: timestamp.nullable(),
    ended: timestamp.nullable(),
  }),
});
const total = { amount: decimal, payments: z.number() };
export const spendingReply = z.object({
  days: z.array(
    z.object({
      day: z.string().describe('YYYY-MM-DD, UTC'),
      agentId: z.string().describe('one of the 20 that spent most; empty: all others together'),
      ...total,
    }),
  ),
  agents: z.array(z.object({ agentId: z.string(), ...total })),
  services: z.array(z.object({ serviceId: z.string(), service: z.string(), ...total })),
});
export const previewReply = z.object({
  days: z.number(),
  payments: z.number().describe('that were made or asked for in these days'),
  allowed: z.object(total),
  asked: z.object(total).describe('would have waited for the owner'),
  refused: z.array(z.object({ rule: z.string(), ...total })),
  truncated: z.boolean().describe('only the newest payments were looked at'),
});
export const loginReply = z.object({
  loginId: z.string(),
  terminal: z.string(),
  code: z.string(),
  status: z.enum(['pending', 'granted', 'denied', 'expired']),
  createdAt: timestamp,
  expiresAt: timestamp,
});
export const sessionReply = z.object({
  session: z.string().describe('bearer token'),
  owner: z.string(),
  expiresAt: timestamp,
  known: z.string().describe('bearer for signing in again: it has tries of its own, and allows nothing'),
});
export const aboutReply = z.object({
  version: z.string(),
  network: z.enum(['sandbox', 'devnet', 'mainnet']),
  rpcHost: z.string(),
  secondRpcHost: z.string().nullable(),
  dataFolder: z.string(),
  protection: z.enum(['keychain', 'keychain+seal', 'passphrase-file', 'key-file']),
  startedAt: timestamp,
  node: z.string(),
  platform: z.string(),
  bridge: mcpConfig.describe('what an MCP host starts, the same for every agent'),
});
export const diagnosticsReply = z.object({
  about: aboutReply.omit({ bridge: true }),
  collectedAt: timestamp,
  memoryMb: z.number(),
  counts: z.record(z.string(), z.number()),
  open: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      state: z.string(),
      since: timestamp,
      evidence: z.string().nullable(),
    }),
  ),
  freeze: z.object({ since: timestamp, reason: z.string() }).nullable(),
  halted: z.string().nullable(),
  chain: z.object({ reachable: z.boolean(), blockTimeBehindMs: z.number().nullable() }),
  log: z.array(z.string()),
});
export const backupReply = z.object({
  file: z.string().describe('where it is, on the treasury’s machine'),
  bytes: z.number(),
  takenAt: timestamp,
  note: z.string().describe('what is not in it'),
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
      statusReason: z.string().nullable(),
      lastPaymentAt: timestamp.nullable(),
      pendingApprovals: z.number(),
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
  freeze: freezeReply,
  halted: z.string().nullable().describe('why nothing can be paid until a restart'),
  locked: z.boolean(),
  needsPassphrase: z.boolean().describe('to unlock'),
  clockDoubt: z.string().nullable(),
  ceiling: ceilingReply,
  pendingApprovals: z.number(),
  pendingLogins: z.number(),
  pendingLinks: z.number(),
});
