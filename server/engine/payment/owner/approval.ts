// Approvals by the owner. An approval is bound to a hash of exactly what the owner is shown, is judged again by the
// policy in force when it is granted, is used once, reserves no money while it waits, and is denied at its deadline.
import { AppError, fieldError, invariant } from '../../../errors.ts';
import { usdc, type Usdc } from '../../../money.ts';
import { pathAtGrant } from '../decision/charge-path.ts';
import { refuseWhenUnable, stopFor, type Context } from '../context.ts';
import type { Decision } from '../decision/decide.ts';
import { judge, unseenReasons, type ChainFacts } from '../decision/judge.ts';
import { payeesOf } from '../../domain/purchase.ts';
import { pinPayees } from '../decision/pinned-payees.ts';
import { noteReservation } from '../decision/near-limits.ts';
import { accountNeededSince, payeeChangedSince } from '../decision/refusals.ts';
import { noteGranted } from '../decision/watch-notes.ts';
import type { Approval, ApprovalStatus, Refusal, StandingGrant, Transfer } from '../../ports.ts';

export interface Standing {
  upTo: Usdc;
  until: number;
}

/** Where the owner's word came from. A phone's grants one payment, and nothing after it. */
type GrantSource = 'desk' | 'phone';
export interface GrantTerms {
  from: GrantSource;
  /** The owner's place at the desk, where it is known. */
  at?: 'dashboard' | 'command' | null;
  standing: Standing | null;
}

/** The pending approval that the owner saw. @throws AppError `not_found`, `conflict` (decided, expired, other hash) */
export const pendingApproval = ({ store, time }: Context, id: string, shownHash: string): Approval => {
  const approval = store.approvals.get(id);
  if (approval === undefined) throw new AppError('not_found', `There is no approval ${id}.`);
  if (approval.status !== 'pending' || approval.expiresAt <= time.now()) {
    const status = approval.status === 'pending' ? 'expired' : approval.status;
    throw new AppError('conflict', `This approval is ${status} and can no longer be decided.`, { status });
  }
  if (approval.hash !== shownHash) {
    throw fieldError('hash', 'this is not what the approval shows now. Read it again', 'conflict');
  }
  return approval;
};

/** As `pendingApproval`, for a grant. @throws AppError `conflict` also while a denial waits to take effect */
export const grantableApproval = (context: Context, id: string, shownHash: string): Approval => {
  const approval = pendingApproval(context, id, shownHash);
  if (approval.denyAt !== null)
    throw new AppError('conflict', 'You declined this a moment ago. Undo that before you allow it.', {
      denyAt: new Date(approval.denyAt).toISOString(),
    });
  return approval;
};

/**
 * Denies a pending approval `afterMs` from now, and until then lets nobody grant it. Call it inside a transaction.
 * A second denial never puts off the first.
 */
export const denyAfter = ({ store, time }: Context, { id, denyAt }: Approval, afterMs: number): void => {
  const at = time.now() + afterMs;
  if (denyAt === null || at < denyAt) store.approvals.denyAt(id, at);
};

/** Takes back a denial that has not taken effect. Call it inside a transaction. @throws AppError `conflict` */
export const undoDenial = ({ store, time }: Context, { id, denyAt }: Approval): void => {
  if (denyAt === null || denyAt <= time.now())
    throw new AppError('conflict', 'There is no denial of this approval left to undo.');
  store.approvals.denyAt(id, null);
};

/**
 * Grants a payment: consumes the approval and reserves, after checking everything again but the cooldown.
 * Run it inside a transaction. The row becomes `reserved` or, if it no longer fits, `denied`.
 * @throws AppError `halted`, `locked` or that of `stopFor`; then nothing is consumed
 */
export const grantPayment = (
  context: Context,
  approval: Approval,
  chainFacts: ChainFacts,
  { from, at = null, standing }: GrantTerms,
): Transfer => {
  const { store, time } = context;
  invariant(approval.transferId !== null, 'an approved payment has its row');
  const transfer = store.transfers.get(approval.transferId);
  invariant(transfer !== undefined, 'an approved payment has its row');
  refuseWhenUnable(context);
  const stop = stopFor(context, transfer);
  if (stop !== null) throw stop;

  const now = time.now();
  const fee = context.chain.feeLamports(transfer);
  const { decision, policyVersion } = judge(
    context,
    transfer,
    { ...chainFacts, fee },
    { now, consent: 'approval', path: pathAtGrant(context, transfer) },
  );
  const refusal = refusalAtGrant(decision, approval);
  if (refusal !== null) {
    decideApproval(context, approval, 'denied', { refusal: refusal.message });
    return store.transfers.move(transfer.id, 'awaiting_approval', 'denied', { refusal, endedAt: now });
  }
  if (standing !== null) allowFurther(context, approval, transfer, standing);
  noteGranted(context, transfer, now);
  if (from === 'desk') rememberPayees(context, approval, transfer);
  const place = at === null ? {} : { from: at };
  decideApproval(context, approval, 'granted', { paymentId: transfer.id, ...place });
  const reserved = store.transfers.move(transfer.id, 'awaiting_approval', 'reserved', {
    policyVersion,
    groupId: pathAtGrant(context, transfer).groupId,
    reservedAt: now,
    feeLamports: fee,
    rentLamports: chainFacts.rent,
  });
  noteReservation(context, reserved);
  return reserved;
};

