// The dry run of T1: what would become of a payment that the agent asks for now. It is decided by T1's own functions on
// the same facts, in a transaction that is rolled back, so that it is exact and leaves no trace.
import { amountOf } from '../domain/transfer.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import { formatUsdc, usdc } from '../../money.ts';
import type { EngineContext } from './call.ts';
import { agentBudget } from './day-budget.ts';
import type { Agent, Intent } from '../ports.ts';
import { refuseTooManyPending } from '../payment/owner/ask-owner.ts';
import { refuseWhenDiskLow, refuseWhenStopped, type Context } from '../payment/context.ts';
import type { HoldReason } from '../payment/decision/decide.ts';
import type { Hold } from '../payment/decision/judge.ts';
import { decideIntent } from '../payment/decision/intent.ts';
import { refusalFrom } from '../payment/decision/refusals.ts';

interface Verdict {
  verdict: 'allowed' | 'approval' | 'refused';
  /** Of a refusal, or why the owner is asked. */
  code: ErrorCode | HoldReason | null;
  message: string;
  details: Readonly<Record<string, unknown>>;
}

/** Errors of T1 that answer the question. The others say that it cannot be answered now, or not to this caller. */
const verdicts: ReadonlySet<ErrorCode> = new Set([
  'frozen',
  'suspended',
  'locked',
  'clock_unsafe',
  'disk_low',
  'fees_exhausted',
  'not_available',
  'too_many_requests',
]);

/**
 * @param intentOf called only for an agent that is not archived; its errors are thrown
 * @param keyId the API key of the caller; null for the owner, who reads what the agent would read
 * @throws AppError `chain_unreachable`, `halted`, `unauthorized` (revoked)
 */
export const explainPayment = async (
  context: EngineContext,
  agent: Agent,
  intentOf: () => Intent,
  keyId: string | null,
): Promise<Verdict> => {
  const { agentId } = agent;
  if (agent.archivedAt !== null)
    return refused(new AppError('not_found', `The agent ${agentId} is archived and can no longer pay.`));
  const intent = intentOf();
  try {
    refuseWhenStopped(context, intent);
    refuseWhenDiskLow(context, intent);
    const { enter, ...facts } = await context.funds.foresee(intent);
    await context.turns.next(agentId);
    return context.store.undone(() => {
      enter();
      const { judged } = decideIntent(context, intent, { keyId, consent: 'none' }, facts);
      const { decision, grantId } = judged;
      if (decision.kind === 'deny') return { verdict: 'refused', ...decision.refusal };
      if (decision.kind === 'allow') return grantId === null ? allowed : allowedByGrant;
      refuseTooManyPending(context, agentId, keyId);
      return { verdict: 'approval', code: decision.because, ...held(context, intent, decision) };
    });
  } catch (error) {
    if (error instanceof AppError && verdicts.has(error.code)) return refused(error);
    throw error;
  }
};

/** The agent's daily budget as it is in force, the part of it that is spent, and the rest. */
export const budgetOf = (
  context: Pick<Context, 'store' | 'time' | 'calendar'>,
  agentId: string,
): { dailyBudget: string; spent: string; left: string } => {
  const { limit, spent } = agentBudget(context, agentId);
  return {
    dailyBudget: formatUsdc(limit),
    spent: formatUsdc(spent),
    left: formatUsdc(usdc(spent < limit ? limit - spent : 0n)),
  };
};

const refused = (error: AppError): Verdict => ({ verdict: 'refused', ...refusalFrom(error) });

const allowed: Verdict = { verdict: 'allowed', code: null, message: 'It would be paid.', details: {} };
const allowedByGrant: Verdict = { ...allowed, message: 'It would be paid, under a standing approval.' };

const held = (
  { store }: Pick<Context, 'store'>,
  intent: Intent,
  { because, sentence = '' }: Hold,
): Pick<Verdict, 'message' | 'details'> => {
  switch (because) {
    case 'approve_above': {
      const above = intent.agentId === null ? null : store.policies.get(intent.agentId).approveAbove;
      const limit = formatUsdc(above ?? usdc(0n));
      return {
        message: `The policy asks the owner before a payment above ${limit} USDC.`,
        details: { rule: 'approveAbove', limit, amount: amountOf(intent) },
      };
    }
    case 'new_payee':
      return {
        message: 'The policy asks the owner before the first payment to a new payee.',
        details: { rule: 'newPayees', payee: intent.payee },
      };
    case 'payee_changed':
      return {
        message: 'The service has changed its payee, so the owner is asked.',
        details: { payee: intent.payee },
      };
    case 'watch':
      return {
        message: `The watch asks the owner. ${sentence}`,
        details: { because: 'watch' },
      };
    case 'open_account':
      return {
        message: 'The payee has no USDC account yet. Opening one costs a little SOL, so the owner is asked.',
        details: { payee: intent.payee },
      };
  }
};
