// Gathers the facts of a decision, from the store alone, and applies the policy. Run it in the transaction that acts on
// the decision.
import { isDeepStrictEqual } from 'node:util';
import { invariant } from '../../../errors.ts';
import { firstOf } from '../../../lib/first-of.ts';
import { addUsdc, lamports, usdc } from '../../../money.ts';
import { payeesOf } from '../../domain/purchase.ts';
import { pathOf } from '../../limits/path.ts';
import type { Context } from '../context.ts';
import { limitedSeller } from './limited-seller.ts';
import { available, decideByBalance } from './balance.ts';
import { arePinned, isChangedPayee, isClaimed, isUnpinned } from './pinned-payees.ts';
import { decide, type Consent, type Decision, type Facts, type HoldReason } from './decide.ts';
import type { Watching } from '../../domain/watch.ts';
import type { Approval, ChargePath, Intent, PolicyInForce, StandingGrant, Transfer } from '../../ports.ts';

/** Facts that must be read from the chain before T1 can decide. */
export interface ChainFacts {
  /** The treasury's lamports as last read. */
  treasuryLamports: bigint;
  /** Rent of the payee's token account in lamports, 0 when it exists. */
  rent: bigint;
}

/** In lamports: the costs of the transfer, and the balance that covers them. */
interface Costs extends ChainFacts {
  fee: bigint;
}

export interface Judged {
  decision: Decision;
  policyVersion: number;
  /** The standing approval that it draws on. */
  grantId: string | null;
}

type Judging = Pick<Context, 'store' | 'settings' | 'calendar'>;

/**
 * The decision on an intent. Run it in the transaction that reserves.
 * @param at `now` in Unix milliseconds, the owner's `consent` to exactly this payment, the nodes it is charged to, and
 *   what the watch does about it
 */
export const judge = (
  context: Judging,
  intent: Intent,
  costs: Costs,
  at: { now: number; consent: Consent; path: ChargePath; watching?: Watching | null },
): Judged => {
  const { now, consent } = at;
  if (!meetsPolicy(intent))
    return { ...noPolicy, decision: decideByBalance(context, intent, { ...costs, now }) };
  const decision = decide(requestOf(intent, now), factsOf(context, intent, costs, at), consent);
  const { version } = context.store.policies.get(intent.agentId);
  if (decision.kind !== 'hold' || !mayStand(context, intent, decision))
    return { decision, policyVersion: version, grantId: null };
  const { agentId, serviceId, amount } = intent;
  const grant = context.store.grants.usable({ agentId, serviceId, amount, payees: payeesOf(intent), now });
  if (grant === undefined) return { decision, policyVersion: version, grantId: null };
  return { decision: { kind: 'allow' }, policyVersion: version, grantId: grant.id };
};

/**
 * The same for a reserved row that is about to be signed. It checks again everything that may have changed since. The
 * row's own reservation does not count against it, and the cooldown that it began does not apply.
 */
export const judgeAgain = (context: Judging, row: Transfer, now: number): Decision => {
  const costs = { fee: row.feeLamports, rent: row.rentLamports, treasuryLamports: null };
  if (!meetsPolicy(row)) return decideByBalance(context, row, { ...costs, now, own: row });
  // Version 0.1 did not record the API key of a payment that it held for the owner.
  const consent = row.approvalId !== null ? 'approval' : row.keyId === null ? 'owner' : 'none';
  const decision = decide(
    requestOf(row, now),
    factsOf(context, row, costs, { now, path: row, own: row }),
    consent,
  );
  return decision.kind === 'hold' && isCovered(context, row, decision, now) ? { kind: 'allow' } : decision;
};

/** Covered by the standing approval that it draws on, or by an approval that showed these very reasons. */
const isCovered = (context: Judging, row: Spending & Transfer, hold: Hold, now: number): boolean => {
  const { grants, approvals, services } = context.store;
  if (row.grantId !== null) return mayStand(context, row, hold) && serves(grants.get(row.grantId), row, now);
  const approval = row.approvalId === null ? undefined : approvals.get(row.approvalId);
  if (approval === undefined || unseenReasons(hold, approval).length > 0) return false;
  if (!hold.reasons.includes('payee_changed')) return true;
  // A grant at the desk pins the payee, unless the service was removed from the catalog meanwhile; a phone's pins none. It
  // holds while the service names the payees that the owner was shown.
  const service = services.get(row.serviceId);
  return isUnpinned(service) || isDeepStrictEqual(service?.payees, approval.shown['payeesSoFar']);
};

