// An agent’s policy, made from the table of its fields, and what it would do.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import {
  agentPath,
  boost,
  decimal,
  limit,
  modelPattern,
  moment,
  reason,
  serviceId,
  shared,
  timestamp,
} from '../fields.ts';
import { askedOwner } from '../approvals/approvals.schemas.ts';
import { hours } from './hours.schemas.ts';
import { paymentBody } from '../payments/payments.schemas.ts';
import {
  byKind,
  eachField,
  limitFields,
  policyFields,
  type FieldEntry,
  type HeldLimits,
  type HeldPolicy,
  type LimitField,
  type PolicyField,
  type StatedLimits,
  type StatedPolicy,
} from './policy-fields.ts';
import {
  mostServiceLimits,
  serviceLimitFields,
  type ChangeOf,
  type ServiceLimit,
  type ServiceLimitsChange,
} from './service-limits.ts';
import type { Usdc } from '../../money.ts';

/** `amountOf` each limit, which may be left out. */
const limitsAtService = (amountOf: z.ZodType) =>
  Object.fromEntries(serviceLimitFields.map((field) => [field, amountOf.optional()]));
/** A record drops `__proto__` in silence, and does not report the rule that an id breaks. */
const refuseIds = (value: unknown, context: z.RefinementCtx): unknown => {
  const refuse = (message: string): void => context.addIssue({ code: 'custom', message });
  const ids = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  if (ids.includes('__proto__')) refuse('must not name a service __proto__');
  for (const { error } of ids.map((id) => serviceId.safeParse(id)))
    if (error !== undefined) refuse(`must name services by their ids: an id ${error.issues[0]?.message}`);
  return value;
};
const limitsAtServices = z
  .record(
    serviceId,
    z
      .strictObject(limitsAtService(limit), {
        error: 'must have dailyBudget, monthlyBudget or maxPerPayment, such as {"dailyBudget":"10.00"}',
      })
      .refine(
        (one) => Object.values(one).some((amount) => amount !== undefined),
        'must set a limit, or be null',
      )
      .nullable(),
    { error: 'must be an object of limits by service id, such as {"web-search":{"dailyBudget":"10.00"}}' },
  )
  .refine(
    (all) => Object.keys(all).length > 0,
    'must name a service; null takes away the limits at all services',
  )
  .refine(
    (all) => Object.values(all).filter((one) => one !== null).length <= mostServiceLimits,
    `must limit at most ${mostServiceLimits} services`,
  )
  .transform((all) => all as ServiceLimitsChange);
const serviceLimits = z.preprocess(refuseIds, limitsAtServices);
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
    models: ({ most }) =>
      z
        .array(modelPattern, { error: 'must be a list of models' })
        .max(most, `must be at most ${most} models`),
    choice({ options }) {
      const names = Object.keys(options);
      return z.enum(names, { error: `must be ${names.map((one) => `"${one}"`).join(' or ')}` });
    },
    time: () => moment.transform((text) => Date.parse(text)),
    hours: () => hours,
    serviceLimits: () => serviceLimits,
  });

export const limitAtService = z.object(limitsAtService(decimal)) as z.ZodType<ServiceLimit<string>>;
const replied = (field: FieldEntry): z.ZodType =>
  byKind<z.ZodType>(field, {
    amount: () => decimal,
    seconds: () => z.number(),
    count: () => z.number(),
    services: () => z.array(z.string()),
    models: () => z.array(z.string()),
    choice: ({ options }) => z.enum(Object.keys(options)),
    time: () => timestamp,
    hours: () => z.object({ days: z.array(z.number()), from: z.string(), to: z.string() }),
    serviceLimits: () => z.record(z.string(), limitAtService),
  });
/** The shape of an object with these schemas; the type states what the kinds of the fields give. */
const shapeOf = <S>(schemaOf: (field: FieldEntry) => z.ZodType): S =>
  eachField((field) => (field.mayBeNone === true ? schemaOf(field).nullable() : schemaOf(field))) as S;
