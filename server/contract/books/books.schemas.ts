// The books: files for accounting programs, rules, months and their close.
import { z } from 'zod';
import { accountPattern, accountRule } from './account-names.ts';
import { bookFormatNames } from './book-formats.ts';
import { get, nothing, post } from '../exchange.ts';
import {
  address,
  agentId,
  decimal,
  example,
  moment,
  plainText,
  serviceId,
  shared,
  timestamp,
  textLike,
} from '../fields.ts';

const month = z
  .string({ error: 'must be a month' })
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11')
  .meta(example('2029-12'));
const exportId = z
  .string({ error: 'must be a UUID' })
  .regex(/^[0-9a-f-]{36}$/, 'must be a UUID in lower case');
export const monthPath = z.object({ month });
const rulePath = z.object({ ruleId: z.string() });

export const account = z
  .string({ error: 'must be the name of an account' })
  .max(120, 'must be at most 120 characters')
  .regex(accountPattern, accountRule)
  .meta(example('Expenses:Research'));
export const costCentre = plainText(60)
  .refine((text) => text !== '', 'must not be empty')
  .nullable();
const origin = z
  .string({ error: 'must be an origin such as https://api.example.com' })
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    'must be an origin such as https://api.example.com, without a path',
  );

/** Conditions that all have to hold. */
const match = {
  payee: address.nullable().default(null).describe('the address that was paid, or that paid in'),
  serviceId: serviceId.nullable().default(null),
  origin: origin.nullable().default(null).describe('of the URL that was paid for'),
  agentId: agentId.nullable().default(null),
  groupId: shared.groupId.nullable().default(null),
};
const isEmpty = (rule: Record<keyof typeof match, string | null>): boolean =>
  [rule.payee, rule.serviceId, rule.origin, rule.agentId, rule.groupId].every((value) => value === null);
/** Follows the field `payee`. */
export const needsCondition =
  'or serviceId, origin, agentId or groupId must be given: a rule needs at least one condition';
const rank = z
  .int({ error: 'must be a whole number' })
  .min(0, 'must be at least 0')
  .describe('its place among the rules, from 0');

const newRule = z
  .strictObject({ ...match, account, costCentre: costCentre.default(null), rank: rank.optional() })
  .refine((rule) => !isEmpty(rule), {
    path: ['payee'],
    message: needsCondition,
  });
const ruleChange = z.strictObject({
  payee: address.nullable().optional(),
  serviceId: serviceId.nullable().optional(),
  origin: origin.nullable().optional(),
  agentId: agentId.nullable().optional(),
  groupId: shared.groupId.nullable().optional(),
  account: account.optional(),
  costCentre: costCentre.optional(),
  rank: rank.optional(),
});

const ruleId = textLike('rule_0mwtgw0wmafc15a8b89');
const ruleReply = z.object({
  ruleId,
  payee: z.string().nullable(),
  serviceId: shared.serviceId.nullable(),
  origin: z.string().nullable(),
  agentId: shared.agentId.nullable(),
  groupId: shared.groupId.nullable(),
  account: textLike('Expenses:Research'),
  costCentre: textLike('R&D').nullable(),
});
const rulesReply = z.object({
  rules: z.array(ruleReply).describe('in the order in which they are tried: the first that matches decides'),
});

const sum = { amount: decimal, entries: z.number().meta(example(12)) };
const solSum = { ...sum, amount: decimal.meta(example('0.00012')) };
const previewReply = z.object({
  ...sum,
  taken: z
    .array(z.object({ ruleId, ...sum }))
    .describe('what an earlier rule already takes of what this rule would match'),
  examples: z
    .array(
      z.object({
        id: shared.paymentId,
        timestamp: timestamp.meta(example('2029-12-31T12:00:00.000Z')),
        service: textLike('Sandbox Weather'),
        agentId: shared.agentId.nullable(),
        counterparty: shared.walletAddress.nullable(),
        amount: decimal.meta(example('0.40')),
        currency: z.enum(['USDC', 'SOL']).describe('of the amount; sums are of USDC alone'),
        takenBy: z.string().nullable().describe('the earlier rule that takes it'),
      }),
    )
    .describe('the newest ten'),
});

