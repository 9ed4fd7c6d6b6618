// The fields of a policy, in one table, in the order in which they are shown. Contract, store, engine, command, bridge and
// dashboard derive their part of a field from its kind and its entry here. A new field is its entry, its rule in
// engine/limits/node-rules.ts or engine/payment/decision/decide.ts, and its column in a migration. Free of zod, since the renderer
// reads the table too.
import { formatUsdc, parseUsdc, usdc } from '../../money.ts';
import type { Hours } from './hours.ts';
import { readServiceLimits, serviceLimitsInReply, type ServiceLimits } from './service-limits.ts';
import { furtherLimits } from './limit-fields.ts';
import {
  byKind,
  isHigher,
  isLower,
  isSubset,
  type FieldEntry,
  type FieldKind,
  type Held,
  type Stated,
} from './policy-field.ts';

export { byKind, type FieldEntry, type FieldKind } from './policy-field.ts';

export const policyFields = {
  dailyBudget: {
    kind: 'amount',
    column: 'daily_budget',
    usual: usdc(0n),
    isTighter: isLower,
    label: 'Daily budget',
    refusal: { payment: 'over the daily budget' },
    form: { note: 'Most it may spend in any 24 hours', asks: 'Limit the spending in any 24 hours' },
    command: { label: 'Daily budget', help: 'what it may spend in 24 hours' },
    tool: 'most in 24 hours',
    sentence: 'woven',
  },
  maxPerPayment: {
    kind: 'amount',
    column: 'max_per_payment',
    usual: usdc(0n),
    isTighter: isLower,
    label: 'Maximum per payment',
    refusal: { payment: 'over the maximum per payment' },
    form: { note: 'More than this at a time is refused', asks: 'Limit each payment' },
    command: { label: 'Max per payment', help: 'what one payment may be' },
    tool: 'most for one payment',
    sentence: 'woven',
  },
  cooldownSeconds: {
    kind: 'seconds',
    column: 'cooldown_seconds',
    usual: 0,
    isTighter: isHigher,
    least: 0,
    most: 2_592_000,
    mostSaid: '30 days',
    label: 'Pause between payments',
    none: 'None',
    refusal: { payment: 'too soon after the one before' },
    form: {
      label: 'Wait between payments',
      note: '0 for none; at most 30 days',
      asks: 'Minimum time between payments',
    },
    command: { label: 'Cooldown', help: 'the pause between two payments' },
    tool: 'seconds between payments, 0 for none',
    sentence: 'woven',
  },
  allowedServices: {
    kind: 'services',
    column: 'allowed_services',
    usual: [],
    isTighter: isSubset,
    most: 200,
    label: 'Services',
    none: 'Every service',
    refusal: { label: 'Services that it may pay', payment: 'to a service that is not allowed' },
    form: {
      label: 'Services it may pay',
      note: 'Empty means every service. Pick from the catalog, or write an id and press Enter.',
      asks: 'Allow certain services only',
    },
    command: { label: 'Allowed services', help: 'service ids separated by commas, or any' },
    tool: 'service ids; empty means all',
    sentence: 'woven',
  },
  ...furtherLimits,
  approveAbove: {
    kind: 'amount',
    column: 'approve_above',
    mayBeNone: true,
    usual: null,
    isTighter: isLower,
    label: 'Ask me above',
    none: 'Never',
    form: {
      note: '0 asks before each payment',
      asks: 'Ask me before it pays more than a certain amount at a time',
    },
    command: { label: 'Approve above', help: 'ask the owner above this amount, or none' },
    sentence: 'woven',
  },
  newPayees: {
    kind: 'choice',
    column: 'new_payees',
    usual: 'allow',
    isTighter: (from, to) => from === 'allow' || to === 'approve',
    options: { allow: 'Pays', approve: 'Asks you first' },
    label: 'A payee it never paid',
    form: { label: 'Ask me before it pays someone new' },
    command: { label: 'New payees', help: 'whether a first payment to somebody asks the owner' },
    sentence: 'woven',
  },
  approvalMinutes: {
    kind: 'count',
    column: 'approval_minutes',
    usual: 15,
    isTighter: isLower,
    unit: 'minutes',
    short: 'min',
    least: 1,
    most: 1_440,
    mostSaid: 'a day',
    label: 'Time to approve',
    form: { note: 'Then it is refused' },
    command: { label: 'Approval', help: 'how long the owner has to answer', before: 'within ' },
    sentence: 'woven',
  },
} as const satisfies Record<string, FieldEntry>;

type Fields = typeof policyFields;
export type PolicyField = keyof Fields;

type Of<Values extends Record<FieldKind, unknown>, E> =
  | (E extends { options: infer Options }
      ? keyof Options
      : E extends { kind: infer K extends FieldKind }
        ? Values[K]
        : never)
  | (E extends { mayBeNone: true } ? null : never);

