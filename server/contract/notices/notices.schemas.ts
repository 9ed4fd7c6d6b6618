// Notices to the owner: the channels, and what was sent. A secret is sent once, and never comes back.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import {
  agentId,
  cursor,
  decimal,
  example,
  limit,
  pageLimit,
  shared,
  timestamp,
  textLike,
} from '../fields.ts';
import { channelChanges, channelPlace, newChannel } from './channels.schemas.ts';
import { noticeKindNames } from './notices.ts';

const channelId = textLike('chn_0mwtgw0wmafc15a8b893');
const channelReply = z.object({
  channelId,
  name: textLike('Webhook'),
  place: channelPlace,
  kinds: z.array(z.enum(noticeKindNames)),
  hasPhoneLinks: z.boolean().meta(example(false)),
  trouble: z
    .object({ waiting: z.number(), failed: z.number(), answer: z.string().nullable() })
    .nullable()
    .describe(
      'how many notices wait behind one that could not be delivered so far, how many failed since the newest that was delivered, and what the last attempt came to',
    ),
  createdAt: timestamp,
});

const lowBalanceReply = z.object({
  lowBalance: decimal
    .nullable()
    .meta(example('2.00'))
    .describe('an agent’s wallet is low below this; null: never'),
  ofAgents: z.array(z.object({ agentId: shared.agentId, lowBalance: decimal.nullable() })),
});

const noticeReply = z.object({
  noticeId: textLike('ntc_0mwtgw0wmafc15a8b894'),
  kind: z.enum(noticeKindNames),
  agentId: shared.agentId.nullable(),
  subject: shared.approvalId.nullable().describe('the id of what it is about, such as a payment'),
  title: textLike('Research Scout needs your approval'),
  text: textLike('A payment of 0.40 USDC to Sandbox Weather. Open Agent Treasury to decide.'),
  count: z.number().meta(example(1)).describe('how many events it stands for'),
  timestamp,
  dueAt: timestamp,
  deliveries: z.array(
    z.object({
      channelId,
      channel: textLike('Webhook'),
      state: z.enum(['waiting', 'delivered', 'failed']).meta(example('delivered')),
      attempts: z.number().meta(example(1)),
      nextAt: timestamp.nullable(),
      endedAt: timestamp.nullable(),
      answer: textLike('HTTP 200').nullable(),
    }),
  ),
  cursor: shared.cursor,
});

const channelPath = z.object({ channelId: z.string() });

export const noticesExchanges = {
  listNoticeChannels: get(
    nothing,
    nothing,
    lowBalanceReply.extend({
      channels: z.array(channelReply),
      hasMailServer: z.boolean().describe('e-mail goes through the mail server of the sign-in settings'),
    }),
  ),
  addNoticeChannel: post(nothing, newChannel, channelReply),
  changeNoticeChannel: post(channelPath, channelChanges, channelReply),
  removeNoticeChannel: post(channelPath, nothing, channelReply),
  testNoticeChannel: post(
    channelPath,
    nothing,
    z.object({ delivered: z.boolean(), answer: textLike('HTTP 200').describe('what the endpoint said') }),
  ),
  retryNotices: post(channelPath, nothing, channelReply),
  listNotices: get(
    nothing,
    z.strictObject({
      before: cursor.optional(),
      limit: pageLimit(100, 50),
      failed: z
        .enum(['true', 'false'], { error: 'must be "true" or "false"' })
        .default('false')
        .transform((text) => text === 'true')
        .describe('only those that failed on a channel'),
    }),
    z.object({ notices: z.array(noticeReply) }),
  ),
  retryNotice: post(z.object({ noticeId: z.string() }), nothing, noticeReply),
  setLowBalance: post(
    nothing,
    z.strictObject({
      agentId: agentId.optional().describe('without it, for all agents that have none of their own'),
      lowBalance: z
        .union([z.literal('common'), limit], {
          error: 'must be decimal USDC, null for never or, for one agent, "common"',
        })
        .nullable(),
    }),
    lowBalanceReply,
  ),
};
