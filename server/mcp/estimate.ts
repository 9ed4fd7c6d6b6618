// Estimates whether a payment would pass its policy, from what an agent can read. The treasury decides, and knows more:
// a pause, the owner's ceiling, standing approvals, and payments that others are about to make.
import type { Reply } from '../contract/schemas.ts';
import { formatUsdc, parseUsdc, usdc } from '../money.ts';

type Policy = Reply<'getPolicy'>['policy'];
type Past = Reply<'spendHistory'>['payments'][number];

export interface Reason {
  rule: string;
  message: string;
  retryAt?: string;
}

export interface Estimate {
  verdict: 'would_pass' | 'would_ask_owner' | 'would_be_refused';
  reasons: Reason[];
  spent24h: string;
  leftToday: string;
}

interface Asked {
  service: string;
  amount: string;
  policy: Policy;
  balance: string;
  /** Newest first. */
  history: readonly Past[];
  now: number;
}

const dayMs = 86_400_000;

export const estimate = (asked: Asked): Estimate => {
  const spending = spendingOf(asked.history, asked.now);
  const amount = units(asked.amount);
  const budget = units(asked.policy.dailyBudget);
  const left = budget > spending.total ? budget - spending.total : 0n;
  const refusals = [
    whitelist(asked),
    perPayment(asked, amount),
    cooldown(asked),
    amount > left ? overBudget(asked, amount, spending) : null,
    amount > units(asked.balance)
      ? { rule: 'balance', message: `The wallet has ${asked.balance} USDC.` }
      : null,
  ].filter((one) => one !== null);
  const questions = [aboveThreshold(asked, amount), newPayee(asked)].filter((one) => one !== null);
  const verdict =
    refusals.length > 0 ? 'would_be_refused' : questions.length > 0 ? 'would_ask_owner' : 'would_pass';
  return {
    verdict,
    reasons: [...refusals, ...questions],
    spent24h: formatUsdc(usdc(spending.total)),
    leftToday: formatUsdc(usdc(left)),
  };
};

interface Spending {
  total: bigint;
  /** Oldest first: when each amount leaves the window. */
  leaving: { at: number; amount: bigint }[];
}

const counts = (one: Past): boolean => ['confirmed', 'pending', 'unknown'].includes(one.status);

const spendingOf = (history: readonly Past[], now: number): Spending => {
  const leaving = history
    .filter((one) => counts(one) && (one.status !== 'confirmed' || Date.parse(one.timestamp) > now - dayMs))
    .map((one) => ({ at: Date.parse(one.timestamp) + dayMs, amount: units(one.amount) }))
    .toReversed();
  return { total: leaving.reduce((sum, one) => sum + one.amount, 0n), leaving };
};

const whitelist = ({ service, policy: { allowedServices } }: Asked): Reason | null =>
  allowedServices.length === 0 || allowedServices.includes(service)
    ? null
    : { rule: 'allowedServices', message: `The policy allows only: ${allowedServices.join(', ')}.` };

const perPayment = ({ policy: { maxPerPayment } }: Asked, amount: bigint): Reason | null =>
  amount <= units(maxPerPayment)
    ? null
    : { rule: 'maxPerPayment', message: `One payment may be at most ${maxPerPayment} USDC.` };

const cooldown = ({ policy: { cooldownSeconds }, history, now }: Asked): Reason | null => {
  const last = history.find(counts);
  const until = last === undefined ? 0 : Date.parse(last.timestamp) + cooldownSeconds * 1_000;
  if (cooldownSeconds === 0 || now >= until) return null;
  return {
    rule: 'cooldownSeconds',
    message: `The policy asks for ${cooldownSeconds} s between payments.`,
    retryAt: new Date(until).toISOString(),
  };
};

const overBudget = ({ policy }: Asked, amount: bigint, { total, leaving }: Spending): Reason => {
  const budget = units(policy.dailyBudget);
  const message = `${formatUsdc(usdc(total))} of the ${policy.dailyBudget} USDC for 24 hours are spent or reserved.`;
  if (amount > budget) return { rule: 'dailyBudget', message };
  let rest = total;
  for (const one of leaving) {
    rest -= one.amount;
    if (rest + amount <= budget)
      return { rule: 'dailyBudget', message, retryAt: new Date(one.at).toISOString() };
  }
  return { rule: 'dailyBudget', message };
};

const aboveThreshold = ({ policy: { approveAbove } }: Asked, amount: bigint): Reason | null =>
  approveAbove === null || amount <= units(approveAbove)
    ? null
    : { rule: 'approveAbove', message: `Above ${approveAbove} USDC the owner is asked.` };

const newPayee = ({ policy: { newPayees }, history, service }: Asked): Reason | null =>
  newPayees === 'allow' || history.some((one) => one.serviceId === service && one.status === 'confirmed')
    ? null
    : { rule: 'newPayees', message: 'The owner is asked before the first payment to a new payee.' };

const units = (decimal: string): bigint => parseUsdc(decimal) ?? 0n;
