// May this payment be made under the limits of one node? Pure functions of the request and of facts read in the same
// transaction.
import { hoursText } from '../../contract/hours.ts';
import { formatUsdc, usdc, type Usdc } from '../../money.ts';
import type { Boost, LimitNode, Limits, Refusal } from '../ports.ts';
import {
  budgetFields,
  budgetWindows,
  rateFields,
  rateWindows,
  type BudgetWindow,
  type RateWindow,
} from './windows.ts';

export interface LimitedPayment {
  amount: Usdc;
  serviceId: string;
  /** Unix milliseconds. */
  now: number;
}

export interface NodeFacts {
  node: LimitNode;
  /** The node that pays. It may know its limits and sums, and nothing of the nodes above it. */
  isLowest: boolean;
  /** With the boost in force. */
  limits: Limits;
  boost: Boost | null;
  /** Unix milliseconds; null when nothing was reserved, or when it does not matter. */
  lastReservedAt: number | null;
  /** Only the agent's claim ties the payee to the service: it brought the offer, and the catalog pins no payee. */
  isClaimed: boolean;
  /** Open rows, plus the final rows of the window. */
  spent(window: BudgetWindow): Usdc;
  /** When at least `needed` will have left the window; null when waiting alone does not help. */
  freedAt(window: BudgetWindow, needed: Usdc): number | null;
  /** The number of payments reserved in the window, but for those that are void. */
  payments(window: RateWindow): number;
  /** When so many of them will have left; null when there are fewer. */
  fewerAt(window: RateWindow, leaving: number): number | null;
  /** Lamports of network fees, open or paid in 24 hours. */
  fees(): bigint;
  /** When the hours next begin, in Unix milliseconds; null within them, and without any. */
  opensAt(): number | null;
}

type Rule = (payment: LimitedPayment, facts: NodeFacts) => Refusal | null;

/**
 * The first refusal of the node's limits, in this order: its end, the allowed services, the maximum per payment, the
 * cooldown, the number of payments in an hour and a day, the hours, and the budgets of a day, a week, a month and in all.
 * @param isGranted the owner granted this payment's approval, which waives the cooldown and no other limit
 */
export const refusedByNode = (
  payment: LimitedPayment,
  facts: NodeFacts,
  isGranted: boolean,
): Refusal | null => {
  const refusal = firstRefusal(payment, facts, isGranted);
  return refusal === null ? null : ofNode(refusal, facts);
};

const firstRefusal = (payment: LimitedPayment, facts: NodeFacts, isGranted: boolean): Refusal | null =>
  expiry(payment, facts) ??
  allowedServices(payment, facts) ??
  maxPerPayment(payment, facts) ??
  (isGranted ? null : cooldown(payment, facts)) ??
  first(rateWindows, (window) => rate(facts, window)) ??
  outsideHours(facts) ??
  first(budgetWindows, (window) => budget(payment, facts, window));

const first = <T>(all: readonly T[], refuse: (one: T) => Refusal | null): Refusal | null => {
  for (const one of all) {
    const refusal = refuse(one);
    if (refusal !== null) return refusal;
  }
  return null;
};

const above: Record<LimitNode['kind'], string> = {
  key: 'the key that this one was delegated from',
  agent: 'the agent as a whole',
  group: 'the agent’s group',
  treasury: 'all agents together',
};

/** Names the node. Above the node that pays, the message tells no limit and no sum; `toldTo` hides those of the details. */
export const ofNode = ({ code, message, details }: Refusal, { node, isLowest }: NodeFacts): Refusal => {
  if (isLowest) return { code, message, details };
  const retryAt = typeof details['retryAt'] === 'string' ? Date.parse(details['retryAt']) : null;
  return {
    code,
    message: `A limit on ${above[node.kind]} does not allow this payment. ${next(retryAt)}`,
    details: { ...details, node },
  };
};

const expiry: Rule = ({ now }, { limits: { expiresAt } }) =>
  expiresAt === null || now < expiresAt
    ? null
    : {
        code: 'expired',
        message: `The policy ended at ${iso(expiresAt)}. Ask the owner for a later expiresAt.`,
        details: { rule: 'expiresAt', limit: iso(expiresAt) },
      };

