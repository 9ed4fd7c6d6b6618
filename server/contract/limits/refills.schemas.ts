// Refills: when an agent's wallet runs low, the treasury allocates to it by itself.
import { z } from 'zod';
import { formatUsdc, usdc } from '../../money.ts';
import { get, nothing, post } from '../exchange.ts';
import { agentPath, amount, decimal, shared, timestamp } from '../fields.ts';

/** A smaller refill is not worth its network fee. */
export const leastRefill = usdc(100_000n);
const least = formatUsdc(leastRefill);

const refill = z
  .strictObject(
    { below: amount, to: amount, perDay: amount },
    { error: 'must have below, to and perDay, or be null' },
  )
  .refine(({ below, to }) => to >= below + leastRefill, {
    error: `must be at least ${least} USDC above below`,
    path: ['to'],
  })
  .refine(({ perDay }) => perDay >= leastRefill, {
    error: `must be at least ${least} USDC`,
    path: ['perDay'],
  });
const refillReply = z.object({
  agentId: shared.agentId,
  refill: z
    .object({ below: decimal, to: decimal, perDay: decimal })
    .nullable()
    .describe('null: it is not refilled'),
  refilled: decimal.describe('in 24 hours, open or final'),
  lastAt: timestamp.nullable(),
});

export const refillsExchanges = {
  getRefill: get(agentPath, nothing, refillReply),
  setRefill: post(agentPath, z.strictObject({ refill: refill.nullable() }), refillReply),
};
