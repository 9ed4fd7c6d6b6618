// Notices to the owner: the channels, and what was sent. A secret is sent once, and never comes back.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import {
  agentId,
  cursor,
  decimal,
  displayName,
  example,
  limit,
  pageLimit,
  shared,
  timestamp,
  textLike,
  url,
} from '../fields.ts';
import { noticeKindNames } from './notices.ts';

const kinds = z
  .array(z.enum(noticeKindNames, { error: `must be one of ${noticeKindNames.join(', ')}` }), {
    error: 'must be a list of kinds',
  })
  .transform((named) => noticeKindNames.filter((kind) => named.includes(kind)));
const name = displayName.describe('what you call it');
const allowPrivate = z
  .boolean({ error: 'must be true or false' })
  .describe('it may lead to an address of this machine or network, also without https');
const secret = z
  .string({ error: 'must be text' })
  .regex(
    /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    'must be "whsec_" followed by 24 to 64 bytes in base64',
  )
  .describe('signs what is sent (Standard Webhooks)');
const to = z
  .string({ error: 'must be an e-mail address' })
  .trim()
  .max(254, 'must be at most 254 characters')
  .pipe(z.email('must be an e-mail address'));
const topic = z
  .string({ error: 'must be text' })
  .regex(/^[-_A-Za-z0-9]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens and underscores');
const token = z
  .string({ error: 'must be text' })
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be at most 255 printable ASCII characters without spaces');

const common = {
  name: name.optional(),
  kinds: kinds.optional().describe('without it, all kinds'),
  hasPhoneLinks: z
    .boolean({ error: 'must be true or false' })
    .optional()
    .describe(
      'notices of approvals carry the links by which a registered phone answers them; they name whole addresses. Without it, none do',
    ),
};

const channelId = textLike('chn_0mwtgw0wmafc15a8b893');
const channelReply = z.object({
  channelId,
  name: textLike('Webhook'),
  place: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('desktop') }),
    z.object({
      kind: z.literal('webhook'),
      url: textLike('https://hooks.example.com/treasury'),
      allowPrivate: z.boolean(),
    }),
    z.object({ kind: z.literal('email'), to: textLike('owner@example.com') }),
    z.object({
      kind: z.literal('ntfy'),
      server: z.string(),
      topic: z.string(),
      allowPrivate: z.boolean(),
      hasToken: z.boolean(),
    }),
  ]),
  kinds: z.array(z.enum(noticeKindNames)),
  hasPhoneLinks: z.boolean().meta(example(false)),
  trouble: z
    .object({ waiting: z.number(), answer: z.string().nullable() })
    .nullable()
    .describe('how many notices could not be delivered so far, and what the last attempt came to'),
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
  addNoticeChannel: post(
    nothing,
    z.discriminatedUnion(
      'kind',
      [
        z.strictObject({ ...common, kind: z.literal('desktop') }),
        z.strictObject({
          ...common,
          kind: z.literal('webhook'),
          url,
          allowPrivate: allowPrivate.optional(),
          secret,
        }),
        z.strictObject({ ...common, kind: z.literal('email'), to }),
        z.strictObject({
          ...common,
          kind: z.literal('ntfy'),
          server: url.optional().describe('without it, https://ntfy.sh/'),
          topic,
          token: token.optional(),
          allowPrivate: allowPrivate.optional(),
        }),
      ],
      { error: 'must be "desktop", "webhook", "email" or "ntfy"' },
    ),
    channelReply,
  ),
  changeNoticeChannel: post(
    channelPath,
    z.strictObject({
      ...common,
      url: url.optional(),
      allowPrivate: allowPrivate.optional(),
      secret: secret.optional(),
      to: to.optional(),
      server: url.optional(),
      topic: topic.optional(),
      token: token.nullable().optional().describe('null: none. Another server forgets it'),
    }),
    channelReply,
  ),
  removeNoticeChannel: post(channelPath, nothing, channelReply),
  testNoticeChannel: post(
    channelPath,
    nothing,
    z.object({ delivered: z.boolean(), answer: textLike('HTTP 200').describe('what the endpoint said') }),
  ),
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
