// Approvals by the owner. An approval is bound to a hash of exactly what the owner is shown, is judged again by the
// policy in force when it is granted, is used once, reserves no money while it waits, and is denied at its deadline.
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { AppError, invariant } from '../../errors.ts';
import { usdc, type Usdc } from '../../money.ts';
import { amountOf } from '../domain/transfer.ts';
import { refuseRevoked, refuseWhenUnable, stopFor, type Context } from './context.ts';
import type { Decision, HoldReason } from './decide.ts';
import { judge, type ChainFacts } from './judge.ts';
import { payeeChangedSince } from './refusals.ts';
import type { Approval, ApprovalKind, ApprovalStatus, Refusal, Service, Transfer } from '../ports.ts';

const pendingPerAgent = 3;
const defaultMinutes = 15;

const hashOf = (shown: Approval['shown']): string => hash('sha256', canonicalize(shown) ?? '');

interface Asked {
  id: string;
  kind: ApprovalKind;
  agentId: string;
  keyId: string | null;
  transferId: string | null;
  policyVersion: number;
  minutes: number;
  details: Readonly<Record<string, unknown>>;
}

/**
 * Writes a pending approval; call it inside a transaction.
 * @throws AppError `too_many_requests` when three of this agent's are pending, `unauthorized` for a revoked API key
 */
const ask = (context: Context, asked: Asked): Approval => {
  const { store, time } = context;
  const { id, kind, agentId, keyId, transferId, policyVersion, minutes, details } = asked;
  refuseRevoked(context, keyId);
  refuseTooManyPending(context, agentId);
  const now = time.now();
  const expiresAt = now + minutes * 60_000;
  const shown = {
    approvalId: id,
    kind,
    agentId,
    policyVersion,
    expiresAt: new Date(expiresAt).toISOString(),
    ...details,
  };
  const approval: Approval = {
    id,
    agentId,
    keyId,
    kind,
    shown,
    hash: hashOf(shown),
    policyVersion,
    transferId,
    status: 'pending',
    createdAt: now,
    expiresAt,
    decidedAt: null,
    result: null,
  };
  store.approvals.insert(approval);
  return approval;
};

/** @throws AppError `too_many_requests` when three approvals of this agent are pending */
export const refuseTooManyPending = ({ store }: Pick<Context, 'store'>, agentId: string): void => {
  if (store.approvals.pending(agentId).length < pendingPerAgent) return;
  throw new AppError(
    'too_many_requests',
    `${pendingPerAgent} requests of this agent already wait for the owner. Wait until one of them is decided.`,
  );
};

/** Opens the approval of a payment that its policy holds for the owner. Call it inside a transaction. */
export const openApproval = (
  context: Context,
  transfer: Transfer,
  because: HoldReason,
  keyId: string | null,
): void => {
  const { store } = context;
  invariant(
    transfer.agentId !== null && transfer.approvalId !== null,
    'a held payment names agent and approval',
  );
  const service = transfer.serviceId === null ? undefined : store.services.get(transfer.serviceId);
  ask(context, {
    id: transfer.approvalId,
    kind: 'payment',
    agentId: transfer.agentId,
    keyId,
    transferId: transfer.id,
    policyVersion: transfer.policyVersion,
    minutes: store.policies.get(transfer.agentId).approvalMinutes,
    details: {
      because,
      paymentId: transfer.id,
      service: transfer.serviceId,
      serviceName: transfer.serviceName,
      payee: transfer.payee,
      payeeIsNew: !store.payees.known(transfer.agentId, transfer.payee),
      // The payees that a standing approval would cover.
      payees: isAgentsWord(transfer, service)
        ? []
        : [...new Set([...(service?.payees ?? []), transfer.payee])],
      amount: amountOf(transfer),
      currency: transfer.asset,
      // The treasury's own request, shown below, is not the agent's description.
      description: transfer.purchase?.carrier === 'treasury' ? '' : transfer.description,
      invoice: transfer.invoice,
      ...reasonShown(transfer),
      ...(transfer.purchase === null
        ? {}
        : { request: `${transfer.purchase.method} ${transfer.purchase.url}`.trim() }),
      ...(because === 'payee_changed' ? { payeesSoFar: service?.payees } : {}),
    },
  });
};

/** Only the agent's claim ties the payee to the service. */
const isAgentsWord = ({ purchase }: Transfer, service: Service | undefined): boolean =>
  purchase?.carrier === 'agent' && (service?.payees.length ?? 0) === 0;

