// Anchors of the books on the chain, and the statement that they prove.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import { decimal, moment, paymentStatus, timestamp } from '../fields.ts';

const anchorsReply = z.object({
  on: z.boolean(),
  cost: decimal.describe('network fee of one anchor at present, in SOL'),
  signer: z.string().describe('the treasury’s address; a reader who verifies has to know it from elsewhere'),
  until: timestamp.nullable().describe('everything before this is anchored; null: nothing is'),
  waiting: z.array(z.string()).describe('what has to happen before the next anchor, in words'),
  anchors: z
    .array(
      z.object({
        anchorId: z.string(),
        status: paymentStatus,
        transaction: z.string().nullable(),
        timestamp: timestamp.describe('when it was made'),
        zone: z.string().describe('whose days these are'),
        from: timestamp.nullable().describe('null: from the beginning'),
        to: timestamp,
        entries: z.number(),
      }),
    )
    .describe('the newest thirty'),
});

export const anchorExchanges = {
  getAnchors: get(nothing, nothing, anchorsReply),
  setAnchors: post(
    nothing,
    z.strictObject({ on: z.boolean({ error: 'must be true or false' }) }),
    anchorsReply,
  ),
  anchoredStatement: get(
    nothing,
    z.strictObject({
      from: moment.optional().describe('first day or time, inclusive; a day is one of the owner’s time zone'),
      to: moment.optional().describe('last day or time, inclusive'),
    }),
    z.unknown(),
  ),
};
