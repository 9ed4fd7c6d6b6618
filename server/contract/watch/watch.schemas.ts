// The watch over an agent: the owner's choice, what it saw, and mutes.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import { watchModes, watchRules } from './watch.ts';
import { agentPath, cursor, example, pageLimit, shared, timestamp, textLike } from '../fields.ts';

const modeRule = `must be ${watchModes.map((name) => `"${name}"`).join(', ')}`;
const mode = z.enum(watchModes, { error: modeRule }).meta(example('ask'));
const rule = z.enum(watchRules, { error: `must be one of ${watchRules.join(', ')}` });
const service = z
  .string({ error: 'must be a service id, or empty for the whole agent' })
  .max(200, 'must be at most 200 characters');

const tripReply = z.object({
  id: textLike('wch_0mwtgw0wmafc15a8b893'),
  agentId: shared.agentId,
  at: timestamp,
  rule: z.enum(watchRules).meta(example('not_delivered')),
  service: shared.serviceId.describe('empty where the rule is about the whole agent'),
  sentence: textLike('sandbox-weather was paid 5 times in a row, 0.05 USDC in all, and delivered nothing.'),
  numbers: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .meta(example({ purchases: 5, paid: '0.05' }))
    .describe('those of the sentence'),
  paymentId: shared.paymentId.nullable().describe('of the request that tripped the rule'),
  did: z.enum(['told', 'asked', 'paused', 'ended_key']).meta(example('asked')),
  cursor: shared.cursor,
});
const asking = z
  .object({ since: timestamp, trip: tripReply })
  .nullable()
  .describe('each payment waits for the owner, since this trip; null: none does');
const muteReply = z.object({
  rule: z.enum(watchRules),
  service: shared.serviceId,
  since: timestamp,
  until: shared.deadline,
});
const standing = { agentId: shared.agentId, mode: z.enum(watchModes).meta(example('ask')), asking };
const watchReply = z.object({
  ...standing,
  mutes: z.array(muteReply),
  trips: z.array(tripReply).describe('newest first'),
});
const page = (most: number, usual: number) =>
  z.strictObject({ limit: pageLimit(most, usual), before: cursor.optional() });

export const watchExchanges = {
  listWatch: get(
    nothing,
    page(100, 50),
    z.object({
      agents: z.array(z.object({ ...standing, status: z.enum(['active', 'suspended']) })),
      trips: z.array(tripReply).describe('of all agents, newest first'),
    }),
  ),
  getWatch: get(agentPath, page(100, 50), watchReply),
  setWatch: post(agentPath, z.strictObject({ mode }), watchReply),
  watchNormal: post(
    agentPath,
    z.strictObject({
      tripId: z
        .string()
        .optional()
        .describe('the trip that is normal; without it the one that made the watch ask, or else the newest'),
    }),
    watchReply,
  ),
  watchUsual: post(agentPath, nothing, watchReply),
  endWatchMute: post(agentPath, z.strictObject({ rule, service: service.default('') }), watchReply),
  previewWatch: get(
    agentPath,
    nothing,
    z.object({
      days: z.number(),
      requests: z.number().describe('that the agent made in these days'),
      rules: z.array(z.object({ rule: z.enum(watchRules), bursts: z.number() })),
      newest: z.array(
        z.object({
          rule: z.enum(watchRules),
          service: shared.serviceId,
          at: timestamp,
          sentence: z.string(),
          paymentId: shared.paymentId,
        }),
      ),
      truncated: z.boolean().describe('only the newest requests were looked at'),
    }),
  ),
};