/** A change of all fields. */
type Whole<L extends { readonly serviceLimits: unknown }, Amount = Usdc> = {
  [F in keyof L]: Exclude<ChangeOf<L, Amount>[F], undefined>;
};
/** The policy fields to change; the reason for the change is not one. */
export const policyChange = z
  .strictObject(
    shapeOf<{ [F in PolicyField]: z.ZodType<Whole<HeldPolicy>[F], Whole<StatedPolicy, string>[F]> }>(
      requested,
    ),
  )
  .partial();
export const policyReply = z.object(
  shapeOf<{ [F in PolicyField]: z.ZodType<StatedPolicy[F], StatedPolicy[F]> }>(replied),
);
/** Limits of a group, a delegated key or the treasury: null sets none. */
const limitsShapeOf = <S>(schemaOf: (field: FieldEntry) => z.ZodType): S =>
  Object.fromEntries(limitFields.map((name) => [name, schemaOf(policyFields[name]).nullable()])) as S;
export const limitsChange = z
  .strictObject(
    limitsShapeOf<{ [F in LimitField]: z.ZodType<Whole<HeldLimits>[F], Whole<StatedLimits, string>[F]> }>(
      requested,
    ),
  )
  .partial();
export const limitsInForce = z.object(
  limitsShapeOf<{ [F in LimitField]: z.ZodType<StatedLimits[F], StatedLimits[F]> }>(replied),
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
    .object({
      dailyBudget: decimal.describe('with the boost in force'),
      spent: decimal.describe('or reserved, in 24 hours'),
      left: decimal,
    })
    .nullable()
    .describe('of the agent, now; null for a delegated key'),
});

const used = <T extends z.ZodType>(value: T, fields: readonly [string, ...string[]]) =>
  z.object({
    field: z.enum(fields),
    limit: value,
    used: value,
    left: value,
    freeAt: timestamp
      .nullable()
      .describe('when some of it is free again; null while some is left, and where waiting does not help'),
  });
export const limitNode = z.object({
  kind: z.enum(['agent', 'group', 'key', 'treasury']),
  id: z.string(),
  name: z.string(),
});
/** The use of a node's limits. */
export const usedReply = z.object({
  budgets: z.array(used(decimal, ['dailyBudget', 'weeklyBudget', 'monthlyBudget', 'totalBudget'])),
  rates: z.array(used(z.number(), ['paymentsPerHour', 'paymentsPerDay'])),
  services: z.array(used(decimal, ['dailyBudget', 'monthlyBudget']).extend({ serviceId: shared.serviceId })),
  opensAt: timestamp.nullable().describe('outside the hours: when they begin'),
  expiresAt: shared.deadline.nullable().describe('from then on nothing is paid'),
  boost,
});
const limitsReply = usedReply.extend({
  agentId: shared.agentId,
  forecast: z.object({
    usedUp: z.array(
      z.object({
        field: z.enum(['dailyBudget', 'weeklyBudget', 'monthlyBudget', 'totalBudget']),
        at: timestamp.describe('when it will be used up, at the rate of the last three hours'),
        basis: z.string(),
      }),
    ),
    monthEnd: z
      .object({ amount: decimal, spent: decimal, basis: z.string() })
      .nullable()
      .describe('what the month will have cost, and has so far; null while there is not enough to go by'),
  }),
  above: z
    .array(
      usedReply.extend({
        node: limitNode,
      }),
    )
    .describe('the agent’s group and the treasury; for the owner alone'),
});

export const unknownServices = z
  .array(z.string())
  .describe('names in these limits that no service has yet; each matches nothing until a service has it');

export const policyExchanges = {
  getLimits: get(agentPath, nothing, limitsReply),
  getPolicy: get(
    agentPath,
    nothing,
    z.object({ agentId: shared.agentId, policy: policyReply, unknownServices, boost }),
  ),
  setPolicy: post(
    agentPath,
    policyChange.extend({ reason }),
    z.object({ agentId: shared.agentId, policy: policyReply, unknownServices }),
    askedOwner,
  ),
  previewPolicy: post(agentPath, policyChange, previewReply),
  explainPolicy: post(agentPath, paymentBody.pick({ service: true, amount: true }), explainReply),
};
