// The policy: may this payment be made now? A pure function of the request and of facts read in the same transaction.
// Every rule has to allow it; a payment that no rule covers is denied.
import { formatUsdc, usdc, type Lamports, type Usdc } from '../../money.ts';
import type { PolicyInForce, Refusal } from '../ports.ts';

interface PaymentRequest {
  agentId: string;
  amount: Usdc;
  serviceId: string;
  payee: string;
  now: number;
}

export interface Facts {
  /** The service that the owner blocked for all agents, and that this payment would pay; null: none. */
  blockedBy: string | null;
  /** Only the agent's claim ties the payee to the service: it brought the offer, and the catalog pins no payee. */
  isClaimed: boolean;
  policy: PolicyInForce;
  /** Open rows plus final rows of the last 24 h. */
  spent: Usdc;
  ceiling: Usdc | null;
  spentByAll: Usdc;
  lastReservedAt: number | null;
  payeeKnown: boolean;
  /** The catalog names other payees for this service, or no longer lists it. */
  payeeChanged: boolean;
  /** The wallet's balance as last read, less open rows. */
  available: Usdc;
  fee: Lamports;
  feesSpent: bigint;
  feeLimit: bigint | null;
  rent: Lamports;
  rentSpent: bigint;
  rentLimit: bigint | null;
  /** Whether the treasury opens the payee's account without asking the owner. */
  rentAllowed: boolean;
  freedAt(scope: 'agent' | 'all', needed: Usdc): number | null;
}

/** The owner's consent to exactly this payment: the owner asked for it, or granted its approval. */
export type Consent = 'none' | 'owner' | 'approval';

export type HoldReason = 'approve_above' | 'new_payee' | 'payee_changed' | 'open_account';

export type Decision =
  | { kind: 'allow' }
  /** `because` is the first of `reasons`. */
  | { kind: 'hold'; because: HoldReason; reasons: readonly HoldReason[] }
  | { kind: 'deny'; refusal: Refusal };

/**
 * Checks, in this order, the owner's blocked services, the agent's allowed ones, the maximum per payment, the cooldown, the daily budget, the owner's
 * ceiling, the wallet, the fees and the rent. The rules that only hold a payment for the owner come last.
 * @param consent waives the rules that hold a payment; an approval also waives the cooldown. No consent waives a limit. An
 *   approval is for what was shown: it does not waive a changed payee or an account to open, and the caller checks that
 *   the owner was shown them
 */
export const decide = (request: PaymentRequest, facts: Facts, consent: Consent = 'none'): Decision => {
  const refusal =
    blockedService(request, facts) ??
    allowedService(request, facts) ??
    maxPerPayment(request, facts) ??
    (consent === 'approval' ? null : cooldown(request, facts)) ??
    dailyBudget(request, facts) ??
    ownerCeiling(request, facts) ??
    balance(request, facts) ??
    networkFees(facts) ??
    rent(facts);
  if (refusal !== null) return { kind: 'deny', refusal };
  const reasons = consent === 'owner' ? [] : reasonsToAsk(request, facts, consent);
  const [because] = reasons;
  return because === undefined ? { kind: 'allow' } : { kind: 'hold', because, reasons };
};

const reasonsToAsk = (
  { amount }: PaymentRequest,
  { policy: { approveAbove, newPayees }, payeeChanged, payeeKnown, rent: needed, rentAllowed }: Facts,
  consent: 'none' | 'approval',
): HoldReason[] => {
  const reasons: HoldReason[] = [];
  if (payeeChanged) reasons.push('payee_changed');
  if (needed > 0n && !rentAllowed) reasons.push('open_account');
  if (consent === 'approval') return reasons;
  if (approveAbove !== null && amount > approveAbove) reasons.push('approve_above');
  if (newPayees === 'approve' && !payeeKnown) reasons.push('new_payee');
  return reasons;
};

type Rule = (request: PaymentRequest, facts: Facts) => Refusal | null;

const blockedService: Rule = ({ serviceId }, { blockedBy }) => {
  if (blockedBy === null) return null;
  const why = blockedBy === serviceId ? '' : ` ${serviceId} is the same seller under another name.`;
  return {
    code: 'service_blocked',
    message: `The owner blocked the service ${blockedBy} for all agents.${why} Use another service.`,
    details: { service: serviceId, blocked: blockedBy },
  };
};