const allowedServices: Rule = ({ serviceId }, { limits: { allowedServices: allowed }, isClaimed }) =>
  allowed === null || allowed.length === 0 || allowed.includes(serviceId)
    ? null
    : {
        code: 'service_not_allowed',
        message: `The policy does not allow the service ${serviceId}. Ask the owner to add it to allowedServices.`,
        details: {
          rule: 'allowedServices',
          service: serviceId,
          allowed,
          ...(isClaimed ? { claimed: true } : {}),
        },
      };

const maxPerPayment: Rule = ({ amount }, { limits: { maxPerPayment: most } }) =>
  most === null || amount <= most
    ? null
    : {
        code: 'max_per_payment',
        message: `${formatUsdc(amount)} USDC is more than the ${formatUsdc(most)} USDC that the policy allows for one payment. Ask the owner for a higher maxPerPayment.`,
        details: {
          rule: 'maxPerPayment',
          limit: formatUsdc(most),
          amount: formatUsdc(amount),
        },
      };

const cooldown: Rule = ({ now }, { limits: { cooldownSeconds: seconds }, lastReservedAt }) => {
  const until = lastReservedAt === null || seconds === null ? 0 : lastReservedAt + seconds * 1_000;
  if (now >= until) return null;
  return {
    code: 'cooldown',
    message: `The policy asks for ${seconds} s between payments. Try again, with a new Idempotency-Key, at ${iso(until)}.`,
    details: { rule: 'cooldownSeconds', limit: seconds, retryAt: iso(until) },
  };
};

const rate = ({ limits, payments, fewerAt }: NodeFacts, window: RateWindow): Refusal | null => {
  const rule = rateFields[window];
  const limit = limits[rule];
  const made = limit === null ? 0 : payments(window);
  if (limit === null || made < limit) return null;
  const retryAt = limit === 0 ? null : fewerAt(window, made - limit + 1);
  return {
    code: 'payment_rate',
    message: `The policy allows ${limit} payments in ${window === 'hour' ? 'an hour' : '24 hours'}, and ${made} were made. ${next(retryAt)}`,
    details: { rule, limit, made, ...retrying(retryAt) },
  };
};

const outsideHours = ({ limits: { activeHours }, opensAt }: NodeFacts): Refusal | null => {
  const retryAt = opensAt();
  if (activeHours === null || retryAt === null) return null;
  return {
    code: 'outside_hours',
    message: `The policy allows payments only in these hours: ${hoursText(activeHours)}. ${next(retryAt)}`,
    details: { rule: 'activeHours', limit: hoursText(activeHours), ...retrying(retryAt) },
  };
};

const budgets = {
  day: { code: 'daily_budget', span: 'in 24 hours', name: 'daily budget' },
  week: { code: 'weekly_budget', span: 'in 7 days', name: 'weekly budget' },
  month: { code: 'monthly_budget', span: 'this month', name: 'monthly budget' },
  total: { code: 'total_budget', span: 'in total', name: 'total budget' },
} as const satisfies Record<BudgetWindow, object>;

/** The owner's daily limit over all agents has names of its own. */
const wordsOf = ({ kind }: LimitNode, window: BudgetWindow) =>
  kind === 'treasury' && window === 'day'
    ? { rule: 'ownerCeiling', code: 'owner_ceiling' as const }
    : { rule: budgetFields[window], code: budgets[window].code };

const budget = ({ amount }: LimitedPayment, facts: NodeFacts, window: BudgetWindow): Refusal | null => {
  const { node, limits, freedAt } = facts;
  const limit = limits[budgetFields[window]];
  if (limit === null) return null;
  const spent = facts.spent(window);
  const over = usdc(spent + amount - limit);
  if (over <= 0n) return null;
  const { rule, code } = wordsOf(node, window);
  const retryAt = amount <= limit ? freedAt(window, over) : null;
  return {
    code,
    message: `The policy's ${budgets[window].name} is ${formatUsdc(limit)} USDC ${budgets[window].span}, of which ${formatUsdc(spent)} is spent or reserved; ${formatUsdc(amount)} more does not fit. ${next(retryAt)}`,
    details: {
      rule,
      limit: formatUsdc(limit),
      spent: formatUsdc(spent),
      amount: formatUsdc(amount),
      ...retrying(retryAt),
    },
  };
};

const next = (retryAt: number | null): string =>
  retryAt === null ? 'Ask the owner for more.' : `Try again, with a new Idempotency-Key, at ${iso(retryAt)}.`;
const retrying = (retryAt: number | null) => (retryAt === null ? {} : { retryAt: iso(retryAt) });

const iso = (time: number): string => new Date(time).toISOString();
