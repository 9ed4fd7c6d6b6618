// T1 of a request to a language model: the same decision as a payment's, on the most that the request can cost. From the
// moment that its row is on disk the request may have left, and counts with that bound.
import { addUsdc, usdc, type Usdc } from '../../money.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import type { ModelRequestTerms } from '../domain/model-request.ts';
import { pathOf } from '../limits/path.ts';
import { refuseRevoked, refuseWhenDiskLow, refuseWhenStopped, type Context } from '../payment/context.ts';
import { pathNow } from '../payment/decision/charge-path.ts';
import { decide, elseAllowed, type Decision } from '../payment/decision/decide.ts';
import { refusalFrom } from '../payment/decision/refusals.ts';
import { noteRefused, noteTrips, watchModelRequest, type Seen } from '../payment/decision/watching.ts';
import type { Watching } from '../domain/watch.ts';
import { addNotice } from '../notices/add-notice.ts';
import type { ModelRequest, Refusal } from '../ports.ts';
import { approvalNeeded, askOwner, grantFor } from './standing.ts';

/** A request to be decided on: its path is that of its API key now. */
export type ModelAsk = Omit<ModelRequestTerms, 'keyPath' | 'groupId'> & Pick<ModelRequest, 'idempotencyKey'>;

/** `seen`: what the watch saw, to be announced after the commit. */
export type Held = { seen: Seen | null } & (
  | { kind: 'held'; request: ModelRequest }
  /**
   * `waits`: it would fit, were it not for open requests of the same caller, each of which frees most of its bound; or the
   * owner may still allow it. `asked`: the id of the approval that decides.
   */
  | { kind: 'refused'; refusal: Refusal; waits: boolean; asked: string | null }
);

/** The budgets; the limit on one request is none of them. */
const freedByWaiting: readonly ErrorCode[] = [
  'daily_budget',
  'weekly_budget',
  'monthly_budget',
  'total_budget',
  'owner_ceiling',
  'service_limit',
];

/**
 * Decides, and holds the bound; call it in a transaction, whose commit must be on disk before the request leaves.
 * @param mayWait a refusal that waiting may lift is not recorded
 * @param asked the approval that the owner was asked for when this request was tried before
 * @throws AppError `frozen`, `suspended`, `unauthorized` (revoked), `key_ended`, `locked`, `halted`, `clock_unsafe`,
 *   `disk_low`, `chain_unreachable` (a stop from a phone may be unread), `too_many_requests` (the owner has too many
 *   requests of this agent to decide): nothing is stored
 */
export const holdRequest = (
  context: Context,
  ask: ModelAsk,
  { mayWait, asked }: { mayWait: boolean; asked: string | null },
): Held => {
  const { store, time, newId } = context;
  const { agentId, keyId, idempotencyKey } = ask;
  refuseUnless(context, ask);
  refuseRepeated(context, ask);
  const now = time.now();
  const terms = { ...ask, ...pathNow(store, agentId, keyId) };
  const watching = watchModelRequest(context, ask, now);
  const decision = judgeRequest(context, terms, { now, own: usdc(0n), watching });
  const { version: policyVersion } = store.policies.get(agentId);
  const insert = (refusal: Refusal | null, grantId: string | null): ModelRequest => {
    const kept = { ...terms, id: newId('mod'), policyVersion, grantId };
    // A refused key may ask again: nothing was sent for it.
    return store.modelRequests.insert(
      { ...kept, idempotencyKey: refusal === null ? idempotencyKey : null },
      refusal,
      now,
    );
  };

  const { trips } = watching;
  if (decision.kind === 'deny') return refused(context, terms, { decision, mayWait, insert, trips });
  const seen = noteTrips(context, ask, trips, now);
  // The watch ends a delegated key rather than to ask for it.
  const stopped = seen === null ? null : stoppedNow(context, ask);
  if (stopped !== null) return { kind: 'refused', refusal: stopped, waits: false, asked: null, seen };
  const grantId = decision.kind === 'hold' ? grantFor(context, terms, decision, now) : null;
  if (decision.kind === 'allow' || grantId !== null) {
    if (grantId !== null) store.grants.draw(grantId, ask.bound);
    return { kind: 'held', request: insert(null, grantId), seen };
  }
  const approval = askOwner(context, ask, decision, asked);
  const refusal = approvalNeeded(context, ask, decision, approval);
  const waits = approval.status === 'pending';
  if (!(waits && mayWait) && context.folding.inFull.admit(agentId, now)) insert(refusal, null);
  return { kind: 'refused', refusal, waits, asked: approval.id, seen };
};