export const monthName = textLike('2029-12');
export const zone = textLike('Europe/Lisbon');
export const monthReply = z.object({
  month: monthName,
  zone: zone.describe('whose month it is; a closed month keeps its zone'),
  from: timestamp.meta(example('2029-12-01T00:00:00.000Z')),
  to: timestamp.meta(example('2030-01-01T00:00:00.000Z')).describe('the first moment after it'),
  state: z
    .enum(['running', 'open', 'closed', 'differs', 'changed'])
    .describe(
      'running: it has not ended; open: it can be closed, unless something waits; closed: journal, chain and file agree; differs: they do not; changed: its entries are no longer those that were closed',
    ),
  waiting: z.array(z.string()).describe('what has to happen before it can be closed, in words'),
  closedAt: timestamp.nullable(),
  entries: z.number().nullable().describe('of a closed month'),
  root: z.string().nullable().describe('Merkle root of the lines of a closed month'),
  differences: z.array(z.string()).describe('in words; empty: none'),
  changedAt: timestamp.nullable().describe('when the change was found'),
});

const row = (name: string) => ({ name: textLike(name).describe('empty: none'), ...sum });
const monthTotals = z.object({
  spent: z.object(sum),
  deposits: z.object(sum),
  sales: z.object(sum).describe('those of the deposits that a seller’s records name'),
  withdrawals: z.object(sum),
  charges: z.object(sum).describe('for pictures, less refunds: between wallets of the treasury'),
  transfers: z.object(sum).describe('allocations, recalls, refills and draws: between own wallets'),
  fees: z.object(solSum).describe('in SOL'),
  solDeposits: z.object(solSum).describe('deposits of SOL, in SOL'),
  words: z
    .object(solSum)
    .describe(
      'from phones: the SOL that was asked for with them; what came of it is among the deposits of SOL',
    ),
  agents: z.array(z.object({ agentId: shared.agentId, ...row('Scout') })),
  groups: z.array(z.object({ groupId: shared.groupId, ...row('Research') })),
  services: z.array(z.object({ serviceId: shared.serviceId, ...row('Sandbox Weather') })),
  accounts: z.array(z.object(row('Expenses:Research'))).describe('what comes in is below zero'),
  costCentres: z
    .array(z.object(row('R&D')))
    .describe('what comes in is below zero; the row without a name is of spending alone'),
});

export const booksExchanges = {
  books: get(
    nothing,
    z.strictObject({
      format: z
        .enum(bookFormatNames, { error: `must be one of ${bookFormatNames.join(', ')}` })
        .default('spreadsheet'),
      from: moment.optional().describe('first day or time, inclusive; a day is one of the owner’s time zone'),
      to: moment.optional().describe('last day or time, inclusive'),
      continues: z
        .enum(['true', 'false'], { error: 'must be true or false' })
        .default('false')
        .describe('true: for a journal that holds the days before; no account is opened again'),
      exportId: exportId
        .optional()
        .describe('chosen by the client: by it, the client asks meanwhile how far the file is'),
      gzip: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false'),
    }),
    z.unknown(),
  ),
  bookProgress: get(
    z.object({ exportId }),
    nothing,
    z.object({
      isUnderWay: z.boolean().describe('false: it has ended, or never began'),
      read: z.number().meta(example(400)).describe('rows of the journal'),
      rows: z.number().meta(example(1204)).describe('all of them'),
    }),
  ),
  bookMonths: get(nothing, nothing, z.object({ zone, months: z.array(monthReply).describe('newest first') })),
  bookTotals: get(
    monthPath,
    nothing,
    z.object({
      month: monthName,
      zone,
      opening: decimal.describe('USDC in all wallets of the treasury and its agents when the month began'),
      closing: decimal.describe('the same at its end, or so far'),
      now: monthTotals,
      before: monthTotals,
    }),
  ),
  closeMonth: post(monthPath, nothing, monthReply),
  bookRules: get(nothing, nothing, rulesReply),
  addBookRule: post(nothing, newRule, ruleReply),
  changeBookRule: post(rulePath, ruleChange, ruleReply),
  endBookRule: {
    params: rulePath,
    query: nothing,
    body: nothing,
    reply: z.object({ ruleId, ended: z.literal(true) }),
  },
  previewBookRule: post(
    nothing,
    z
      .strictObject({
        ...match,
        month: month.optional().describe('the current month, if it is absent'),
        rank: rank.optional(),
      })
      .refine((rule) => !isEmpty(rule), {
        path: ['payee'],
        message: needsCondition,
      }),
    previewReply,
  ),
};
