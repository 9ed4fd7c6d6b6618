// The owner’s approvals, single and standing.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import { amount, askBefore, decimal, moment, pageLimit, shared, timestamp } from '../fields.ts';
import { newKeyReply } from '../agents/keys.schemas.ts';

const approvalPath = z.object({ approvalId: shared.approvalId });
/** The body of a 202: the owner has to allow it. */
export const askedOwner = z.object({
  approvalId: shared.approvalId,
  status: z.string(),
  expiresAt: shared.deadline,
});
const status = z.enum(['pending', 'granted', 'denied', 'expired', 'cancelled']);
const change = z.object({ before: decimal, after: decimal });
export const approvalReply = z.object({
  approvalId: shared.approvalId,
  kind: z.enum(['payment', 'policy', 'allocate', 'deploy', 'resume', 'standing']),
  agentId: shared.agentId,
  status,
  shown: z.record(z.string(), z.unknown()),
  hash: z.string(),
  createdAt: timestamp,
  expiresAt: shared.deadline,
  decidedAt: timestamp.nullable(),
  denyAt: timestamp
    .nullable()
    .describe('when the owner’s denial takes effect; until then the owner can undo it'),
  result: z.record(z.string(), z.unknown()).nullable(),
  budget: z
    .object({ dailyBudget: decimal.describe('with the boost in force'), spent: decimal, after: decimal })
    .nullable()
    .describe('what a waiting payment would do to the agent’s budget'),
  facts: z
    .object({
      askAbove: decimal.nullable().describe('its policy asks above this amount, which is why this one waits'),
      listed: decimal.nullable().describe('the service’s listed price'),
      usual: z
        .object({ least: decimal, most: decimal, payments: z.int() })
        .nullable()
        .describe('of the newest payments to the service, by all agents'),
      same: z
        .array(z.object({ approvalId: shared.approvalId, status, createdAt: timestamp }))
        .describe('its other requests of the same hour for the same thing'),
      balances: z
        .object({ agent: change, treasury: change })
        .nullable()
        .describe('what granting funds would do to the balances'),
    })
    .nullable()
    .describe('what helps the owner to decide, while it waits; null for an agent'),
});
export const grantReply = z.object({
  grantId: z.string(),
  agentId: shared.agentId,
  serviceId: shared.serviceId,
  upTo: decimal,
  used: decimal,
  until: shared.deadline,
  payees: z.array(z.string()).describe('shown to the owner; any other payee needs a new approval'),
  revokedAt: timestamp.nullable(),
  endedBecause: z.string().nullable().describe('why it ended, unless the owner ended it'),
});

export const approvalsExchanges = {
  listApprovals: get(
    nothing,
    z.strictObject({ limit: pageLimit(500, 100) }),
    z.object({ approvals: z.array(approvalReply) }),
  ),
  getApproval: get(approvalPath, nothing, approvalReply),
  grantApproval: post(
    approvalPath,
    z.strictObject({
      hash: z.string({ error: 'must be the hash that came with the approval' }),
      standing: z.strictObject({ upTo: amount, until: moment }).optional(),
      askBefore,
    }),
    approvalReply.extend({
      created: newKeyReply.optional().describe('the new agent’s key, shown to the owner once'),
    }),
  ),
  denyApproval: post(
    approvalPath,
    z.strictObject({
      afterMs: z
        .int()
        .min(0)
        .max(60_000)
        .default(0)
        .describe('how long the owner can undo it, in milliseconds; meanwhile it cannot be granted'),
    }),
    approvalReply,
  ),
  undoDenial: post(approvalPath, nothing, approvalReply),
  listGrants: get(nothing, nothing, z.object({ grants: z.array(grantReply) })),
  revokeGrant: post(
    z.object({ grantId: z.string() }),
    nothing,
    z.object({ grantId: z.string(), revoked: z.boolean() }),
  ),
};
