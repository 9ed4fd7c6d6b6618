// The treasury as a whole: its stops, its daily limit, its funds.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import {
  boost,
  address,
  displayName,
  amount,
  cursor,
  decimal,
  description,
  ended,
  limit,
  pageLimit,
  passphrase,
  plainText,
  shared,
  solAmount,
  timestamp,
  timeZone,
  textLike,
  txSignature,
  zoneInReply,
} from '../fields.ts';
import { watchModes } from '../watch/watch.ts';
import { exposureReply, totalReply } from './cold.schemas.ts';
import { conditionCodes } from '../conditions/conditions.ts';
import { severities } from '../conditions/facts.ts';
import { agentReply, marksReply } from '../agents/agents.schemas.ts';
import { transferReply } from '../payments/transfers.schemas.ts';

export const freezeReply = z.object({
  frozen: z.boolean(),
  since: timestamp.nullable(),
  reason: textLike('the invoices look wrong').nullable(),
  mayStillLand: z.object({ payments: z.number(), amount: decimal, until: shared.deadline.nullable() }),
});
export const lockReply = z.object({ locked: z.boolean() });
/** @param budget null: no limit */
const inForce = <T extends z.ZodType>(budget: T) =>
  z
    .object({
      dailyBudget: budget,
      boost,
      freeAt: timestamp.nullable().describe('when some of it is free again; null while some is left'),
    })
    .describe('the limit of 24 hours now, with the boost');
const labelsReply = z.object({
  labels: z.array(z.object({ address: z.string(), label: textLike('Exchange') })),
});

export const ceilingReply = z.object({
  dailyBudget: decimal.nullable(),
  spent: decimal,
  inForce: inForce(decimal.nullable()),
});
const zoneReply = z.object({ timeZone: zoneInReply });
export const depositReply = z.object({
  id: z.string(),
  txSignature: shared.txSignature,
  from: z.string(),
  amount: decimal,
  currency: shared.currency,
  status: z.enum(['confirmed', 'final', 'dropped']),
  timestamp,
  cursor: z.number(),
});
const listedDeposit = depositReply.extend({
  mayBeSentBack: z.boolean().describe('by a withdrawal with `refundOf`, to the wallet that it came from'),
  sentBackBy: shared.transferId.nullable().describe('the withdrawal that sent it back'),
});
const outageReply = z.object({
  since: timestamp,
  isStarting: z.boolean().describe('since the start: the chain was not checked yet, so nothing is signed'),
  isWhole: z.boolean().describe('no RPC answers; false: another one still does'),
  rpcs: z.array(
    z.object({
      host: z.string().describe('name and port'),
      role: z.enum(['first', 'second']),
      why: z.string().describe('a clause, such as `it answers HTTP status 429`'),
    }),
  ),
  held: z.object({ transfers: z.number(), amount: decimal }).describe('USDC that open transfers hold'),
});
const conditionReply = z.object({
  code: z.enum(conditionCodes),
  severity: z.enum(severities),
  isEverywhere: z.boolean().describe('shown above every screen'),
  title: z.string(),
  text: z.string().describe('sentences; times in them are ISO 8601'),
  action: z
    .object({
      label: z.string(),
      path: z.string().describe('of the dashboard'),
      command: z.string().nullable(),
    })
    .optional()
    .describe('the one thing to do about it'),
  agentId: shared.agentId.optional(),
  tripId: textLike('wch_0mwtgw0wmafc15a8b893').optional(),
});
export const dashboardReply = z.object({
  treasury: z.object({
    walletAddress: shared.walletAddress,
    amount: z.string().describe('micro-USDC'),
    currency: shared.currency,
    decimals: z.number(),
    sol: decimal.describe('all that its account holds, with the minimum that an account must keep'),
    spendableSol: decimal.describe(
      'for fees and new USDC accounts: above the minimum, and not held by open transfers',
    ),
    withdrawableSol: decimal.describe('the most that one withdrawal can send now, without its fee'),
    transfersLeft: z
      .number()
      .describe('how many transfers the SOL pays for; one that opens a USDC account takes 0.002 SOL more'),
  }),
  agents: z.array(
    agentReply.extend({
      ...marksReply.shape,
      lifetimeSpent: decimal,
      lifetimePayments: z.number(),
      lifetimeRequests: z.number().describe('to language models, which are no payments'),
      balance: decimal,
      spentToday: decimal,
      budgetEndsAt: timestamp
        .nullable()
        .describe('when its daily budget is used up at the rate of the last three hours; null: not foreseen'),
      watch: z.enum(watchModes).describe('what the watch does when a rule trips'),
      asking: z.string().nullable().describe('why each of its payments waits for the owner now'),
      policy: z.object({ dailyBudget: decimal }),
      inForce: inForce(decimal),
      statusReason: z.string().nullable(),
      lastPaymentAt: timestamp.nullable(),
      lastSeenAt: timestamp.nullable().describe('when it last called; null: never'),
      pendingApprovals: z.number(),
    }),
  ),
  recentActivity: z.array(
    z.object({
      id: z.string(),
      agent: z.string(),
      venue: z.string(),
      amount: decimal,
      rail: z.literal('sol'),
      time: z.string().describe('HH:MM, UTC'),
      timestamp,
      status: z.string(),
    }),
  ),
  network: z.enum(['sandbox', 'devnet', 'mainnet']),
  frozen: z.boolean(),
  freeze: freezeReply,
  halted: z.string().nullable().describe('why nothing can be paid until a restart'),
  locked: z.boolean(),
  needsPassphrase: z.boolean().describe('to unlock'),
  phraseKept: z.boolean().describe('the owner has written down the recovery phrase; true on the sandbox'),
  clockDoubt: z.string().nullable(),
  outage: outageReply.nullable().describe('an RPC that gives no answer; null: all do'),
  rpcFaults: z
    .array(z.object({ host: z.string(), answer: z.string(), without: z.string() }))
    .describe('what the treasury needs of an RPC, and the RPC does not answer'),
  foreignDebits: z
    .array(
      z.object({
        wallet: z.string(),
        agentId: shared.agentId.nullable().describe('null: the treasury’s own wallet, or the cold one'),
        signature: z
          .string()
          .nullable()
          .describe('of the transaction; null: no RPC shows it, and the balance is lower'),
        amount: decimal,
        timestamp,
      }),
    )
    .describe('debits that no payment explains: somebody else has the key of the wallet'),
  conditions: z
    .array(conditionReply)
    .describe(
      'what holds now and the owner should know, the gravest first; consequences of another are left out',
    ),
  total: totalReply,
  exposure: exposureReply,
  ceiling: ceilingReply,
  pendingApprovals: z.number(),
  pendingLogins: z.number(),
  pendingLinks: z.number(),
});

