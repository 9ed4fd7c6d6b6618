// Converts a policy to the text values of its form, and back.
import { parseUsdc } from '../../../server/money.ts';
import { limitRule } from '../../shared/amount-rule.ts';
import type { Policy } from './policy-sentence.ts';

export const cooldownUnits = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const;
export type CooldownUnit = keyof typeof cooldownUnits;

export interface PolicyValues {
  dailyBudget: string;
  maxPerPayment: string;
  cooldown: string;
  cooldownUnit: CooldownUnit;
  asksAbove: boolean;
  approveAbove: string;
  asksNewPayees: boolean;
  approvalMinutes: string;
  allowedServices: string[];
}

const longestCooldownSeconds = 2_592_000;
const longestApprovalMinutes = 1_440;
const mostServices = 200;

/** The largest unit that gives a whole number. */
const unitOf = (seconds: number): CooldownUnit => {
  if (seconds === 0) return 'minutes';
  const fits = (unit: CooldownUnit): boolean => seconds % cooldownUnits[unit] === 0;
  return (['days', 'hours', 'minutes'] as const).find(fits) ?? 'seconds';
};

export const valuesOf = (policy: Policy): PolicyValues => {
  const cooldownUnit = unitOf(policy.cooldownSeconds);
  return {
    dailyBudget: policy.dailyBudget,
    maxPerPayment: policy.maxPerPayment,
    cooldown: String(policy.cooldownSeconds / cooldownUnits[cooldownUnit]),
    cooldownUnit,
    asksAbove: policy.approveAbove !== null,
    approveAbove: policy.approveAbove ?? '',
    asksNewPayees: policy.newPayees === 'approve',
    approvalMinutes: String(policy.approvalMinutes),
    allowedServices: policy.allowedServices,
  };
};

type Errors = Partial<Record<keyof PolicyValues, string>>;

const wholeRule = (text: string, low: number, high: number, what: string): string | null =>
  /^\d{1,9}$/.test(text.trim()) && Number(text) >= low && Number(text) <= high ? null : what;

/** Errors by field; empty without any. */
export const errorsOf = (values: PolicyValues): Errors => {
  const unit = cooldownUnits[values.cooldownUnit];
  const found = {
    dailyBudget: limitRule(values.dailyBudget),
    maxPerPayment: limitRule(values.maxPerPayment),
    cooldown: wholeRule(
      values.cooldown,
      0,
      longestCooldownSeconds / unit,
      'Write a whole number, at most 30 days in all.',
    ),
    approveAbove: values.asksAbove ? limitRule(values.approveAbove) : null,
    approvalMinutes: wholeRule(
      values.approvalMinutes,
      1,
      longestApprovalMinutes,
      'Write whole minutes from 1 to 1,440 (a day).',
    ),
    allowedServices: values.allowedServices.length > mostServices ? 'At most 200 services.' : null,
  };
  return Object.fromEntries(Object.entries(found).filter(([, error]) => error !== null));
};

/** Null while a field is invalid. */
export const policyOf = (values: PolicyValues): Policy | null => {
  if (Object.keys(errorsOf(values)).length > 0) return null;
  return {
    dailyBudget: values.dailyBudget.trim(),
    maxPerPayment: values.maxPerPayment.trim(),
    cooldownSeconds: Number(values.cooldown) * cooldownUnits[values.cooldownUnit],
    allowedServices: values.allowedServices,
    approveAbove: values.asksAbove ? values.approveAbove.trim() : null,
    newPayees: values.asksNewPayees ? 'approve' : 'allow',
    approvalMinutes: Number(values.approvalMinutes),
  };
};

/** Only differences are sent, so that saving does not undo what the agent has tightened in the meantime. */
export const changesOf = (before: Policy, after: Policy): Partial<Policy> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !isSame(before[name as keyof Policy], value)),
  );

const isSame = (before: unknown, after: unknown): boolean => {
  if (typeof before !== 'string' || typeof after !== 'string')
    return JSON.stringify(before) === JSON.stringify(after);
  const [one, other] = [parseUsdc(before), parseUsdc(after)];
  return one === null || other === null ? before === after : one === other;
};

/** Merges a policy that changed while its form was open: fields that the owner has not touched follow it. */
export const followed = (values: PolicyValues, old: PolicyValues, next: PolicyValues): PolicyValues => {
  const touched = Object.entries(values).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as keyof PolicyValues]),
  );
  return { ...next, ...Object.fromEntries(touched) };
};
