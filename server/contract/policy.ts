// An agent’s policy, made from the table of its fields, and what it would do.
import { z } from 'zod';
import { get, nothing, post } from './exchange.ts';
import { agentPath, decimal, limit, reason, serviceId } from './fields.ts';
import { askedOwner } from './approvals.ts';
import { paymentBody } from './payments.ts';
import {
  byKind,
  eachField,
  type FieldEntry,
  type HeldPolicy,
  type PolicyField,
  type ToldPolicy,
} from './policy-fields.ts';

const wholeNumber = (unit: string, least: number, most: number, mostSaid: string) => {
  const rule = `must be a whole number of ${unit}`;
  return z
    .number({ error: rule })
    .int(rule)
    .min(least, least === 0 ? 'must not be negative' : `must be at least ${least}`)
    .max(most, `must be at most ${mostSaid}`);
};
const requested = (field: FieldEntry): z.ZodType =>
  byKind<z.ZodType>(field, {
    amount: () => limit,
    seconds: ({ least, most, mostSaid }) => wholeNumber('seconds', least, most, `${mostSaid} (${most})`),
    count: ({ unit, least, most }) => wholeNumber(unit, least, most, String(most)),
    services: ({ most }) =>
      z
        .array(serviceId, { error: 'must be a list of service ids' })
        .max(most, `must be at most ${most} service ids`),
    choice({ options }) {
      const names = Object.keys(options);
      return z.enum(names, { error: `must be ${names.map((one) => `"${one}"`).join(' or ')}` });
    },
  });

const replied = (field: FieldEntry): z.ZodType =>
  byKind<z.ZodType>(field, {
    amount: () => decimal,
    seconds: () => z.number(),
    count: () => z.number(),
    services: () => z.array(z.string()),
    choice: ({ options }) => z.enum(Object.keys(options)),
  });
/** The shape of an object with these schemas; the type states what the kinds of the fields give. */
const shapeOf = <S>(schemaOf: (field: FieldEntry) => z.ZodType): S =>
  eachField((field) => (field.mayBeNone === true ? schemaOf(field).nullable() : schemaOf(field))) as S;
/** The policy fields to change; the reason for the change is not one. */
export const policyChange = z
  .strictObject(shapeOf<{ [F in PolicyField]: z.ZodType<HeldPolicy[F], ToldPolicy[F]> }>(requested))
  .partial();
export const policyReply = z.object(
  shapeOf<{ [F in PolicyField]: z.ZodType<ToldPolicy[F], ToldPolicy[F]> }>(replied),
);
const total = { amount: decimal, payments: z.number() };
export const previewReply = z.object({
  days: z.number(),
  payments: z.number().describe('that were made or asked for in these days'),
  allowed: z.object(total),
  asked: z.object(total).describe('would have waited for the owner'),
  refused: z.array(z.object({ rule: z.string(), ...total })),
  truncated: z.boolean().describe('only the newest payments were looked at'),
});
const explainReply = z.object({
  verdict: z
    .enum(['allowed', 'approval', 'refused'])
    .describe('approval: it would wait for the owner, unless a standing approval is granted meanwhile'),
  code: z
    .string()
    .nullable()
    .describe('with which it would be refused, or why the owner would be asked; null when it is allowed'),
  message: z.string(),
  details: z
    .record(z.string(), z.unknown())
    .describe('as a refusal of `pay` has them: limit, spent, and retryAt where waiting helps'),
  budget: z
    .object({ dailyBudget: decimal, spent: decimal.describe('or reserved, in 24 hours'), left: decimal })
    .describe('of the agent, now'),
});

export const policyExchanges = {
  getPolicy: get(agentPath, nothing, z.object({ agentId: z.string(), policy: policyReply })),
  setPolicy: post(
    agentPath,
    policyChange.extend({ reason }),
    z.object({ agentId: z.string(), policy: policyReply }),
    askedOwner,
  ),
  previewPolicy: post(agentPath, policyChange, previewReply),
  explainPolicy: post(agentPath, paymentBody.pick({ service: true, amount: true }), explainReply),
};
