// The limits of a policy beyond those of a day, a payment and a service. They are null until somebody sets them.
import { hoursText, isWithinHours } from './hours.ts';
import { isLower, type FieldEntry } from './policy-field.ts';
import { isWithinServiceLimits, mostServiceLimits } from './service-limits.ts';

const later = { isLater: true, mayBeNone: true, usual: null } as const;
const budget = { ...later, kind: 'amount', isTighter: isLower, none: 'None' } as const;
const rate = {
  ...later,
  kind: 'count',
  isTighter: isLower,
  unit: 'payments',
  short: 'payments',
  least: 0,
  none: 'Any number',
} as const;

export const furtherLimits = {
  weeklyBudget: {
    ...budget,
    column: 'weekly_budget',
    label: 'Weekly budget',
    refusal: { payment: 'over the weekly budget' },
    form: { asks: 'Limit the spending in any 7 days' },
    command: { label: 'Weekly budget', help: 'what it may spend in 7 days, or none' },
    tool: 'most in 7 days',
    sentence: (amount: string) => `In any 7 days it can spend ${amount} USDC at most.`,
  },
  monthlyBudget: {
    ...budget,
    column: 'monthly_budget',
    label: 'Monthly budget',
    refusal: { payment: 'over the monthly budget' },
    form: { asks: 'Limit the spending in a calendar month' },
    command: { label: 'Monthly budget', help: 'what it may spend in a calendar month, or none' },
    tool: 'most in a calendar month',
    sentence: (amount: string) => `In a calendar month it can spend ${amount} USDC at most.`,
  },
  totalBudget: {
    ...budget,
    column: 'total_budget',
    label: 'Total budget',
    refusal: { payment: 'over the total budget' },
    form: { note: 'Counts once you set it', asks: 'Limit the spending in total, from now on' },
    command: { label: 'Total budget', help: 'what it may spend from now on, in total, or none' },
    tool: 'most in total since it was set',
    sentence: (amount: string) => `In total it can spend ${amount} USDC, counted once you set this.`,
  },
  paymentsPerHour: {
    ...rate,
    column: 'payments_per_hour',
    most: 100_000,
    label: 'Payments in an hour',
    refusal: { payment: 'over the number of payments in an hour' },
    form: { asks: 'Limit the number of payments in an hour' },
    command: { label: 'Payments in an hour', help: 'how many payments it may make in an hour, or none' },
    tool: 'most payments in an hour',
    sentence: (count: number) => `It can make at most ${count} payments in an hour.`,
  },
  paymentsPerDay: {
    ...rate,
    column: 'payments_per_day',
    most: 1_000_000,
    label: 'Payments in a day',
    refusal: { payment: 'over the number of payments in a day' },
    form: { asks: 'Limit the number of payments in 24 hours' },
    command: { label: 'Payments in a day', help: 'how many payments it may make in 24 hours, or none' },
    tool: 'most payments in 24 hours',
    sentence: (count: number) => `It can make at most ${count} payments in 24 hours.`,
  },
  serviceLimits: {
    kind: 'serviceLimits',
    column: 'service_limits',
    ...later,
    isTighter: isWithinServiceLimits,
    most: mostServiceLimits,
    label: 'Limits at single services',
    none: 'None',
    refusal: { label: 'Limit at this service', payment: 'over the limit at its service' },
    form: { note: 'Leave an amount empty for no limit', asks: 'Limit the spending at single services' },
    command: {
      label: 'Service limits',
      help: 'what it may spend at single services, such as "web-search 10/day 60/month 1/payment, weather none"; a service that you name gets these limits alone, others keep theirs; or none',
    },
    sentence: 'woven',
  },
  activeHours: {
    kind: 'hours',
    column: 'active_hours',
    ...later,
    isTighter: isWithinHours,
    label: 'Hours',
    none: 'At any hour',
    refusal: { payment: 'outside its hours' },
    form: {
      note: 'By the clock of the time zone in Settings',
      asks: 'Allow payments in certain hours only',
    },
    command: { label: 'Hours', help: 'when it may pay, such as "mon-fri 08:00-19:00", or none' },
    sentence: (hours) => `It pays only ${hoursText(hours)}.`,
  },
  expiresAt: {
    kind: 'time',
    column: 'expires_at',
    ...later,
    isTighter: isLower,
    label: 'Ends',
    none: 'Never',
    refusal: { payment: 'after its end' },
    form: {
      label: 'End',
      note: 'From then on nothing is paid',
      asks: 'Allow payments until a certain day',
    },
    command: { label: 'Ends', help: 'when it stops paying, a date or a time, or none' },
    sentence: (time) => `It pays nothing from ${time.slice(0, 16).replace('T', ' ')} UTC on.`,
  },
} as const satisfies Record<string, FieldEntry>;