/** Opens the approval of another effect that an agent asked for; `details` says exactly what will be done. */
export const openRequest = (
  context: Context,
  kind: Exclude<ApprovalKind, 'payment'>,
  { agentId, keyId }: { agentId: string; keyId: string | null },
  details: Readonly<Record<string, unknown>>,
): Approval => {
  const agent = context.store.agents.get(agentId);
  const policy = agent === undefined ? undefined : context.store.policies.get(agentId);
  return ask(context, {
    id: context.newId('apr'),
    kind,
    agentId,
    keyId,
    transferId: null,
    policyVersion: policy?.version ?? 0,
    minutes: policy?.approvalMinutes ?? defaultMinutes,
    details,
  });
};

/** An agent's reason, for the details that the owner is shown. */
export const reasonShown = ({ reason }: { reason?: string | null | undefined }): { reason?: string } =>
  reason == null ? {} : { reason };

export interface Standing {
  upTo: Usdc;
  until: number;
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
    throw new AppError(
      'conflict',
      'hash: what was shown is not what this approval is for. Look at it again.',
    );
  }
  return approval;
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
  standing: Standing | null,
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
    { now, word: 'approval' },
  );
  const refusal = refusalAtGrant(decision, approval);
  if (refusal !== null) {
    decideApproval(context, approval, 'denied', { refusal: refusal.message });
    return store.transfers.move(transfer.id, 'awaiting_approval', 'denied', { refusal, endedAt: now });
  }
  const agentId = approval.agentId;
  if (standing !== null) allowFurther(context, approval, transfer, standing);
  store.payees.remember(agentId, transfer.payee, now);
  if (approval.shown['because'] === 'payee_changed') pinPayee(context, transfer);
  decideApproval(context, approval, 'granted', { paymentId: transfer.id });
  return store.transfers.move(transfer.id, 'awaiting_approval', 'reserved', {
    policyVersion,
    reservedAt: now,
    feeLamports: fee,
    rentLamports: chainFacts.rent,
  });
};

/** Adds a standing approval. @throws AppError `bad_request` when only the agent vouches for the payee */
const allowFurther = (
  { store, time, newId }: Context,
  { agentId, shown }: Approval,
  { serviceId, payee }: Transfer,
  { upTo, until }: Standing,
): void => {
  invariant(serviceId !== null, 'a payment has a service');
  // Approvals of older versions show one payee alone.
  const payees = Array.isArray(shown['payees']) ? shown['payees'].map(String) : [payee];
  if (payees.length === 0)
    throw new AppError(
      'bad_request',
      'standing: only the agent says that this payee belongs to the service, so each such payment needs your word. Allow this one alone.',
    );
  const terms = { agentId, serviceId, payees, upTo, used: usdc(0n), until };
  store.grants.insert({
    ...terms,
    id: newId('grt'),
    createdAt: time.now(),
    revokedAt: null,
    endedBecause: null,
  });
};

/** Why an approval can no longer be granted, or null. A changed payee is allowed if the owner was shown the change. */
export const refusalAtGrant = (decision: Decision, { shown }: Pick<Approval, 'shown'>): Refusal | null => {
  if (decision.kind === 'deny') return decision.refusal;
  return decision.kind === 'hold' && shown['because'] !== 'payee_changed' ? payeeChangedSince : null;
};

/** The owner saw the change and allowed it: from now on this payee is one of the service's. */
const pinPayee = ({ store }: Context, { serviceId, payee }: Transfer): void => {
  const service = serviceId === null ? undefined : store.services.get(serviceId);
  // A service without payees was removed from the catalog meanwhile, and stays removed.
  if (service === undefined || service.payees.length === 0 || service.payees.includes(payee)) return;
  store.services.pin(service.id, [...service.payees, payee]);
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
  denied: { code: 'approval_denied', message: 'The owner refused this payment.' },
  expired: {
    code: 'approval_expired',
    message: 'The owner did not answer in time, so this payment was refused.',
  },
  cancelled: { code: 'approval_cancelled', message: 'This payment was cancelled before the owner decided.' },
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
  decideApproval(context, approval, status, why === undefined ? null : { refusal: why.message });
  if (approval.transferId === null) return;
  const refusal = { ...refusals[status], ...why, details: { ...why?.details, approvalId: approval.id } };
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

/** Refuses the approvals that the owner did not answer in time. */
export const expireApprovals = (context: Context): void => {
  const { store, time } = context;
  const now = time.now();
  for (const approval of store.approvals.pending()) {
    if (approval.expiresAt > now) continue;
    store.atomically(() => refuseApproval(context, approval, 'expired'));
    announceApproval(context, approval.id);
  }
};
