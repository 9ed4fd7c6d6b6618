// The policy: may this payment be made now? A pure function of the request and of facts read in the same transaction.
// Every rule has to allow it; a payment that no rule covers is denied.
import { formatUsdc, lamports, usdc, type Lamports, type Usdc } from '../../../money.ts';
import type { LimitedPayment, NodeFacts } from '../../limits/node-facts.ts';
import { ofNode, refusedByNode } from '../../limits/node-rules.ts';
import type { Policy, Refusal } from '../../ports.ts';
import type { Watching } from '../../domain/watch.ts';

interface PaymentRequest extends LimitedPayment {
  agentId: string;
  payee: string;
}

export interface Facts {
  /** The service that the owner blocked for all agents, and that this payment would pay; null: none. */
  blockedBy: string | null;
  /** A service that a node limits, and whose payee this is while the payment names one without payees of its own. */
  disguises: { node: NodeFacts; serviceId: string } | null;
  /** From the agent up to the treasury: each has to allow the payment. */
  path: readonly NodeFacts[];
  /** When the owner is asked. */
  policy: Pick<Policy, 'approveAbove' | 'newPayees'>;
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
  /** The watch's verdict on this request; null where it is not asked. */
  watching: Watching | null;
}

/** Facts under which only the policy refuses. */
export const elseAllowed: Omit<Facts, 'path' | 'policy' | 'payeeKnown' | 'available'> = {
  blockedBy: null,
  disguises: null,
  payeeChanged: false,
  fee: lamports(0n),
  feesSpent: 0n,
  feeLimit: null,
  rent: lamports(0n),
  rentSpent: 0n,
  rentLimit: null,
  rentAllowed: true,
  watching: null,
};

/** The owner's consent to exactly this payment: the owner asked for it, or granted its approval. */
export type Consent = 'none' | 'owner' | 'approval';

export type HoldReason = 'approve_above' | 'new_payee' | 'payee_changed' | 'open_account' | 'watch';

export type Decision =
  | { kind: 'allow' }
  /** `because` is the first of `reasons`; `sentence` is the watch's, if it is one of them. */
  | { kind: 'hold'; because: HoldReason; reasons: readonly HoldReason[]; sentence?: string }
  | { kind: 'deny'; refusal: Refusal };

/**
 * Checks, in this order, the owner's blocked services, the name of the service, the limits of each node from the agent upward, the wallet, the
 * fees and the rent, and whether the watch pauses the agent. The rules that only hold a payment for the owner come last.
 * @param consent waives the rules that hold a payment; an approval also waives the cooldown. No consent waives a limit. An
 *   approval is for what was shown: it does not waive a changed payee or an account to open, and the caller checks that
 *   the owner was shown them
 */
export const decide = (request: PaymentRequest, facts: Facts, consent: Consent = 'none'): Decision => {
  const refusal =
    blockedService(request, facts) ??
    disguised(request, facts) ??
    refusedOnPath(request, facts, consent) ??
    ofAgent(balance(request, facts), facts) ??
    ofAgent(networkFees(facts), facts) ??
    rent(facts) ??
    pausedByWatch(facts);
  if (refusal !== null) return { kind: 'deny', refusal };
  const reasons = consent === 'owner' ? [] : reasonsToAsk(request, facts, consent);
  const [because] = reasons;
  if (because === undefined) return { kind: 'allow' };
  const sentence = reasons.includes('watch') ? facts.watching?.because?.sentence : undefined;
  return { kind: 'hold', because, reasons, ...(sentence === undefined ? {} : { sentence }) };
};

const reasonsToAsk = (
  { amount }: PaymentRequest,
  facts: Facts,
  consent: 'none' | 'approval',
): HoldReason[] => {
  const { policy, payeeChanged, payeeKnown, rent: needed, rentAllowed, watching } = facts;
  const { approveAbove, newPayees } = policy;
  const reasons: HoldReason[] = [];
  if (payeeChanged) reasons.push('payee_changed');
  if (needed > 0n && !rentAllowed) reasons.push('open_account');
  if (consent === 'approval') return reasons;
  if (approveAbove !== null && amount > approveAbove) reasons.push('approve_above');
  if (newPayees === 'approve' && !payeeKnown) reasons.push('new_payee');
  if (watching?.does === 'ask') reasons.push('watch');
  return reasons;
};

/** The wallet and its fees are the agent's: a delegated key is shown none of its sums. */
const ofAgent = (refusal: Refusal | null, { path }: Facts): Refusal | null => {
  const agent = path.find(({ node }) => node.kind === 'agent');
  return refusal === null || agent === undefined ? refusal : ofNode(refusal, agent);
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

const disguised: Rule = ({ serviceId }, { disguises }) =>
  disguises === null
    ? null
    : ofNode(
        {
          code: 'service_limit',
          message: `The payee is that of ${disguises.serviceId}, which has a limit of its own. Pay it under that name and at its address in the catalog, not as ${serviceId}.`,
          details: { rule: 'serviceLimits', service: disguises.serviceId },
        },
        disguises.node,
        `The catalog lists this payee. Pay it as the service there, and not as ${serviceId}.`,
      );

/** The first node from the agent upward that refuses is the one named. */
const refusedOnPath = (request: PaymentRequest, { path }: Facts, consent: Consent): Refusal | null => {
  for (const node of path) {
    const refusal = refusedByNode(request, node, consent === 'approval');
    if (refusal !== null) return refusal;
  }
  return null;
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

const pausedByWatch = ({ watching }: Facts): Refusal | null =>
  watching?.does !== 'pause' || watching.because === null
    ? null
    : {
        code: 'suspended',
        message: `The watch paused this agent. ${watching.because.sentence} Only the owner can resume it.`,
        details: { because: 'watch', rule: watching.because.rule },
      };