const allowedService: Rule = ({ serviceId }, { policy: { allowedServices }, isClaimed }) =>
  allowedServices.length === 0 || allowedServices.includes(serviceId)
    ? null
    : {
        code: 'service_not_allowed',
        message: `The policy does not allow the service ${serviceId}. Ask the owner to add it to allowedServices.`,
        details: {
          rule: 'allowedServices',
          service: serviceId,
          allowed: allowedServices,
          ...(isClaimed ? { claimed: true } : {}),
        },
      };

const maxPerPayment: Rule = ({ amount }, { policy }) =>
  amount <= policy.maxPerPayment
    ? null
    : {
        code: 'max_per_payment',
        message: `${formatUsdc(amount)} USDC is more than the ${formatUsdc(policy.maxPerPayment)} USDC that the policy allows for one payment. Ask the owner for a higher maxPerPayment.`,
        details: {
          rule: 'maxPerPayment',
          limit: formatUsdc(policy.maxPerPayment),
          amount: formatUsdc(amount),
        },
      };

const cooldown: Rule = ({ now }, { policy, lastReservedAt }) => {
  const until = lastReservedAt === null ? 0 : lastReservedAt + policy.cooldownSeconds * 1_000;
  if (policy.cooldownSeconds === 0 || now >= until) return null;
  return {
    code: 'cooldown',
    message: `The policy asks for ${policy.cooldownSeconds} s between payments. Try again, with a new Idempotency-Key, at ${iso(until)}.`,
    details: { rule: 'cooldownSeconds', limit: policy.cooldownSeconds, retryAt: iso(until) },
  };
};

const dailyBudget: Rule = ({ amount }, { policy, spent, freedAt }) =>
  overBudget(ofAgent, amount, { limit: policy.dailyBudget, spent }, (needed) => freedAt('agent', needed));

const ownerCeiling: Rule = ({ amount }, { ceiling, spentByAll, freedAt }) =>
  ceiling === null
    ? null
    : overBudget(ofAll, amount, { limit: ceiling, spent: spentByAll }, (needed) => freedAt('all', needed));

const ofAgent = { rule: 'dailyBudget', code: 'daily_budget', whose: `The policy's daily budget` } as const;
const ofAll = {
  rule: 'ownerCeiling',
  code: 'owner_ceiling',
  whose: `The owner's ceiling for all agents`,
} as const;

const overBudget = (
  { rule, code, whose }: typeof ofAgent | typeof ofAll,
  amount: Usdc,
  { limit, spent }: { limit: Usdc; spent: Usdc },
  freedAt: (needed: Usdc) => number | null,
): Refusal | null => {
  const over = usdc(spent + amount - limit);
  if (over <= 0n) return null;
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

const balance: Rule = ({ amount }, { available }) =>
  amount <= available
    ? null
    : {
        code: 'insufficient_balance',
        message: `The wallet has ${formatUsdc(usdc(available > 0n ? available : 0n))} USDC to spend and ${formatUsdc(amount)} are asked for. Ask the owner to allocate more.`,
        details: { available: formatUsdc(usdc(available > 0n ? available : 0n)), amount: formatUsdc(amount) },
      };

const networkFees = ({ fee, feesSpent, feeLimit }: Facts): Refusal | null =>
  feeLimit === null || feesSpent + fee <= feeLimit
    ? null
    : {
        code: 'fee_limit',
        message: `This agent has used its ${feeLimit} lamports of network fees in 24 hours. Wait, or ask the owner.`,
        details: { rule: 'feeLimit', limit: feeLimit.toString(), spent: feesSpent.toString() },
      };

const rent = ({ rent: needed, rentSpent, rentLimit }: Facts): Refusal | null =>
  needed === 0n || rentLimit === null || rentSpent + needed <= rentLimit
    ? null
    : {
        code: 'rent_limit',
        message:
          'The payee has no USDC account yet, and the treasury has opened enough accounts for today. Try again tomorrow.',
        details: { rule: 'rentLimit', needed: needed.toString(), limit: rentLimit.toString() },
      };

const iso = (time: number): string => new Date(time).toISOString();
