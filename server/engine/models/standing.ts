// The standing approval that a request to a language model draws on, and how the owner is asked for one: each turn of a
// conversation is a request of its own, so that an approval of one request alone would serve nobody.
import { formatUsdc, usdc } from '../../money.ts';
import type { ErrorCode } from '../../errors.ts';
import type { ModelRequestTerms } from '../domain/model-request.ts';
import type { Context } from '../payment/context.ts';
import type { Hold } from '../payment/decision/judge.ts';
import { openRequest } from '../payment/owner/ask-owner.ts';
import type { Approval, ApprovalStatus, Refusal } from '../ports.ts';

const standingMs = 24 * 60 * 60_000;

/** The id of one that covers this request; null without one. What the watch holds, only a later one covers. */
export const grantFor = (
  { store }: Pick<Context, 'store'>,
  { agentId, serviceId, bound }: Pick<ModelRequestTerms, 'agentId' | 'serviceId' | 'bound'>,
  { reasons }: Pick<Hold, 'reasons'>,
  now: number,
): string | null => {
  const since = reasons.includes('watch') ? (store.watch.get(agentId).asking?.since ?? now) : 0;
  return store.grants.usable({ agentId, serviceId, payees: [], amount: bound, now, since })?.id ?? null;
};

/**
 * The approval that decides: one for this supplier that is pending, or was decided while the request waited; otherwise a
 * new one, for a day and as much as the agent's daily budget. Call it in the transaction of the decision.
 * @param asked the id of the one that the request has waited for
 * @throws AppError `too_many_requests` when the owner has too many requests of this agent to decide
 */
export const askOwner = (
  context: Context,
  { agentId, keyId, serviceId, model, bound }: Omit<ModelRequestTerms, 'keyPath' | 'groupId'>,
  { because, sentence }: Hold,
  asked: string | null,
): Approval => {
  const { store, time } = context;
  const isForIt = ({ kind, shown }: Approval): boolean =>
    kind === 'standing' && shown['service'] === serviceId;
  const known = asked === null ? store.approvals.pending(agentId).find(isForIt) : store.approvals.get(asked);
  if (known !== undefined) return known;
  const { dailyBudget } = store.policies.get(agentId);
  const details = {
    because,
    ...(sentence === undefined ? {} : { watch: sentence }),
    service: serviceId,
    serviceName: store.services.get(serviceId)?.name ?? serviceId,
    model,
    bound: formatUsdc(bound),
    // Of a budget that is raised for a while, one request may be more.
    amount: formatUsdc(bound > dailyBudget ? bound : dailyBudget),
    currency: 'USDC',
    until: new Date(time.now() + standingMs).toISOString(),
  };
  return openRequest(context, 'standing', { agentId, keyId }, details);
};

const answers: Readonly<Partial<Record<ApprovalStatus, readonly [ErrorCode, string]>>> = {
  denied: ['approval_denied', 'The owner declined that.'],
  expired: ['approval_expired', 'The owner did not answer in time.'],
  cancelled: ['approval_cancelled', 'That was withdrawn before the owner decided.'],
};

/** @param approval null where the owner is not asked: the request is about to be sent */
export const approvalNeeded = (
  { store }: Pick<Context, 'store'>,
  { agentId, bound }: Pick<ModelRequestTerms, 'agentId' | 'bound'>,
  { sentence }: Hold,
  approval: Approval | null,
): Refusal => {
  const limit = formatUsdc(store.policies.get(agentId).approveAbove ?? usdc(0n));
  const amount = formatUsdc(bound);
  const why =
    sentence === undefined ? `and the owner is asked above ${limit} USDC` : 'and the watch asks the owner';
  const [code, end] = (approval === null ? undefined : answers[approval.status]) ?? [
    'approval_needed',
    'Repeat it once the owner has granted a standing approval.',
  ];
  return {
    code,
    message: `This request can cost up to ${amount} USDC, ${why}. ${end}`,
    details: {
      ...(sentence === undefined ? { rule: 'approveAbove', limit } : { because: 'watch' }),
      amount,
      ...(approval === null ? {} : { approvalId: approval.id }),
    },
  };
};