/** A policy inside the treasury. */
export type HeldPolicy = { [F in PolicyField]: Of<Held, Fields[F]> };
/** A policy in requests and replies. */
export type StatedPolicy = { [F in PolicyField]: Of<Stated, Fields[F]> };

/** The table, for code that treats all fields alike. */
export const fieldEntries = Object.entries(policyFields) as [PolicyField, FieldEntry][];
export const fieldNames = fieldEntries.map(([name]) => name);

export const fieldNamed = (name: string): FieldEntry | undefined =>
  fieldEntries.find(([known]) => known === name)?.[1];

/** The fields that limit what is paid, rather than ask the owner. Groups, delegated keys and the treasury have them too. */
export const limitFields = [
  'dailyBudget',
  'weeklyBudget',
  'monthlyBudget',
  'totalBudget',
  'maxPerPayment',
  'cooldownSeconds',
  'allowedServices',
  'paymentsPerHour',
  'paymentsPerDay',
  'serviceLimits',
  'allowedModels',
  'modelRequestsPerHour',
  'activeHours',
  'expiresAt',
] as const satisfies readonly PolicyField[];
export type LimitField = (typeof limitFields)[number];

/** The entries of these limits where each may be left out: at a group, a delegated key and the treasury. */
export const limitEntries: readonly (readonly [LimitField, FieldEntry])[] = limitFields.map((name) => [
  name,
  { ...policyFields[name], mayBeNone: true } as FieldEntry,
]);

/** Limits inside the treasury; null sets none. */
export type HeldLimits = { readonly [F in LimitField]: HeldPolicy[F] | null };
/** Limits in requests and replies. */
export type StatedLimits = { [F in LimitField]: StatedPolicy[F] | null };

/** A value for each field. */
export const eachField = <T>(make: (entry: FieldEntry, name: PolicyField) => T): Record<PolicyField, T> =>
  Object.fromEntries(fieldEntries.map(([name, entry]) => [name, make(entry, name)])) as Record<
    PolicyField,
    T
  >;

/** The policy of an agent that was given no other. It allows nothing, since its budgets are zero. */
export const usualPolicy = eachField(({ usual }) => usual) as HeldPolicy;

type Comparison = (from: unknown, to: unknown) => boolean;

/** Whether `to` allows nothing that `from` does not. */
export const isFieldTighter = (entry: FieldEntry, from: unknown, to: unknown): boolean =>
  from === null || from === to || (to !== null && (entry.isTighter as Comparison)(from, to));

const valueInReply = ({ kind }: FieldEntry, value: HeldPolicy[PolicyField]): unknown => {
  if (kind === 'time' && typeof value === 'number') return new Date(value).toISOString();
  if (typeof value === 'bigint') return formatUsdc(value);
  if (kind === 'serviceLimits' && value !== null) return serviceLimitsInReply(value as ServiceLimits);
  return Array.isArray(value) ? [...value] : value;
};

/** A policy as replies state it. */
export const policyInReply = (policy: HeldPolicy): StatedPolicy =>
  eachField((entry, name) => valueInReply(entry, policy[name])) as StatedPolicy;

/** Limits as replies state them. */
export const limitsInReply = (limits: HeldLimits): StatedLimits =>
  Object.fromEntries(
    limitFields.map((name) => [name, valueInReply(policyFields[name], limits[name])]),
  ) as StatedLimits;

/** Reads a value of a reply; undefined when it is none of its kind. */
export const readStated = (entry: FieldEntry, stated: unknown): unknown => {
  if (stated === null) return entry.mayBeNone === true ? null : undefined;
  const number = () => (typeof stated === 'number' ? stated : undefined);
  return byKind<unknown>(entry, {
    amount: () => (typeof stated === 'string' ? (parseUsdc(stated) ?? undefined) : undefined),
    seconds: number,
    count: number,
    services: () => (Array.isArray(stated) ? stated.map(String) : undefined),
    models: () => (Array.isArray(stated) ? stated.map(String) : undefined),
    choice: () => (typeof stated === 'string' ? stated : undefined),
    time: () =>
      typeof stated === 'string' && !Number.isNaN(Date.parse(stated)) ? Date.parse(stated) : undefined,
    hours: () => hoursIn(stated),
    serviceLimits: () => readServiceLimits(stated),
  });
};

const hoursIn = (stated: unknown): Hours | undefined => {
  if (
    typeof stated !== 'object' ||
    stated === null ||
    !('days' in stated && 'from' in stated && 'to' in stated)
  )
    return undefined;
  const { days, from, to } = stated;
  return Array.isArray(days) ? { days: days.map(Number), from: String(from), to: String(to) } : undefined;
};
