// Agents: creating, funding, stopping and naming them.
import { z } from 'zod';
import { get, nothing, post } from './exchange.ts';
import {
  agentId,
  agentPath,
  amount,
  currency,
  decimal,
  displayName,
  limit,
  reason,
  timestamp,
} from './fields.ts';
import { askedOwner } from './approvals.ts';
import { mcpConfig } from './keys.ts';
import { transferReply } from './transfers.ts';

export const agentReply = z.object({
  agentId: z.string(),
  walletAddress: z.string(),
  createdAt: timestamp,
  displayName: z.string(),
  status: z.enum(['active', 'suspended']),
});
export const statusReply = z.object({ agentId: z.string(), status: z.enum(['active', 'suspended']) });

export const agentsExchanges = {
  deploy: post(
    nothing,
    z.strictObject({
      agentId,
      dailyBudget: limit,
      maxPerPayment: limit,
      displayName: displayName.optional(),
      reason,
    }),
    z.object({ agent: agentReply, mcpConfig, nextSteps: z.array(z.string()) }),
    askedOwner,
  ),
  listAgents: get(
    nothing,
    nothing,
    z.object({ agents: z.array(agentReply.extend({ balance: decimal, archived: z.boolean() })) }),
  ),
  balance: get(
    agentPath,
    nothing,
    z.object({ agentId: z.string(), walletAddress: z.string(), balance: decimal, currency: z.string() }),
  ),
  agentEvents: get(agentPath, nothing, z.unknown()),
  allocate: post(
    agentPath,
    z.strictObject({ amount, currency: currency.optional(), reason }),
    transferReply,
    askedOwner,
  ),
  recall: post(agentPath, z.strictObject({ amount, currency: currency.optional() }), transferReply),
  archive: post(agentPath, nothing, agentReply.extend({ recalled: decimal })),
  kill: post(agentPath, nothing, statusReply),
  resume: post(agentPath, z.strictObject({ reason }), statusReply, askedOwner),
  rename: post(
    agentPath,
    z.strictObject({ displayName }),
    z.object({ agentId: z.string(), displayName: z.string() }),
  ),
};
