// Transfers as lists, single, summed, and as a statement.
import { z } from 'zod';
import { get, nothing } from '../exchange.ts';
import {
  agentId,
  cursor,
  decimal,
  failure,
  kinds,
  moment,
  pageLimit,
  paymentStatus,
  serviceId,
  shared,
  statuses,
  textLike,
  timestamp,
  wholeNumber,
  zoneInReply,
  zoneOfDays,
} from '../fields.ts';
import { dialects } from './dialects.ts';
import { groupings, outcomes, placesOfApproval } from './outcomes.ts';

export const transferReply = z.object({
  transferId: shared.transferId,
  agentId: shared.agentId.nullable(),
  amount: decimal,
  currency: shared.currency,
  txSignature: shared.txSignature.nullable(),
  status: paymentStatus,
  timestamp,
  balance: decimal,
});
const namesIn = <K extends string>(table: Readonly<Record<K, unknown>>) => Object.keys(table) as [K, ...K[]];
const oneOf = <const T extends readonly string[]>(names: T) =>
  z.enum(names, { error: `must be one of ${names.join(', ')}` });

/** A transfer as lists show it. */
export const activityReply = z.object({
  id: z.string(),
  kind: z.enum(kinds),
  agentId: shared.agentId.nullable(),
  service: z.string(),
  serviceId: shared.serviceId.nullable(),
  amount: decimal,
  currency: shared.currency,
  status: paymentStatus,
  state: z.string(),
  timestamp,
  payee: z.string(),
  description: z.string(),
  txSignature: shared.txSignature.nullable(),
  failure: failure.nullable(),
  counted: z.number().describe('further refusals by the same limit that this entry counts'),
  note: z.string().nullable().describe('what went wrong with the delivery, if anything did'),
  delivered: z.boolean().describe('the seller has: it counts in the sums of what was spent'),
  cursor: z.number(),
});
const activityPage = z.object({
  entries: z.array(activityReply),
  next: z
    .number()
    .nullable()
    .describe('cursor of the next page, or null; a page may hold fewer than `limit` entries'),
  zone: zoneInReply,
});
/** A transfer in full. */
export const transferDetails = activityReply.extend({
  wallet: z.string(),
  source: z
    .string()
    .nullable()
    .describe('the cold wallet that it was drawn on, as its delegate; null: `wallet` itself paid'),
  reason: z.string().nullable().describe('why, in the agent’s own words'),
  invoice: z.string().nullable(),
  approvalId: shared.approvalId.nullable(),
  approved: z
    .object({
      at: timestamp,
      from: z.enum(namesIn(placesOfApproval)).nullable().describe('null: it was not noted'),
    })
    .nullable()
    .describe('by the owner: this payment alone, or a standing approval that covers it'),
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
      splits: z
        .array(z.object({ payee: z.string(), amount: decimal }))
        .describe('further recipients, and their parts of `amount`; `payee` gets the rest'),
      delivery: z.enum(['open', 'delivered', 'undelivered']),
      evidence: z.record(z.string(), z.unknown()).nullable().describe('what the seller said, and when'),
      modelUsage: z
        .object({
          model: z.string(),
          answeredModel: z.string().nullable(),
          inputTokens: z.number(),
          cachedInputTokens: z.number(),
          outputTokens: z.number(),
          worth: decimal.nullable().describe('by the price list, beside `amount`; null: it lacks the model'),
        })
        .nullable(),
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
const spent = { ...total, requests: z.number().describe('to language models, which are no payments') };
const spentIn = { day: z.string().describe('YYYY-MM-DD, in the zone'), ...spent };
export const spendingReply = z.object({
  zone: zoneInReply,
  days: z.array(
    z.object({
      agentId: shared.agentId.describe('one of the 20 that spent most; empty: all others together'),
      ...spentIn,
    }),
  ),
  serviceDays: z.array(
    z.object({
      serviceId: shared.serviceId.describe('one of the 20 that got most; empty: all others together'),
      ...spentIn,
    }),
  ),
  groupDays: z
    .array(
      z.object({
        groupId: shared.groupId.describe('empty: no group, or all others together'),
        ...spentIn,
      }),
    )
    .describe('by the groups that the agents are in now'),
  agents: z.array(z.object({ agentId: shared.agentId, ...spent })),
  services: z.array(z.object({ serviceId: shared.serviceId, service: z.string(), ...spent })),
  groups: z.array(z.object({ groupId: shared.groupId, name: z.string(), ...spent })),
});

export const unpayableReply = z.object({
  sellers: z
    .array(
      z.object({
        seller: textLike('https://api.example.com').describe('its origin, or mcp:NAME'),
        network: textLike('eip155:8453').describe('as the seller names it: untrusted text, like `asset`'),
        asset: textLike('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
        price: textLike('10000').describe('of the last demand, in the token’s smallest unit'),
        times: z.number(),
        agents: z.number().describe('how many agents it asked'),
        firstAt: timestamp,
        lastAt: timestamp,
      }),
    )
    .describe('the most frequent first; of several ways to pay, the first that the seller names'),
});

const flow = z.object({ amount: decimal, count: z.number() });
const lost = {
  undelivered: flow.describe('paid, but not delivered'),
  failed: flow,
  refused: flow.describe('`amount` lacks refusals that an entry only counts'),
};
export const totalsReply = z.object({
  ...total,
  settling: z.object(total).describe('of these, what is not final yet'),
  agents: z.array(z.object({ agentId: shared.agentId, ...total })),
  services: z.array(z.object({ serviceId: shared.serviceId, service: z.string(), ...total })),
  flows: z
    .object({ in: flow, out: flow, own: flow, waiting: flow, failed: flow, refused: lost.refused })
    .describe('USDC by its way: into the owner’s wallets, out, between two of them, or nowhere'),
  undelivered: lost.undelivered,
  rows: z
    .array(
      z.object({
        key: z.string().describe('an id, a day (YYYY-MM-DD) or a month (YYYY-MM); empty for none'),
        name: z.string(),
        ...total,
        ...lost,
      }),
    )
    .describe('what was spent by `by`: the largest first, days and months the newest first'),
  zone: zoneInReply,
});
/** Of the activity, its totals and a statement. */
export const filter = {
  agentId: agentId.optional(),
  serviceId: serviceId.optional(),
  kind: oneOf(kinds).optional(),
  status: oneOf(statuses).optional(),
  outcome: oneOf(namesIn(outcomes)).optional().describe('as the dashboard calls it'),
  from: moment.optional(),
  to: moment.optional(),
  zone: zoneOfDays.optional(),
};
const text = z
  .string()
  .describe('words of names, ids or texts; an address, a signature or a payment’s id by its beginning')
  .max(200, 'must be at most 200 characters')
  .optional();

export const transfersExchanges = {
  activity: get(
    nothing,
    z.strictObject({
      ...filter,
      q: text,
      sort: oneOf(['time', 'amount']).default('time').describe('the newest first, or the largest first'),
      limit: pageLimit(500, 100),
      before: cursor.optional(),
    }),
    activityPage,
  ),
  totals: get(
    nothing,
    z.strictObject({ ...filter, q: text, by: oneOf(namesIn(groupings)).optional() }),
    totalsReply,
  ),
  getTransfer: get(z.object({ transferId: shared.transferId }), nothing, transferDetails),
  spending: get(
    nothing,
    z.strictObject({
      days: wholeNumber('days', 1, 366).default(30),
      zone: zoneOfDays.default('UTC'),
    }),
    spendingReply,
  ),
  unpayableSellers: get(nothing, nothing, unpayableReply),
  statement: get(
    nothing,
    z.strictObject({
      format: z.enum(['csv', 'json'], { error: 'must be csv or json' }).default('csv'),
      ...filter,
    }),
    z.unknown(),
  ),
};