/** Why the owner has to be asked again: reasons that the approval did not show. */
export const unseenReasons = ({ reasons }: Hold, { shown }: Pick<Approval, 'shown'>): HoldReason[] =>
  reasons.filter((reason) =>
    reason === 'open_account' ? shown['opensAccount'] === undefined : shown['because'] !== reason,
  );

export type Hold = Extract<Decision, { kind: 'hold' }>;

export type Spending = Extract<Intent, { asset: 'USDC' }> & { agentId: string; serviceId: string };

/** Payments and charges do. Allocations, recalls, withdrawals and refunds are the owner's or the treasury's own. */
export const meetsPolicy = (intent: Intent): intent is Spending => {
  if (intent.kind !== 'payment' && intent.kind !== 'charge') return false;
  invariant(intent.agentId !== null && intent.serviceId !== null, 'a payment has an agent and a service');
  return true;
};

const requestOf = ({ agentId, amount, serviceId, payee }: Spending, now: number) => ({
  agentId,
  amount,
  serviceId,
  payee,
  now,
});

/** `own`: the transfer's row, whose reservation must not be counted against it. */
const factsOf = (
  context: Judging,
  intent: Spending,
  { fee, rent }: Pick<Costs, 'fee' | 'rent'>,
  {
    now,
    path,
    own,
    watching,
  }: { now: number; path: ChargePath; own?: Spending & Transfer; watching?: Watching | null | undefined },
): Facts => {
  const { store, settings } = context;
  const { agentId, serviceId } = intent;
  const payees = payeesOf(intent);
  const isOwn = own?.reservedAt != null;
  const counted = isOwn ? own.amount : usdc(0n);
  const ownRent = isOwn ? own.rentLamports : 0n;
  const policy = store.policies.get(agentId);
  const service = store.services.get(serviceId);
  const { keyPath, groupId } = path;
  const nodes = pathOf(context, {
    agentId,
    keyPath,
    groupId,
    isClaimed: isClaimed(intent.purchase, service),
    now,
    own: own ?? null,
  });
  const agent = nodes.find(({ node }) => node.kind === 'agent');
  invariant(agent !== undefined, 'every path has an agent');
  return {
    blockedBy: firstOf(payees, (payee) =>
      store.serviceRules.blocking({ serviceId, payee, url: intent.purchase?.url ?? null }),
    ),
    disguises:
      intent.kind === 'payment' && isUnpinned(service)
        ? firstOf(payees, (payee) => limitedSeller(store, nodes, payee))
        : null,
    path: nodes,
    policy,
    watching: watching ?? null,
    payeeKnown: areKnown(context, intent, policy),
    payeeChanged: isChangedPayee(store, intent),
    available: addUsdc(available(context, intent.wallet), counted),
    fee: lamports(fee),
    feesSpent: agent.fees() - (isOwn ? own.feeLamports : 0n),
    feeLimit: settings.feeLimit,
    rent: lamports(rent),
    rentSpent: rent === 0n ? 0n : store.transfers.rentSince(now - 86_400_000) - ownRent,
    rentLimit: settings.rentLimit,
    rentAllowed:
      rent === 0n ||
      (vouchedFor(context, serviceId) && (ownRent > 0n || !store.transfers.rentPaid(intent.payee))),
  };
};

/** A charge pays the treasury itself, which is always known. */
const areKnown = ({ store }: Judging, intent: Spending, { newPayees }: PolicyInForce): boolean =>
  newPayees === 'allow' ||
  intent.kind === 'charge' ||
  payeesOf(intent).every((payee) => store.payees.known(intent.agentId, payee));

/** The reasons that a standing approval answers; the other reasons need the owner's word each time. */
const standingReasons: ReadonlySet<HoldReason> = new Set(['approve_above', 'new_payee']);

/** Whether a standing approval may replace a single one: not for a mere claim. */
const mayStand = ({ store }: Judging, { purchase, serviceId }: Spending, { reasons }: Hold): boolean =>
  reasons.every((reason) => standingReasons.has(reason)) &&
  !isClaimed(purchase, store.services.get(serviceId));

const serves = (grant: StandingGrant | undefined, row: Transfer, now: number): boolean =>
  grant !== undefined && grant.revokedAt === null && grant.until > now && arePinned(grant, payeesOf(row));

const vouchedFor = ({ store }: Judging, serviceId: string): boolean =>
  store.services.get(serviceId)?.vouched === true || store.serviceRules.get(serviceId).trustedAt !== null;

const noPolicy = { policyVersion: 0, grantId: null };