/** Adds a standing approval. @throws AppError `bad_request` when only the agent vouches for the payee */
const allowFurther = (
  context: Context,
  { agentId, shown }: Approval,
  { serviceId, payee }: Transfer,
  { upTo, until }: Standing,
): void => {
  invariant(serviceId !== null, 'a payment has a service');
  // Approvals of older versions show one payee alone.
  const payees = Array.isArray(shown['payees']) ? shown['payees'].map(String) : [payee];
  if (payees.length === 0)
    throw fieldError(
      'standing',
      'only the agent says that this payee belongs to the service, so each such payment needs your approval. Allow this one alone',
    );
  insertGrant(context, { agentId, serviceId, payees, upTo, until });
};

type GrantedTerms = Standing & Pick<StandingGrant, 'agentId' | 'serviceId' | 'payees'>;

/** Adds a standing approval. Call it in the transaction that consumes the approval. */
export const insertGrant = (
  { store, time, newId }: Pick<Context, 'store' | 'time' | 'newId'>,
  terms: GrantedTerms,
): void =>
  store.grants.insert({
    ...terms,
    id: newId('grt'),
    used: usdc(0n),
    createdAt: time.now(),
    revokedAt: null,
    endedBecause: null,
  });

/** Why an approval can no longer be granted, or null. A reason to ask that the owner was shown is no obstacle. */
export const refusalAtGrant = (decision: Decision, approval: Pick<Approval, 'shown'>): Refusal | null => {
  if (decision.kind === 'deny') return decision.refusal;
  const [unseen] = decision.kind === 'hold' ? unseenReasons(decision, approval) : [];
  if (unseen === undefined) return null;
  return unseen === 'open_account' ? accountNeededSince : payeeChangedSince;
};

/** The owner saw these payees at the desk: they are no longer new, and where they changed they are pinned. */
const rememberPayees = (context: Context, { agentId, shown }: Approval, transfer: Transfer): void => {
  const { store, time } = context;
  for (const payee of payeesOf(transfer)) store.payees.remember(agentId, payee, time.now());
  if (shown['because'] === 'payee_changed') pinPayees(store, transfer);
};

/** Decides a pending approval; call it inside a transaction. @throws AppError `conflict` when it was decided before */
export const decideApproval = (
  { store, time }: Pick<Context, 'store' | 'time'>,
  approval: Approval,
  status: Exclude<ApprovalStatus, 'pending'>,
  result: Approval['result'] = null,
): void => {
  if (!store.approvals.decide(approval.id, status, time.now(), result)) {
    throw new AppError('conflict', 'This approval was decided meanwhile.');
  }
};

const refusals: Record<'denied' | 'expired' | 'cancelled', Pick<Refusal, 'code' | 'message'>> = {
  denied: { code: 'approval_denied', message: 'The owner declined this payment.' },
  expired: {
    code: 'approval_expired',
    message: 'The owner did not answer in time, so this payment was declined.',
  },
  cancelled: { code: 'approval_cancelled', message: 'This payment was canceled before the owner decided.' },
};

/**
 * Ends a pending approval without granting it, and the payment that waits for it. Call it inside a transaction.
 * @param why a reason beyond the status
 */
export const refuseApproval = (
  context: Pick<Context, 'store' | 'time'>,
  approval: Approval,
  status: 'denied' | 'expired' | 'cancelled',
  why?: Refusal,
): void => {
  // The owner’s denial came first, whatever ends the approval before it takes effect.
  const ending = approval.denyAt === null ? status : 'denied';
  const because = ending === status ? why : undefined;
  decideApproval(context, approval, ending, because === undefined ? null : { refusal: because.message });
  if (approval.transferId === null) return;
  const refusal = {
    ...refusals[ending],
    ...because,
    details: {
      ...because?.details,
      ...(approval.shown['opensAccount'] === undefined ? {} : { because: 'open_account' }),
      approvalId: approval.id,
    },
  };
  context.store.transfers.move(approval.transferId, 'awaiting_approval', 'denied', {
    refusal,
    endedAt: context.time.now(),
  });
};

/** Publishes an approval and its payment as they stand now. Call it after the commit. */
export const announceApproval = (
  context: Pick<Context, 'store' | 'publish' | 'outcomes'>,
  id: string,
): void => {
  const { store, publish, outcomes } = context;
  const approval = store.approvals.get(id);
  if (approval === undefined) return;
  publish({ type: 'approval', approval });
  outcomes.changed(id);
  const transfer = approval.transferId === null ? undefined : store.transfers.get(approval.transferId);
  if (transfer === undefined) return;
  publish({ type: 'transfer', transfer });
  outcomes.changed(transfer.id);
};

/** Carries out denials whose moment has come, and refuses the approvals that the owner did not answer in time. */
export const endDueApprovals = (context: Context): void => {
  const { store, time } = context;
  const now = time.now();
  for (const approval of store.approvals.pending()) {
    if (Math.min(approval.expiresAt, approval.denyAt ?? Infinity) > now) continue;
    store.atomically(() => refuseApproval(context, approval, 'expired'));
    announceApproval(context, approval.id);
  }
};
