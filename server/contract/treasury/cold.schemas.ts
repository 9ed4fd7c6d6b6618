// The cold treasury, and the sum that could be lost with this machine.
import { z } from 'zod';
import { coldFaultNames } from './cold-faults.ts';
import { get, nothing, post } from '../exchange.ts';
import { address, decimal, example, limit, timestamp } from '../fields.ts';

const coldReply = z.object({
  cold: z
    .object({
      address: z.string(),
      network: z.enum(['sandbox', 'devnet', 'mainnet']),
      tokenAccount: z.string().describe('its USDC account'),
      delegate: z.string().describe('this treasury, to which the allowance is given'),
      since: timestamp,
      balance: decimal,
      allowance: decimal.describe(
        'what the chain still lets this treasury draw; from a frozen account once it is thawed',
      ),
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

export const totalReply = z.object({
  amount: decimal.describe('all USDC that the owner has here'),
  cold: decimal.nullable().describe('of that, in the cold wallet; null: there is none'),
  treasury: decimal.describe('of that, in the treasury’s own wallet'),
  agents: decimal.describe('of that, in the agents’ wallets, archived ones too'),
});
export const exposureReply = z.object({
  amount: decimal.describe('the most USDC that could be lost if this machine were stolen now'),
  wallets: decimal.describe('in wallets of which it holds the keys'),
  treasury: decimal.describe('of that, in the treasury’s own wallet'),
  agents: decimal.describe('of that, in the agents’ wallets, archived ones too'),
  aside: decimal.describe('of that, in accounts from which the treasury cannot pay'),
  cold: decimal.describe('what could be drawn on the cold wallet: the smaller of allowance and balance'),
  returning: decimal.describe('paid and not final: a fork could return it'),
  sol: decimal.describe('beside it: SOL for network fees'),
  providerKeys: z
    .number()
    .meta(example(1))
    .describe('beside it: keys of language model providers, which only the provider limits'),
  asOf: timestamp.nullable().describe('when the chain was last read; null: not since the start'),
  isStale: z.boolean().describe('read more than a minute ago: it may be more'),
});

const wire = z
  .string({ error: 'must be a transaction in base64' })
  .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be a transaction in base64')
  .max(2_000, 'must be at most 2000 characters')
  .describe('a Solana transaction, base64');

const page = z
  .string({ error: 'must be text' })
  .max(64, 'must be at most 64 characters')
  .optional()
  .describe('the page that asks, by a name of its own: one page does not end the pause of another');

const allowanceReply = z.object({
  change: z
    .object({
      allowance: decimal.describe('0: revoked'),
      signature: z.string(),
      state: z
        .enum(['sent', 'final', 'overtaken', 'failed', 'expired'])
        .describe(
          '`final`: in force; `overtaken`: an earlier one landed after it; `failed` and `expired`: it changed nothing',
        ),
      earlier: decimal
        .nullable()
        .describe('the allowance that one signed before it may still make; null: none can'),
    })
    .nullable()
    .describe('null: none was ever sent'),
});

export const coldExchanges = {
  getCold: get(nothing, nothing, coldReply),
  setCold: post(nothing, z.strictObject({ address }), coldReply),
  forgetCold: post(nothing, nothing, coldReply),
  stopDrawing: post(nothing, nothing, coldReply),
  resumeDrawing: post(nothing, nothing, coldReply),
  prepareAllowance: post(
    nothing,
    z.strictObject({ allowance: limit.describe('decimal USDC that replaces what is left; 0 revokes'), page }),
    z.object({
      address: z.string().describe('the wallet that has to sign'),
      transaction: wire,
      left: decimal.describe('the allowance now'),
      allowance: decimal.describe('the allowance afterward'),
    }),
  ),
  sendAllowance: post(nothing, z.strictObject({ transaction: wire }), allowanceReply),
  getAllowance: get(nothing, nothing, allowanceReply),
  pauseDrawing: post(
    nothing,
    z.strictObject({ paused: z.boolean({ error: 'must be true or false' }), page }),
    coldReply,
  ),
};
