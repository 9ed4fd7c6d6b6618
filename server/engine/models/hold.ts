// T1 of a request to a language model: the same decision as a payment's, on the most that the request can cost. From the
// moment that its row is on disk the request may have left, and counts with that bound.
import { addUsdc, formatUsdc, usdc, type Usdc } from '../../money.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import type { ModelRequestTerms } from '../domain/model-request.ts';
import { pathOf } from '../limits/path.ts';
import { refuseRevoked, refuseWhenDiskLow, refuseWhenStopped, type Context } from '../payment/context.ts';
import { pathNow } from '../payment/decision/charge-path.ts';
import { decide, elseAllowed, type Decision } from '../payment/decision/decide.ts';
import { refusalFrom } from '../payment/decision/refusals.ts';
import type { ModelRequest, Refusal } from '../ports.ts';

/** A request to be decided on: its path is that of its API key now. */
export type ModelAsk = Omit<ModelRequestTerms, 'keyPath' | 'groupId'>;

export type Held =
  | { kind: 'held'; request: ModelRequest }
  /** `waits`: it would fit, were it not for open requests of the same caller, each of which frees most of its bound. */
  | { kind: 'refused'; refusal: Refusal; waits: boolean };

/** The budgets; the limit on one request is none of them. */
const freedByWaiting: readonly ErrorCode[] = [
  'daily_budget',
  'weekly_budget',
  'monthly_budget',
  'total_budget',
  'owner_ceiling',
  'service_limit',
];

/** The parts that a decision reads and writes, in the transaction of the caller. */
type Deciding = Pick<
  Context,
  | 'store'
  | 'calendar'
  | 'time'
  | 'newId'
  | 'folding'
  | 'disk'
  | 'halted'
  | 'keys'
  | 'stopMarker'
  | 'remoteWords'
  | 'network'
>;

/**
 * Decides, and holds the bound; call it in a transaction, whose commit must be on disk before the request leaves.
 * @param mayWait a refusal that waiting may lift is not recorded
 * @throws AppError `frozen`, `suspended`, `unauthorized` (revoked), `key_ended`, `locked`, `halted`, `clock_unsafe`,
 *   `disk_low`, `chain_unreachable` (a stop from a phone may be unread): nothing is stored
 */
export const holdRequest = (context: Deciding, ask: ModelAsk, mayWait: boolean): Held => {
  const { store, time, newId, folding } = context;
  const { agentId, keyId } = ask;
  refuseUnless(context, ask);
  const now = time.now();
  const terms = { ...ask, ...pathNow(store, agentId, keyId) };
  const decision = judgeRequest(context, terms, now, usdc(0n));
  const { version: policyVersion } = store.policies.get(agentId);
  const insert = (refusal: Refusal | null, grantId: string | null): ModelRequest =>
    store.modelRequests.insert({ ...terms, id: newId('mod'), policyVersion, grantId }, refusal, now);

  const grantId = decision.kind === 'hold' ? grantFor(context, terms, now) : null;
  if (decision.kind === 'allow' || grantId !== null) {
    if (grantId !== null) store.grants.draw(grantId, ask.bound);
    return { kind: 'held', request: insert(null, grantId) };
  }
  const refusal = decision.kind === 'deny' ? decision.refusal : approvalNeeded(context, ask);
  const waits = freedByWaiting.includes(refusal.code) && fitsWithoutOwn(context, terms, now);
  // Further refusals of a minute are only reported: a client that runs wild must not fill the disk.
  if (!(waits && mayWait) && folding.inFull.admit(agentId, now)) insert(refusal, null);
  return { kind: 'refused', refusal, waits };
};

/**
 * Looks again at everything that may have changed since; call it in the turn in which the request leaves.
 * @returns null when it may leave
 */
export const refusedSince = (context: Deciding, request: ModelRequest): Refusal | null => {
  try {
    refuseUnless(context, request);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return refusalFrom(error);
  }
  const decision = judgeRequest(context, request, context.time.now(), request.bound);
  if (decision.kind === 'deny') return decision.refusal;
  return decision.kind === 'hold' && request.grantId === null ? approvalNeeded(context, request) : null;
};

/** @throws AppError as `holdRequest` */
export const refuseUnless = (
  context: Deciding,
  { agentId, keyId }: Pick<ModelAsk, 'agentId' | 'keyId'>,
): void => {
  const asPayment = { kind: 'payment', agentId } as const;
  refuseWhenStopped(context, asPayment);
  refuseRevoked(context, keyId);
  refuseWhenDiskLow(context, asPayment);
};

/** @param own the caller's open requests that do not count against it, itself among them */
const judgeRequest = (
  context: Pick<Context, 'store' | 'calendar'>,
  { agentId, serviceId, model, bound, keyPath, groupId }: ModelRequestTerms,
  now: number,
  own: Usdc,
): Decision => {
  const { store } = context;
  const request = { agentId, amount: bound, serviceId, model, payee: '', now };
  return decide(request, {
    ...elseAllowed,
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
const fitsWithoutOwn = (context: Deciding, terms: ModelRequestTerms, now: number): boolean => {
  const isSame = (one: ModelRequest): boolean =>
    one.serviceId === terms.serviceId &&
    one.groupId === terms.groupId &&
    one.keyPath.join() === terms.keyPath.join();
  const own = context.store.modelRequests
    .held(terms.agentId)
    .filter(isSame)
    .reduce((sum, { bound }) => addUsdc(sum, bound), usdc(0n));
  return own > 0n && judgeRequest(context, terms, now, own).kind === 'allow';
};

const grantFor = (
  { store }: Pick<Context, 'store'>,
  { agentId, serviceId, bound }: ModelRequestTerms,
  now: number,
): string | null => store.grants.usable({ agentId, serviceId, payees: [], amount: bound, now })?.id ?? null;

const approvalNeeded = (
  { store }: Pick<Context, 'store'>,
  { agentId, bound }: Pick<ModelAsk, 'agentId' | 'bound'>,
): Refusal => {
  const limit = store.policies.get(agentId).approveAbove ?? usdc(0n);
  const amount = formatUsdc(bound);
  return {
    code: 'approval_needed',
    message: `This request can cost up to ${amount} USDC, and the owner is asked above ${formatUsdc(limit)} USDC. A request to a language model does not wait for that: ask for fewer output tokens, or ask the owner to raise approveAbove.`,
    details: { rule: 'approveAbove', limit: formatUsdc(limit), amount },
  };
};
