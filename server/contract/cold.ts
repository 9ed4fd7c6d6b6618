// The cold treasury, and the sum that could be lost with this machine.
import { z } from 'zod';
import { coldFaultNames } from './cold-faults.ts';
import { get, nothing, post } from './exchange.ts';
import { address, decimal, timestamp } from './fields.ts';

const coldReply = z.object({
  cold: z
    .object({
      address: z.string(),
      tokenAccount: z.string().describe('its USDC account'),
      delegate: z.string().describe('this treasury, to which the allowance is given'),
      since: timestamp,
      balance: decimal,
      allowance: decimal.describe('what the chain still lets this treasury draw'),
      granted: decimal.describe('the allowance when it was last set'),
      drawable: decimal.describe('what one allocation could draw now'),
      fault: z
        .enum(coldFaultNames)
        .nullable()
        .describe(
          'why nothing can be drawn: no account, frozen by its issuer, or no allowance for this treasury',
        ),
      stoppedAt: timestamp.nullable(),
      pausedUntil: timestamp.nullable().describe('the owner is changing the allowance'),
    })
    .nullable()
    .describe('null: there is none'),
});

export const exposureReply = z.object({
  amount: decimal.describe('the most USDC that could be lost if this machine were stolen now'),
  wallets: decimal.describe('in wallets of which it holds the keys'),
  cold: decimal.describe('what could be drawn on the cold treasury: the smaller of allowance and balance'),
  returning: decimal.describe('paid and not final: a fork could return it'),
  sol: decimal.describe('beside it: SOL for network fees'),
  asOf: timestamp.nullable().describe('when the chain was last read; null: not since the start'),
  isStale: z.boolean().describe('read more than a minute ago: it may be more'),
});

export const coldExchanges = {
  getCold: get(nothing, nothing, coldReply),
  setCold: post(nothing, z.strictObject({ address }), coldReply),
  forgetCold: post(nothing, nothing, coldReply),
  stopDrawing: post(nothing, nothing, coldReply),
  resumeDrawing: post(nothing, nothing, coldReply),
  pauseDrawing: post(
    nothing,
    z.strictObject({ paused: z.boolean({ error: 'must be true or false' }) }),
    coldReply,
  ),
};