export const treasuryExchanges = {
  freeze: post(nothing, z.strictObject({ reason: description.optional() }), freezeReply.extend({ ended })),
  unfreeze: post(nothing, nothing, freezeReply),
  lock: post(nothing, nothing, lockReply),
  unlock: post(nothing, z.strictObject({ passphrase: passphrase.optional() }), lockReply),
  changePassphrase: post(
    nothing,
    z.strictObject({ current: passphrase, next: passphrase }),
    z.object({ changed: z.boolean() }),
  ),
  keepPhrase: post(
    nothing,
    z.strictObject({
      address: plainText(44).refine((text) => text.length >= 4, 'must have at least 4 characters'),
    }),
    z.object({ phraseKept: z.boolean() }),
  ),
  dashboard: get(nothing, nothing, dashboardReply),
  deposits: get(
    nothing,
    z.strictObject({
      limit: pageLimit(100, 100),
      before: cursor.optional(),
      least: amount.optional().describe('Leaves out deposits of USDC of less, for example 0.01'),
    }),
    z.object({ deposits: z.array(listedDeposit) }),
  ),
  getCeiling: get(nothing, nothing, ceilingReply),
  setCeiling: post(nothing, z.strictObject({ dailyBudget: limit.nullable() }), ceilingReply),
  getTimeZone: get(nothing, nothing, zoneReply),
  setTimeZone: post(nothing, z.strictObject({ timeZone }), zoneReply),
  withdraw: post(
    nothing,
    z.discriminatedUnion(
      'asset',
      [
        z.strictObject({
          asset: z.literal('USDC'),
          to: address,
          amount,
          refundOf: txSignature
            .optional()
            .describe(
              'the transaction of a deposit to the treasury: sends it back to its payer, in part or whole, once',
            ),
        }),
        z.strictObject({ asset: z.literal('SOL'), to: address, amount: solAmount }),
      ],
      { error: 'must be "USDC" or "SOL"' },
    ),
    transferReply,
  ),
  listLabels: get(nothing, nothing, labelsReply),
  setLabel: post(nothing, z.strictObject({ address, label: displayName.nullable() }), labelsReply),
  faucet: post(nothing, z.strictObject({ amount }), depositReply),
};