const refused = (
  context: Context,
  terms: ModelRequestTerms,
  {
    decision: { refusal },
    mayWait,
    insert,
    trips,
  }: {
    decision: Extract<Decision, { kind: 'deny' }>;
    mayWait: boolean;
    insert: (refusal: Refusal, grantId: null) => ModelRequest;
    trips: Watching['trips'];
  },
): Held => {
  const { store, time, folding } = context;
  const { agentId, keyId, serviceId } = terms;
  const now = time.now();
  const waits = freedByWaiting.includes(refusal.code) && fitsWithoutOwn(context, terms, now);
  const answer = { kind: 'refused', refusal, waits, asked: null } as const;
  if (waits && mayWait) return { ...answer, seen: null };
  // Further refusals of a minute are only reported: a client that runs wild must not fill the disk.
  if (folding.inFull.admit(agentId, now)) {
    const request = insert(refusal, null);
    const serviceName = store.services.get(serviceId)?.name ?? serviceId;
    addNotice(context, { kind: 'refused', request: { ...request, serviceName } });
  }
  const isByWatch = refusal.details['because'] === 'watch';
  const seen = isByWatch
    ? noteTrips(context, terms, trips, now)
    : noteRefused(context, { agentId, keyId, transferId: null }, now);
  return { ...answer, seen };
};

/** @throws AppError `answer_not_kept`: what this idempotency key asked for was sent once, and is never sent again */
const refuseRepeated = ({ store }: Pick<Context, 'store'>, { agentId, idempotencyKey }: ModelAsk): void => {
  const before = idempotencyKey === null ? undefined : store.modelRequests.named(agentId, idempotencyKey);
  if (before === undefined) return;
  throw new AppError(
    'answer_not_kept',
    `The request with this Idempotency-Key was sent as ${before.id}, and its answer is not kept. Use a new key to send it again.`,
    { requestId: before.id },
  );
};

/**
 * Looks again at everything that may have changed since; call it in the turn in which the request leaves.
 * @returns null when it may leave
 */
export const refusedSince = (context: Context, request: ModelRequest): Refusal | null => {
  const stopped = stoppedNow(context, request);
  if (stopped !== null) return stopped;
  const now = context.time.now();
  const decision = judgeRequest(context, request, { now, own: request.bound, watching: null });
  if (decision.kind === 'deny') return decision.refusal;
  return decision.kind === 'hold' && request.grantId === null
    ? approvalNeeded(context, request, decision, null)
    : null;
};

const stoppedNow = (context: Context, by: Pick<ModelAsk, 'agentId' | 'keyId'>): Refusal | null => {
  try {
    refuseUnless(context, by);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return refusalFrom(error);
  }
};

/** @throws AppError as `holdRequest` */
export const refuseUnless = (
  context: Context,
  { agentId, keyId }: Pick<ModelAsk, 'agentId' | 'keyId'>,
): void => {
  const asPayment = { kind: 'payment', agentId } as const;
  refuseWhenStopped(context, asPayment);
  refuseRevoked(context, keyId);
  refuseWhenDiskLow(context, asPayment);
};

interface Judging {
  now: number;
  /** The caller's open requests that do not count against it, itself among them. */
  own: Usdc;
  watching: Watching | null;
}

const judgeRequest = (
  context: Pick<Context, 'store' | 'calendar'>,
  { agentId, serviceId, model, bound, keyPath, groupId }: ModelRequestTerms,
  { now, own, watching }: Judging,
): Decision => {
  const { store } = context;
  const request = { agentId, amount: bound, serviceId, model, payee: '', now };
  return decide(request, {
    ...elseAllowed,
    watching,
    blockedBy: store.serviceRules.blocking({ serviceId, payee: '', url: null }),
    path: pathOf(context, {
      agentId,
      keyPath,
      groupId,
      isClaimed: false,
      now,
      own: own === 0n ? null : { groupId, reservedAt: now, amount: own },
    }),
    policy: store.policies.get(agentId),
    payeeKnown: true,
    available: bound,
  });
};

/** The open requests of the same path to the same supplier count at each of its nodes. */
const fitsWithoutOwn = (context: Context, terms: ModelRequestTerms, now: number): boolean => {
  const isSame = (one: ModelRequest): boolean =>
    one.serviceId === terms.serviceId &&
    one.groupId === terms.groupId &&
    one.keyPath.join() === terms.keyPath.join();
  const own = context.store.modelRequests
    .held(terms.agentId)
    .filter(isSame)
    .reduce((sum, { bound }) => addUsdc(sum, bound), usdc(0n));
  return own > 0n && judgeRequest(context, terms, { now, own, watching: null }).kind === 'allow';
};
