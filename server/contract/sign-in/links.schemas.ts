// Linking a machine to an agent.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import { agentId, askBefore, displayName, limit, shared, timestamp } from '../fields.ts';

export const tokenPath = z.object({ token: z.string() });
const linkPath = z.object({ linkId: z.string() });
const linkStatuses = ['pending', 'complete', 'denied', 'expired'] as const;
export const linkReply = z.object({
  linkId: z.string(),
  machine: z.string().describe('as it names itself'),
  code: z.string().describe('the terminal shows it too'),
  agentId: shared.agentId.nullable().describe('as the machine wishes it, or as it was completed'),
  status: z.enum(linkStatuses),
  viaPublicAddress: z.boolean().describe('a machine at the far end of the owner’s tunnel asked'),
  createdAt: timestamp,
  expiresAt: shared.deadline,
});
/** The agent that a link creates; by default it may spend 5.00 a day and 1.00 per payment. */
const agentToLink = z.strictObject({
  agentId,
  dailyBudget: limit.prefault('5.00'),
  maxPerPayment: limit.prefault('1.00'),
  askBefore,
  furtherKey: z.boolean().default(false).describe('add an API key to an existing agent; its policy stays'),
});
const completed = z.object({ status: z.literal('complete'), agentId: shared.agentId });

export const linksExchanges = {
  openLink: post(
    nothing,
    z.strictObject({ machine: displayName.optional(), agentId: agentId.optional() }),
    z.object({
      token: z.string(),
      linkUrl: z.string(),
      expiresAt: shared.deadline,
      code: z.string().describe('the page shows it too'),
      pollSecret: z.string().describe('bearer for polling; it receives the API key'),
    }),
  ),
  listLinks: get(nothing, nothing, z.object({ links: z.array(linkReply) })),
  getLink: get(
    tokenPath,
    nothing,
    z.object({
      status: z.enum(['pending', 'complete', 'expired']),
      expiresAt: shared.deadline.nullable().describe('null when there is no such session, or no longer'),
      code: z.string().optional(),
      machine: z.string().optional(),
      wantedAgentId: z.string().nullable().optional(),
      denied: z.boolean().optional().describe('with pollSecret: the owner refused it'),
      agentId: shared.agentId.optional(),
      walletAddress: shared.walletAddress.optional(),
      apiKey: z.string().optional(),
      owner: z.string().optional().describe('the owner that the key belongs to'),
      network: z.enum(['sandbox', 'devnet', 'mainnet']).optional(),
    }),
  ),
  completeLink: post(tokenPath, agentToLink, completed),
  grantLink: post(linkPath, agentToLink, completed),
  denyLink: post(linkPath, nothing, linkReply),
};
