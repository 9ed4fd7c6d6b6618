// Agents: creating, funding, stopping and naming them.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import {
  agentId,
  agentPath,
  amount,
  askBefore,
  currency,
  decimal,
  displayName,
  ended,
  limit,
  plainText,
  reason,
  shared,
  timestamp,
  textLike,
} from '../fields.ts';
import { agentColorNames, mostTags, pictureLetters, tagLetters } from './agent-marks.ts';
import { askedOwner } from '../approvals/approvals.schemas.ts';
import { mcpConfig } from './keys.schemas.ts';
import { transferReply } from '../payments/transfers.schemas.ts';

export const agentReply = z.object({
  agentId: shared.agentId,
  walletAddress: shared.walletAddress,
  createdAt: timestamp,
  displayName: textLike('Research Scout'),
  status: z.enum(['active', 'suspended']),
});
/** By which the owner tells agents apart; they decide nothing. */
export const marksReply = z.object({
  color: z.enum(agentColorNames).nullable().describe('null: derived from the agent’s id'),
  picture: z.string().nullable().describe('letters or an emoji; null: derived from the agent’s id'),
  tags: z.array(z.string()),
});
const tag = plainText(tagLetters).refine((text) => text.length > 0, 'must not hold an empty tag');
const marksBody = z.strictObject({
  color: z
    .enum(agentColorNames, { error: `must be null or one of ${agentColorNames.join(', ')}` })
    .nullable()
    .optional(),
  picture: plainText(pictureLetters)
    .refine((text) => text.length > 0, 'must not be empty; null stands for none')
    .nullable()
    .optional(),
  tags: z
    .array(tag, { error: 'must be a list of words' })
    .max(mostTags, `must be at most ${mostTags} tags`)
    .transform((tags) => [...new Map(tags.map((one) => [one.toLowerCase(), one])).values()])
    .optional(),
});
export const statusReply = z.object({ agentId: shared.agentId, status: z.enum(['active', 'suspended']) });

export const agentsExchanges = {
  deploy: post(
    nothing,
    z.strictObject({
      agentId,
      dailyBudget: limit,
      maxPerPayment: limit,
      displayName: displayName.optional(),
      askBefore,
      reason,
    }),
    z.object({
      agent: agentReply,
      mcpConfig,
      nextSteps: z.array(textLike('Allocate USDC to it: POST /v1/agents/scout/allocate')),
      warning: z
        .string()
        .optional()
        .describe('why the recovery phrase alone may not find its wallet, and what to do'),
    }),
    askedOwner,
  ),
  listAgents: get(
    nothing,
    nothing,
    z.object({
      agents: z.array(agentReply.extend({ balance: decimal, archived: z.boolean(), ...marksReply.shape })),
    }),
  ),
  balance: get(
    agentPath,
    nothing,
    z.object({
      agentId: shared.agentId,
      walletAddress: shared.walletAddress,
      balance: decimal,
      currency: shared.currency,
    }),
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
  kill: post(agentPath, nothing, statusReply.extend({ ended })),
  resume: post(agentPath, z.strictObject({ reason }), statusReply, askedOwner),
  markAgent: post(agentPath, marksBody, marksReply.extend({ agentId: shared.agentId })),
  rename: post(
    agentPath,
    z.strictObject({ displayName }),
    z.object({ agentId: shared.agentId, displayName: z.string() }),
  ),
};
