// May this payment be made under the limits of one node? Pure functions of the request and of facts read in the same
// transaction.
import { formatUsdc, usdc, type Usdc } from '../../money.ts';
import type { LimitNode, Limits, Refusal } from '../ports.ts';

export interface LimitedPayment {
  amount: Usdc;
  serviceId: string;
  /** Unix milliseconds. */
  now: number;
}

export interface NodeFacts {
  node: LimitNode;
  limits: Limits;
  /** Open rows, plus final rows of the last 24 hours. */
  spent: Usdc;
  /** Unix milliseconds; null when nothing was reserved, or when it does not matter. */
  lastReservedAt: number | null;
  /** Only the agent's claim ties the payee to the service: it brought the offer, and the catalog pins no payee. */
  isClaimed: boolean;
  /** When at least `needed` will have left the window; null when waiting alone does not help. */
  freedAt(needed: Usdc): number | null;
}

type Rule = (payment: LimitedPayment, facts: NodeFacts) => Refusal | null;

/**
 * The first refusal of the node's limits: the allowed services, the maximum per payment, the cooldown, the daily budget.
 * @param isGranted the owner granted this payment's approval, which waives the cooldown and no other limit
 */
export const refusedByNode = (
  payment: LimitedPayment,
  facts: NodeFacts,
  isGranted: boolean,
): Refusal | null =>
  allowedServices(payment, facts) ??
  maxPerPayment(payment, facts) ??
  (isGranted ? null : cooldown(payment, facts)) ??
  dailyBudget(payment, facts);

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

const wordsOf = {
  agent: { rule: 'dailyBudget', code: 'daily_budget', whose: `The policy's daily budget` },
  treasury: { rule: 'ownerCeiling', code: 'owner_ceiling', whose: `The owner's ceiling for all agents` },
} as const satisfies Record<LimitNode['kind'], object>;

const dailyBudget: Rule = ({ amount }, { node, limits: { dailyBudget: limit }, spent, freedAt }) => {
  if (limit === null) return null;
  const over = usdc(spent + amount - limit);
  if (over <= 0n) return null;
  const { rule, code, whose } = wordsOf[node.kind];
  const retryAt = amount <= limit ? freedAt(over) : null;
  const next =
    retryAt === null
      ? 'Ask the owner for more.'
      : `Try again, with a new Idempotency-Key, at ${iso(retryAt)}.`;
  return {
    code,
    message: `${whose} is ${formatUsdc(limit)} USDC in 24 hours, of which ${formatUsdc(spent)} is spent or reserved; ${formatUsdc(amount)} more does not fit. ${next}`,
    details: {
      rule,
      limit: formatUsdc(limit),
      spent: formatUsdc(spent),
      amount: formatUsdc(amount),
      ...(retryAt === null ? {} : { retryAt: iso(retryAt) }),
    },
  };
};

const iso = (time: number): string => new Date(time).toISOString();
