// The budgets of a node, and its limits at single services.
import { limitAt } from '../../contract/limits/service-limits.ts';
import { firstOf } from '../../lib/first-of.ts';
import { formatUsdc, usdc, type Usdc } from '../../money.ts';
import type { LimitNode, Refusal } from '../ports.ts';
import type { LimitedPayment, NodeFacts, Rule, WindowSums } from './node-facts.ts';
import { next, retrying } from './retry.ts';
import { budgetFields, budgetWindows, serviceWindows, type BudgetWindow } from './windows.ts';

const budgets = {
  day: { code: 'daily_budget', span: 'in 24 hours', name: 'daily budget' },
  week: { code: 'weekly_budget', span: 'in 7 days', name: 'weekly budget' },
  month: { code: 'monthly_budget', span: 'this month', name: 'monthly budget' },
  total: { code: 'total_budget', span: 'in total', name: 'total budget' },
} as const satisfies Record<BudgetWindow, object>;

/** The owner's daily limit for all agents has names of its own. */
const wordsOf = ({ kind }: LimitNode, window: BudgetWindow) =>
  kind === 'treasury' && window === 'day'
    ? { rule: 'ownerCeiling', code: 'owner_ceiling' as const }
    : { rule: budgetFields[window], code: budgets[window].code };

export const overBudget: Rule = (payment, facts) =>
  firstOf(budgetWindows, (window) => budget(payment, facts, window));

const budget = (payment: LimitedPayment, facts: NodeFacts, window: BudgetWindow): Refusal | null => {
  const { node, limits } = facts;
  const limit = limits[budgetFields[window]];
  const over = limit === null ? null : overrun(payment, facts, { window, limit });
  if (over === null) return null;
  const { rule, code } = wordsOf(node, window);
  return {
    code,
    message: `The policy's ${budgets[window].name} is ${over.said}`,
    details: { rule, ...over.details },
  };
};

/** The payment's excess over a budget, in words and figures; null when it fits. */
const overrun = <Window extends BudgetWindow>(
  { amount }: LimitedPayment,
  sums: WindowSums<Window>,
  { window, limit }: { window: Window; limit: Usdc },
) => {
  const spent = sums.spent(window);
  const over = usdc(spent + amount - limit);
  if (over <= 0n) return null;
  const retryAt = amount <= limit ? sums.freedAt(window, over) : null;
  return {
    said: `${formatUsdc(limit)} USDC ${budgets[window].span}, of which ${formatUsdc(spent)} is spent or reserved; ${formatUsdc(amount)} more does not fit. ${next(retryAt)}`,
    details: {
      limit: formatUsdc(limit),
      spent: formatUsdc(spent),
      amount: formatUsdc(amount),
      ...retrying(retryAt),
    },
  };
};

export const overServiceLimit: Rule = (payment, facts) => {
  const { amount, serviceId } = payment;
  const limit = limitAt(facts.limits.serviceLimits, serviceId);
  if (limit === undefined) return null;
  const rule = { rule: 'serviceLimits', service: serviceId };
  if (limit.maxPerPayment !== undefined && amount > limit.maxPerPayment)
    return {
      code: 'service_limit',
      message: `${formatUsdc(amount)} USDC is more than the ${formatUsdc(limit.maxPerPayment)} USDC that the policy allows for one payment to ${serviceId}. Ask the owner for a higher limit at this service.`,
      details: {
        ...rule,
        field: 'maxPerPayment',
        limit: formatUsdc(limit.maxPerPayment),
        amount: formatUsdc(amount),
      },
    };
  const sums = facts.atService(serviceId);
  return firstOf(serviceWindows, (window) => {
    const field = budgetFields[window];
    const most = limit[field];
    const over = most === undefined ? null : overrun(payment, sums, { window, limit: most });
    if (over === null) return null;
    return {
      code: 'service_limit',
      message: `The policy's ${budgets[window].name} for ${serviceId} is ${over.said}`,
      details: { ...rule, field, ...over.details },
    };
  });
};
